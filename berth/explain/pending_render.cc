#include "berth/explain/pending_render.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/explain/words.h"

namespace berth::explain {

namespace {

using text::Meaning;

// Pods that will get a node by themselves are no cause for alarm.
Meaning meaning_of(const PendingCause& cause) {
  return cause.answer == answer::kUnschedulable || cause.answer == answer::kNoScheduler ||
                 cause.answer == answer::kError
             ? Meaning::kBad
             : Meaning::kWarning;
}

// The rows behind those that are shown.
text::Line rest(const PendingCause& cause, std::size_t shown) {
  std::int64_t pods = 0;
  for (std::size_t i = shown; i < cause.rows.size(); ++i) pods += cause.rows[i].count;
  return {fmt::format("... and {} of {} (--all names them)", counted(pods, "more pod"),
                      counted(cause.rows.size() - shown, "other workload")),
          Meaning::kDim};
}

}  // namespace

text::Page page_of(const PendingReport& report, const PendingRenderOptions& options) {
  text::Page page;
  page.headline(report.sentence);
  for (const std::string& note : report.notes) page.note(note);
  for (const PendingCause& cause : report.causes) {
    page.section(text::Line(counted(cause.count, "pod"), meaning_of(cause)).add(": " + cause.cause));
    // One row more takes no more room than the line that counts it.
    const bool are_all = options.all || cause.rows.size() <= kShownRows + 1;
    const std::size_t shown = are_all ? cause.rows.size() : kShownRows;
    for (std::size_t i = 0; i < shown; ++i) {
      const PendingRow& row = cause.rows[i];
      page.bullet(row.sentence);
      if (!row.fix.empty()) page.detail(text::Line("Fix: ", Meaning::kGood).add(row.fix));
      if (!row.command.empty()) page.command(row.command);
      if (!row.no_help.empty()) page.detail(row.no_help);
    }
    if (!are_all) page.bullet(rest(cause, shown));
  }
  return page;
}

std::string render(const PendingReport& report, const PendingRenderOptions& options) {
  return page_of(report, options).render(options.style);
}

}  // namespace berth::explain
