#include "berth/queue/blocking_queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace berth::queue {

namespace {

constexpr Duration kBackoffFlushPeriod = Duration::seconds(1);
constexpr Duration kLeftoverFlushPeriod = Duration::seconds(30);

}  // namespace

Instant BlockingQueue::wall_clock() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return Instant::from_unix_nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count());
}

void BlockingQueue::Return::operator()(QueuedPod* pod) const {
  const std::lock_guard lock(queue->mutex_);
  ReturnToQueue{&queue->queue_}(pod);
}

BlockingQueue::BlockingQueue(QueueOptions options, Clock clock)
    : clock_(std::move(clock)), queue_(std::move(options)), timer_([this] { run_timer(); }) {}

BlockingQueue::~BlockingQueue() {
  close();
  timer_.join();
}

Result<void> BlockingQueue::add(api::PodPtr pod) {
  return with_queue([&](SchedulingQueue& queue, Instant now) { return queue.add(std::move(pod), now); });
}

Result<void> BlockingQueue::update(const api::PodPtr& old_pod, api::PodPtr new_pod) {
  return with_queue(
      [&](SchedulingQueue& queue, Instant now) { return queue.update(old_pod, std::move(new_pod), now); });
}

Result<void> BlockingQueue::remove(const api::Pod& pod) {
  return with_queue([&](SchedulingQueue& queue, Instant) { return queue.remove(pod); });
}

BlockingQueue::Popped BlockingQueue::pop_locked() {
  return Popped(queue_.pop(clock_()).release(), Return{this});
}

BlockingQueue::Popped BlockingQueue::pop() {
  std::unique_lock lock(mutex_);
  while (true) {
    // A null Popped must not call Return, which would lock again: unique_ptr does not call its deleter on null.
    if (Popped popped = pop_locked(); popped != nullptr || queue_.is_closed()) return popped;
    ++waiting_;
    pod_ready_.wait(lock);
    --waiting_;
  }
}

BlockingQueue::Popped BlockingQueue::try_pop() {
  const std::lock_guard lock(mutex_);
  return pop_locked();
}

Result<void> BlockingQueue::done(std::string_view uid) {
  return with_queue([&](SchedulingQueue& queue, Instant) { return queue.done(uid); });
}

Result<void> BlockingQueue::add_unschedulable_if_not_present(Popped popped) {
  return with_queue([&](SchedulingQueue& queue, Instant now) {
    return queue.add_unschedulable_if_not_present(PoppedPod(popped.release(), ReturnToQueue{&queue}),
                                                  queue.scheduling_cycle(), now);
  });
}

Result<void> BlockingQueue::activate(std::span<const api::PodPtr> pods) {
  return with_queue([&](SchedulingQueue& queue, Instant now) { return queue.activate(pods, now); });
}

Result<void> BlockingQueue::move_all(const ClusterEvent& event, EventObjects objects,
                                     std::optional<PreCheck> pre_check) {
  return with_queue(
      [&](SchedulingQueue& queue, Instant now) { return queue.move_all(event, std::move(objects), now, pre_check); });
}

void BlockingQueue::flush() {
  with_queue([](SchedulingQueue& queue, Instant now) {
    if (queue.is_closed()) return;
    (void)queue.flush_backoff_completed(now);       // fails only on a closed queue
    (void)queue.flush_unschedulable_leftover(now);  // likewise
  });
}

void BlockingQueue::close() {
  // Notifies under the lock: a thread that finds the queue closed may go on to destroy it, conditions and all.
  const std::lock_guard lock(mutex_);
  if (queue_.is_closed()) return;
  (void)queue_.close();  // fails only on a closed queue
  pod_ready_.notify_all();
  timer_stop_.notify_all();
}

void BlockingQueue::wake_one_per_pod() {
  const std::size_t ready = queue_.count(Place::kActive) + queue_.count(Place::kBackoff);
  for (std::size_t i = 0; i < std::min(ready, waiting_); ++i) pod_ready_.notify_one();
}

void BlockingQueue::run_timer() {
  std::unique_lock lock(mutex_);
  Instant leftover_due = clock_();
  while (!queue_.is_closed()) {
    const Instant now = clock_();
    (void)queue_.flush_backoff_completed(now);
    // A clock that was set back must not put the timeout off.
    if (now >= leftover_due || now + kLeftoverFlushPeriod < leftover_due) {
      (void)queue_.flush_unschedulable_leftover(now);
      leftover_due = now + kLeftoverFlushPeriod;
    }
    wake_one_per_pod();
    const Duration until_next = now.floor_to_second() + kBackoffFlushPeriod - now;
    timer_stop_.wait_for(lock, std::chrono::nanoseconds(until_next.nanoseconds()));
  }
}

}  // namespace berth::queue
