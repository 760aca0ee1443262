#include "berth/queue/backoff.h"

namespace berth::queue {

Duration BackoffPolicy::after(std::int32_t failures) const {
  if (failures <= 0) return {};
  const int shift = failures - 1;
  if (shift >= 63 || initial.nanoseconds() > (maximum.nanoseconds() >> shift)) return maximum;
  return Duration::nanoseconds(initial.nanoseconds() << shift);
}

Instant BackoffPolicy::ends_at(QueuedPod& pod) const {
  return maximum == Duration() ? Instant() : rules->ends_at(*this, pod);
}

bool BackoffPolicy::is_backing_off(QueuedPod& pod, Instant now) const {
  const Instant end = ends_at(pod);
  return end.is_set() && rules->is_backing_off(*this, pod, end, now);
}

void BackoffPolicy::on_failure(QueuedPod& pod, Instant now) const {
  pod.backoff_ends_at = Instant();
  rules->on_failure(*this, pod, now);
}

void BackoffPolicy::forget(const api::Pod& pod) const {
  rules->forget(*this, pod);
}

Duration BackoffPolicy::leaves_after_end() const {
  return rules->leaves_after_end(*this);
}

BackoffQueue::BackoffQueue(BackoffPolicy policy, const ActiveOrder& order)
    : policy_(policy), rejected_(Order(policy.windows ? &order : nullptr)), errored_(Order(nullptr)) {}

void BackoffQueue::push(QueuedPod& pod) {
  policy_.ends_at(pod);
  pod.place = policy_.rules->place(pod);
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
