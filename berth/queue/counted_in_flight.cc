#include "berth/queue/counted_in_flight.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/base/check.h"

namespace berth::queue {

bool CountedInFlight::begin(const api::PodPtr& pod) {
  const std::uint64_t before = events_.empty() ? 0 : events_.back().event.sequence;
  pods_[pod->metadata.uid] = Pod{.pod = pod, .last_event_before = before, .popped = next_sequence_++};
  return true;
}

std::deque<CountedInFlight::CountedEvent>::const_iterator CountedInFlight::find_event(std::uint64_t sequence) const {
  return std::ranges::find(events_, sequence, [](const CountedEvent& event) { return event.event.sequence; });
}

bool CountedInFlight::end(std::string_view uid) {
  const auto found = pods_.find(std::string(uid));
  if (found == pods_.end()) return false;
  const std::uint64_t before = found->second.last_event_before;
  pods_.erase(found);
  // From the place that the pod remembers; from the very beginning if that is forgotten.
  const auto place = find_event(before);
  const auto first = events_.begin() + (place == events_.end() ? 0 : place - events_.begin() + 1);
  for (auto event = first; event != events_.end(); ++event) --event->flights;
  std::erase_if(events_, [](const CountedEvent& event) { return event.flights == 0; });
  return true;
}

void CountedInFlight::clear() {
  pods_.clear();
  events_.clear();
}

api::PodPtr CountedInFlight::find(std::string_view uid) const {
  const auto found = pods_.find(std::string(uid));
  return found == pods_.end() ? nullptr : found->second.pod;
}

void CountedInFlight::record(const HintTable::Match& match, EventObjects objects) {
  BERTH_CHECK(!pods_.empty(), "event {} with nothing in flight", match.label.text());
  events_.push_back({.event = {.sequence = next_sequence_++, .match = &match, .objects = std::move(objects)},
                     .flights = pods_.size()});
}

bool CountedInFlight::has_lost_its_place(std::string_view uid) const {
  const auto found = pods_.find(std::string(uid));
  if (found == pods_.end() || found->second.last_event_before == 0) return false;
  return find_event(found->second.last_event_before) == events_.end();
}

void CountedInFlight::for_each_event_since(std::string_view uid, FunctionRef<bool(const Event&)> fn) const {
  const auto found = pods_.find(std::string(uid));
  if (found == pods_.end() || has_lost_its_place(uid)) return;
  const std::uint64_t before = found->second.last_event_before;
  for (const CountedEvent& event : events_) {
    if (event.event.sequence > before && !fn(event.event)) return;
  }
}

std::vector<api::PodPtr> CountedInFlight::pods() const {
  std::vector<const Pod*> in_order;
  for (const auto& [uid, pod] : pods_) in_order.push_back(&pod);
  std::ranges::sort(in_order, {}, &Pod::popped);
  std::vector<api::PodPtr> pods;
  for (const Pod* pod : in_order) pods.push_back(pod->pod);
  return pods;
}

std::vector<std::string> CountedInFlight::log() const {
  std::vector<std::string> lines;
  for (const CountedEvent& event : events_) {
    lines.push_back(fmt::format("event:{}*{}", event.event.match->label.text(), event.flights));
  }
  return lines;
}

}  // namespace berth::queue
