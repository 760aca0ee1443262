#include "berth/queue/ordered_in_flight.h"

#include <algorithm>

#include "berth/base/check.h"
#include "berth/queue/metrics.h"

namespace berth::queue {

namespace {

Symbol pod_popped_label() {
  static const Symbol label("PodPopped");
  return label;
}

}  // namespace

OrderedInFlight::OrderedInFlight(std::size_t max_events, QueueMetrics& metrics)
    : max_events_(max_events), metrics_(metrics) {}

OrderedInFlight::~OrderedInFlight() {
  for (Pod* pod = oldest_; pod != nullptr;) {
    Pod* after = pod->after;
    pool_.destroy(pod);
    pod = after;
  }
}

bool OrderedInFlight::begin(const api::PodPtr& pod) {
  const auto [at, is_new] = pods_.try_emplace(pod->metadata.uid, nullptr);
  if (!is_new) return false;
  Pod* entry = pool_.make(Pod{.pod = pod, .sequence = next_sequence_++, .before = newest_, .after = nullptr});
  at->second = entry;
  (newest_ != nullptr ? newest_->after : oldest_) = entry;
  newest_ = entry;
  metrics_.add_in_flight_events(pod_popped_label(), 1);
  return true;
}

bool OrderedInFlight::end(std::string_view uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return false;
  Pod* pod = found->second;
  pods_.erase(found);
  (pod->before != nullptr ? pod->before->after : oldest_) = pod->after;
  (pod->after != nullptr ? pod->after->before : newest_) = pod->before;
  pool_.destroy(pod);
  metrics_.add_in_flight_events(pod_popped_label(), -1);
  drop_events_nobody_needs();
  return true;
}

void OrderedInFlight::clear() {
  while (oldest_ != nullptr) {
    const api::PodPtr pod = oldest_->pod;
    end(pod->metadata.uid);
  }
}

api::PodPtr OrderedInFlight::find(std::string_view uid) const {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : found->second->pod;
}

void OrderedInFlight::record(const HintTable::Match& match, EventObjects objects) {
  BERTH_CHECK(!pods_.empty(), "event {} with nothing in flight", match.label.text());
  if (events_.size() >= max_events_) drop_oldest_event();
  events_.push_back(Event{.sequence = next_sequence_++, .match = &match, .objects = std::move(objects)});
  metrics_.add_in_flight_events(match.label, 1);
}

bool OrderedInFlight::missed_events(std::string_view uid) const {
  if (dropped_through_ == 0) return false;
  const auto found = pods_.find(uid);
  return found != pods_.end() && found->second->sequence < dropped_through_;
}

void OrderedInFlight::for_each_event_since(std::string_view uid, FunctionRef<bool(const Event&)> fn) const {
  if (events_.empty()) return;
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  auto event = std::ranges::upper_bound(events_, found->second->sequence, {}, &Event::sequence);
  while (event != events_.end() && fn(*event)) ++event;
}

void OrderedInFlight::drop_events_nobody_needs() {
  const std::uint64_t needed_from = oldest_ != nullptr ? oldest_->sequence : next_sequence_;
  while (!events_.empty() && events_.front().sequence < needed_from) {
    metrics_.add_in_flight_events(events_.front().match->label, -1);
    events_.pop_front();
  }
}

void OrderedInFlight::drop_oldest_event() {
  if (events_.empty()) return;
  dropped_through_ = events_.front().sequence;
  metrics_.add_in_flight_events(events_.front().match->label, -1);
  events_.pop_front();
}

std::vector<api::PodPtr> OrderedInFlight::pods() const {
  std::vector<api::PodPtr> pods;
  for (const Pod* pod = oldest_; pod != nullptr; pod = pod->after) pods.push_back(pod->pod);
  return pods;
}

std::vector<std::string> OrderedInFlight::log() const {
  std::vector<std::string> lines;
  const Pod* pod = oldest_;
  auto event = events_.begin();
  while (pod != nullptr || event != events_.end()) {
    if (event == events_.end() || (pod != nullptr && pod->sequence < event->sequence)) {
      lines.push_back("pod:" + api::full_name(pod->pod->metadata) + "#" + pod->pod->metadata.uid);
      pod = pod->after;
    } else {
      lines.push_back("event:" + event->match->label.str());
      ++event;
    }
  }
  return lines;
}

}  // namespace berth::queue
