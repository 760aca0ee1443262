#include "berth/report/wake_counts.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace berth::report {

namespace {

// Follows one pod: parked, woken by a label, tried.
struct Following {
  bool is_parked = false;
  Symbol woken_by;
};

bool is_try(sim::HistoryEvent::Kind kind) {
  using Kind = sim::HistoryEvent::Kind;
  return kind == Kind::kPlaced || kind == Kind::kRejected || kind == Kind::kErred;
}

std::map<std::string, WakeUps> by_label(const sim::History& history) {
  std::map<std::string, WakeUps> result;
  for (const auto& [label, pods] : history.counts().wake_ups_by_label) {
    result[label] = {.label = label, .pods = static_cast<std::int64_t>(pods)};
  }
  std::vector<Following> pods(history.pod_timelines().size());
  for (const sim::HistoryEvent& history_event : history.history_events()) {
    // The queue is gone with its scheduler.
    if (history_event.kind == sim::HistoryEvent::Kind::kSchedulerDown) std::ranges::fill(pods, Following{});
    if (history_event.pod >= pods.size()) continue;
    Following& pod = pods[history_event.pod];
    if (history_event.kind == sim::HistoryEvent::Kind::kMoved) {
      const bool is_parked = history_event.text == "unschedulable";
      const bool is_tried = history_event.text == "active" || history_event.text == "backoff";
      // Timeouts and other labels that are no events are not among those counted.
      const bool is_woken = pod.is_parked && is_tried && result.contains(history_event.label.str());
      if (is_woken) pod.woken_by = history_event.label;
      pod.is_parked = is_parked;
    } else if (is_try(history_event.kind) && !pod.woken_by.empty()) {
      WakeUps& row = result[pod.woken_by.str()];
      ++(history_event.kind == sim::HistoryEvent::Kind::kPlaced ? row.useful : row.wasted);
      pod.woken_by = Symbol();
    }
  }
  return result;
}

}  // namespace

std::optional<WakeUpCounts> wake_counts_of(const sim::History& history) {
  const sim::Counts& counts = history.counts();
  if (counts.attempts == 0) return std::nullopt;
  WakeUpCounts result;
  result.pods = static_cast<std::int64_t>(counts.wake_ups);
  result.wasted = static_cast<std::int64_t>(counts.wasted_wake_ups);
  result.flushed = static_cast<std::int64_t>(counts.flushed);
  result.lost = static_cast<std::int64_t>(counts.lost_wake_ups);
  if (counts.bound > 0) {
    result.tries_per_placement = static_cast<double>(counts.attempts) / static_cast<double>(counts.bound);
  }
  for (auto& [label, row] : by_label(history)) result.by_label.push_back(std::move(row));
  std::ranges::sort(result.by_label, [](const WakeUps& a, const WakeUps& b) {
    return std::tuple(-a.pods, a.label) < std::tuple(-b.pods, b.label);
  });
  return result;
}

}  // namespace berth::report
