#include "berth/explain/render.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "berth/explain/words.h"
#include "berth/text/table.h"

namespace berth::explain {

namespace {

using text::Meaning;

Meaning meaning_of(std::string_view given) {
  if (given == answer::kFits || given == answer::kBound) return Meaning::kGood;
  if (given == answer::kPreempts || given == answer::kGated || given == answer::kDeleted) return Meaning::kWarning;
  if (given == answer::kUnschedulable || given == answer::kNoScheduler || given == answer::kError) return Meaning::kBad;
  return Meaning::kStrong;
}

// The pod's name has the colour of the answer.
text::Line headline(const Explanation& explanation) {
  const std::string& sentence = explanation.sentence;
  if (explanation.pod.empty() || !sentence.starts_with(explanation.pod)) return sentence;
  return text::Line(explanation.pod, meaning_of(explanation.answer.text()))
      .add(sentence.substr(explanation.pod.size()));
}

void add_groups(const Explanation& explanation, const RenderOptions& options, text::Page& page) {
  if (explanation.groups.empty()) return;
  const std::size_t shown = options.all_nodes ? std::numeric_limits<std::size_t>::max() : kShownNodes;
  page.section(explanation.feasible_nodes > 0 ? "Nodes that cannot take it" : "What keeps it off the nodes");
  for (const NodeGroup& group : explanation.groups) {
    page.item(group.sentence);
    std::string detail = listed(group.nodes, shown);
    for (const std::string& also : group.also) detail += "; " + also;
    page.detail({detail, Meaning::kDim});
  }
}

// Only the plugins by which the nodes differ; the total has all of them.
void add_scores(const Explanation& explanation, text::Page& page) {
  const std::vector<NodeScore>& rows = explanation.scores;
  if (rows.size() < 2) return;
  std::vector<std::size_t> telling;
  for (std::size_t p = 0; p < rows[0].plugins.size(); ++p) {
    const std::int64_t first = rows[0].plugins[p].score;
    if (std::ranges::any_of(rows, [&](const NodeScore& row) { return row.plugins[p].score != first; })) {
      telling.push_back(p);
    }
  }
  page.section(telling.size() < rows[0].plugins.size()
                   ? "Scores of the best (plugins that score them the same are left out)"
                   : "Scores of the best");
  text::Table table;
  table.add_column("NODE");
  table.add_column("TOTAL", text::Align::kRight);
  for (const std::size_t p : telling) table.add_column(rows[0].plugins[p].plugin.str(), text::Align::kRight);
  for (const NodeScore& row : rows) {
    std::vector<text::Line> cells = {{row.node, Meaning::kName}, std::to_string(row.total)};
    for (const std::size_t p : telling) cells.emplace_back(std::to_string(row.plugins[p].score));
    table.add_row(std::move(cells));
  }
  page.table(std::move(table));
  const auto more = explanation.feasible_nodes - std::ssize(rows);
  if (more > 0) page.item({"... and " + counted(more, "more node"), Meaning::kDim});
}

void add_running_state(const RunningState& state, text::Page& page) {
  if (!state.message.empty()) {
    page.gap();
    page.paragraph(
        text::Line("In the words of " + (state.reported_by.empty() ? "its status" : state.reported_by) + ": ",
                   Meaning::kDim)
            .add(state.message));
  }
  if (!state.command.empty()) {
    page.gap();
    page.paragraph(text::Line("To see more: ", Meaning::kDim).add(state.command));
  }
}

}  // namespace

text::Page page_of(const Explanation& explanation, const RenderOptions& options) {
  text::Page page;
  page.headline(headline(explanation));
  for (const std::string& note : explanation.notes) page.note(note);
  if (explanation.running) add_running_state(*explanation.running, page);
  if (explanation.feasible_nodes > 0) add_scores(explanation, page);
  add_groups(explanation, options, page);
  if (!explanation.help.empty()) page.section("What would help (each was tried out)");
  for (const Help& help : explanation.help) {
    page.bullet(help.sentence);
    if (!help.command.empty()) page.command(help.command);
  }
  if (!explanation.no_help.empty()) {
    page.gap();
    page.paragraph(explanation.no_help);
  }
  if (!explanation.autoscaling.empty()) page.section("Autoscaling");
  for (const Autoscaling& group : explanation.autoscaling) page.bullet(group.sentence);
  if (explanation.preemption) {
    page.gap();
    page.paragraph(explanation.preemption->sentence);
  }
  if (!explanation.wake_ups.empty()) page.section("The scheduler looks at it again when");
  for (const WakeUp& wake_up : explanation.wake_ups) {
    page.pair({wake_up.plugin.text(), Meaning::kDim}, wake_up.sentence);
  }
  if (!explanation.message.empty()) {
    page.gap();
    page.paragraph(text::Line("In kube-scheduler's words: ", Meaning::kDim).add(explanation.message));
  }
  return page;
}

std::string render(const Explanation& explanation, const RenderOptions& options) {
  return page_of(explanation, options).render(options.style);
}

}  // namespace berth::explain
