#include "berth/explain/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "berth/explain/words.h"

namespace berth::explain {

namespace {

std::string groups(const Explanation& explanation, const RenderOptions& options) {
  if (explanation.groups.empty()) return "";
  const std::size_t shown = options.all_nodes ? std::numeric_limits<std::size_t>::max() - 1 : kShownNodes;
  std::string text =
      explanation.feasible_nodes > 0 ? "\nNodes that cannot take it\n" : "\nWhat keeps it off the nodes\n";
  for (const NodeGroup& group : explanation.groups) {
    text += fmt::format("  {}\n      {}", group.sentence, listed(group.nodes, shown));
    for (const std::string& also : group.also) text += "; " + also;
    text += "\n";
  }
  return text;
}

// Only the plugins by which the nodes differ; the total has all of them.
std::string scores(const Explanation& explanation) {
  const std::vector<NodeScore>& rows = explanation.scores;
  if (rows.size() < 2) return "";
  std::vector<std::size_t> telling;
  for (std::size_t p = 0; p < rows[0].plugins.size(); ++p) {
    const std::int64_t first = rows[0].plugins[p].score;
    if (std::ranges::any_of(rows, [&](const NodeScore& row) { return row.plugins[p].score != first; })) {
      telling.push_back(p);
    }
  }
  std::vector<std::vector<std::string>> table = {{"NODE", "TOTAL"}};
  for (const std::size_t p : telling) table[0].push_back(rows[0].plugins[p].plugin.str());
  for (const NodeScore& row : rows) {
    std::vector<std::string> cells = {row.node, std::to_string(row.total)};
    for (const std::size_t p : telling) cells.push_back(std::to_string(row.plugins[p].score));
    table.push_back(std::move(cells));
  }
  std::vector<std::size_t> widths(table[0].size());
  for (const auto& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text =
      fmt::format("\nScores of the best{}\n",
                  telling.size() < rows[0].plugins.size() ? " (plugins that score them the same are left out)" : "");
  for (const auto& cells : table) {
    std::string line = " ";
    for (std::size_t i = 0; i < cells.size(); ++i) line += fmt::format(" {:<{}} ", cells[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  const auto more = explanation.feasible_nodes - std::ssize(rows);
  if (more > 0) text += fmt::format("  ... and {}\n", counted(static_cast<std::size_t>(more), "more node"));
  return text;
}

}  // namespace

std::string render(const Explanation& explanation, const RenderOptions& options) {
  std::string text = explanation.sentence + "\n";
  for (const std::string& note : explanation.notes) text += fmt::format("Note: {}\n", note);
  if (explanation.feasible_nodes > 0) text += scores(explanation);
  text += groups(explanation, options);
  if (!explanation.help.empty()) {
    text += "\nWhat would help (each was tried out)\n";
    for (const Help& help : explanation.help) text += fmt::format("  - {}\n", help.sentence);
  }
  if (explanation.preemption) text += fmt::format("\n{}\n", explanation.preemption->sentence);
  if (!explanation.wake_ups.empty()) {
    text += "\nThe scheduler looks at it again when\n";
    std::size_t width = 0;
    for (const WakeUp& wake_up : explanation.wake_ups) width = std::max(width, wake_up.plugin.text().size());
    for (const WakeUp& wake_up : explanation.wake_ups) {
      text += fmt::format("  {:<{}}  {}\n", wake_up.plugin.text(), width, wake_up.sentence);
    }
  }
  if (!explanation.message.empty()) text += fmt::format("\nIn kube-scheduler's words: {}\n", explanation.message);
  return text;
}

}  // namespace berth::explain
