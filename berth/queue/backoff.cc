#include "berth/queue/backoff.h"

#include <algorithm>

namespace berth::queue {

Duration BackoffPolicy::after(std::int32_t failures) const {
  if (failures <= 0) return {};
  const int shift = failures - 1;
  if (shift >= 63 || initial.nanoseconds() > (maximum.nanoseconds() >> shift)) return maximum;
  return Duration::nanoseconds(initial.nanoseconds() << shift);
}

Instant BackoffPolicy::ends_at(QueuedPod& pod) const {
  if (maximum == Duration()) return {};
  switch (rules->backoff) {
    case BackoffRule::kFromFailureCounts: {
      // Computed once per failure.
      const std::int32_t failures = pod.consecutive_errors > 0 ? pod.consecutive_errors : pod.unschedulable_count;
      if (failures == 0) return {};
      if (!pod.backoff_ends_at.is_set()) pod.backoff_ends_at = align(pod.timestamp + after(failures));
      break;
    }
    case BackoffRule::kFromAttempts: pod.backoff_ends_at = pod.timestamp + after(std::max(pod.attempts, 1)); break;
    case BackoffRule::kRecordByName: {
      const BackoffRecords::Record* record = records->find(*pod.pod);
      pod.backoff_ends_at = record != nullptr ? record->last_update + after(record->failures) : Instant();
      break;
    }
  }
  return pod.backoff_ends_at;
}

bool BackoffPolicy::is_backing_off(QueuedPod& pod, Instant now) const {
  if (pod.is_gated() && !rules->gated_pods_back_off) return false;
  const Instant end = ends_at(pod);
  if (!end.is_set()) return false;
  return rules->backs_off_through_its_end ? end >= align(now) : end > now;
}

void BackoffPolicy::on_failure(QueuedPod& pod, Instant now) const {
  pod.backoff_ends_at = Instant();
  if (rules->backoff != BackoffRule::kRecordByName) return;
  records->drop_older_than(now - (maximum + maximum));
  const Instant end = ends_at(pod);
  if (!end.is_set() || end < now) records->add_failure(*pod.pod, now);
}

void BackoffPolicy::forget(const api::Pod& pod) const {
  if (rules->backoff == BackoffRule::kRecordByName) records->drop(pod);
}

Duration BackoffPolicy::leaves_after_end() const {
  if (!rules->backs_off_through_its_end) return {};
  return windows ? Duration::seconds(1) : Duration::nanoseconds(1);
}

BackoffQueue::BackoffQueue(BackoffPolicy policy, const ActiveOrder& order)
    : policy_(policy), rejected_(Order(policy.windows ? &order : nullptr)), errored_(Order(nullptr)) {}

void BackoffQueue::push(QueuedPod& pod) {
  policy_.ends_at(pod);
  const bool is_apart = policy_.rules->errors_back_off_apart && pod.rejectors().empty();
  pod.place = is_apart ? Place::kErrorBackoff : Place::kBackoff;
  heap_of(pod).push(pod);
}

void BackoffQueue::erase(QueuedPod& pod) {
  heap_of(pod).erase(pod);
  pod.place = Place::kNone;
}

void BackoffQueue::update(QueuedPod& pod) {
  heap_of(pod).update(pod);
}

QueuedPod& BackoffQueue::pop_rejected() {
  QueuedPod& pod = rejected_.pop();
  pod.place = Place::kNone;
  return pod;
}

QueuedPod* BackoffQueue::pop_completed(Instant now) {
  for (Heap* heap : {&rejected_, &errored_}) {
    if (heap->empty() || policy_.is_backing_off(heap->top(), now)) continue;
    QueuedPod& pod = heap->pop();
    pod.place = Place::kNone;
    return &pod;
  }
  return nullptr;
}

Instant BackoffQueue::next_completion() const {
  Instant next;
  for (const Heap* heap : {&rejected_, &errored_}) {
    if (heap->empty()) continue;
    const Instant end = heap->top().backoff_ends_at;
    if (!next.is_set() || end < next) next = end;
  }
  return next;
}

}  // namespace berth::queue
