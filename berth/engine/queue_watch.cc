#include "berth/engine/queue_watch.h"

namespace berth::engine {
namespace {

// Labels of moves that no event caused.
bool is_event(Symbol label) {
  static const Symbol kNone[] = {Symbol("ScheduleAttemptFailure"), Symbol("BackoffComplete"),
                                 Symbol("PopFromBackoffQ")};
  for (const Symbol none : kNone) {
    if (label == none) return false;
  }
  return true;
}

}  // namespace

void QueueWatch::count_incoming(queue::QueueName queue, Symbol label, const queue::QueuedPod& pod) {
  if (metrics_ != nullptr) metrics_->count_incoming(queue, label, pod);
  if (observer_ != nullptr) {
    const bool is_gated = queue == queue::QueueName::kUnschedulable && pod.is_gated();
    observer_->pod_moved(pod, is_gated ? queue::QueueName::kGated : queue, label, now_);
  }
  // Most pods are tried once, as they come: nothing is noted about those.
  if (queue == queue::QueueName::kUnschedulable) return;
  static const Symbol kPodAdd("UnschedulablePodAdd");
  static const Symbol kAttemptFailure("ScheduleAttemptFailure");
  if (label == kAttemptFailure) {
    forget(pod.uid());  // the next try is not due to what led to the last one
  } else if (label != kPodAdd && is_event(label)) {
    woken_by_[pod.uid()] = label;
  }
}

void QueueWatch::add_pending(queue::QueueName queue, int delta) {
  if (metrics_ != nullptr) metrics_->add_pending(queue, delta);
}
void QueueWatch::add_unschedulable(Symbol plugin, Symbol profile, int delta) {
  if (metrics_ != nullptr) metrics_->add_unschedulable(plugin, profile, delta);
}
void QueueWatch::add_in_flight_events(Symbol label, std::int64_t delta) {
  if (metrics_ != nullptr) metrics_->add_in_flight_events(label, delta);
}
void QueueWatch::hint_begins() {
  if (metrics_ != nullptr) metrics_->hint_begins();
}
void QueueWatch::hint_ends(Symbol plugin, Symbol label, queue::HintAnswer answer) {
  if (metrics_ != nullptr) metrics_->hint_ends(plugin, label, answer);
}
void QueueWatch::gating_begins() {
  if (metrics_ != nullptr) metrics_->gating_begins();
}
void QueueWatch::gating_ends(Symbol profile, bool admitted) {
  if (metrics_ != nullptr) metrics_->gating_ends(profile, admitted);
}
void QueueWatch::pre_enqueue_begins() {
  if (metrics_ != nullptr) metrics_->pre_enqueue_begins();
}
void QueueWatch::pre_enqueue_ends(Symbol plugin, Symbol profile, bool admitted) {
  if (metrics_ != nullptr) metrics_->pre_enqueue_ends(plugin, profile, admitted);
}

Symbol QueueWatch::woken_by(std::string_view uid) const {
  const auto it = woken_by_.find(uid);
  return it == woken_by_.end() ? Symbol() : it->second;
}

void QueueWatch::forget(std::string_view uid) {
  const auto it = woken_by_.find(uid);
  if (it != woken_by_.end()) woken_by_.erase(it);
}

}  // namespace berth::engine
