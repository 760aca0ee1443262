// The scheduling queue for programs with threads: a mutex, a condition variable and a timer thread over the same
// SchedulingQueue. pop() waits until there is a pod to try; the timer runs the flushes, backoff every second on whole
// seconds and the leftover timeout every 30 seconds.
//
// Thread safe: any number of threads may call anything at any time. Hint functions, PreEnqueue checks and pre-checks
// run under the queue's lock and must not call back into it. Berth's own engine does not use this class.
//
// This is a small world of its own: it reads the wall clock and waits. Tests hand in another clock.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>

#include "berth/queue/scheduling_queue.h"

namespace berth::queue {

class BlockingQueue {
 public:
  using Clock = std::function<Instant()>;
  static Instant wall_clock();

  // What a thread has popped. May be changed by whoever holds it (newest version of the pod, rejectors) before it is
  // given back, and destroyed by any thread, but not inside with_queue(): that takes the lock. Must not outlive the
  // queue.
  struct Return {
    BlockingQueue* queue = nullptr;
    void operator()(QueuedPod* pod) const;
  };
  using Popped = std::unique_ptr<QueuedPod, Return>;

  // Starts the timer thread.
  explicit BlockingQueue(QueueOptions options, Clock clock = wall_clock);
  // Closes the queue. Requires: no other thread is in a call any more, and every popped pod is given back or destroyed.
  ~BlockingQueue();

  Result<void> add(api::PodPtr pod);
  Result<void> update(const api::PodPtr& old_pod, api::PodPtr new_pod);
  Result<void> remove(const api::Pod& pod);

  // Waits for a pod to try. Null once the queue is closed and nothing is left to try.
  Popped pop();
  // Does not wait: null if there is nothing to try now.
  Popped try_pop();
  Result<void> done(std::string_view uid);
  // Requires: not null.
  Result<void> add_unschedulable_if_not_present(Popped popped);

  Result<void> activate(std::span<const api::PodPtr> pods);
  Result<void> move_all(const ClusterEvent& event, EventObjects objects,
                        std::optional<PreCheck> pre_check = std::nullopt);

  // Runs both flushes at once, as the timer does.
  void flush();

  // Wakes all that wait in pop(). What is active can still be popped; nothing more is accepted.
  void close();

  // Everything else that a SchedulingQueue offers: calls fn(SchedulingQueue&, Instant now) under the lock.
  template <typename Fn>
  auto with_queue(Fn&& fn) {
    const std::lock_guard lock(mutex_);
    struct WakeAtEnd {
      BlockingQueue& queue;
      ~WakeAtEnd() { queue.wake_one_per_pod(); }
    } wake{*this};
    return fn(queue_, clock_());
  }

 private:
  Popped pop_locked();
  // One waiting thread per pod that can be popped, so that none sleeps while there is work. Requires: locked.
  void wake_one_per_pod();
  void run_timer();

  Clock clock_;
  std::mutex mutex_;
  std::condition_variable pod_ready_;
  std::condition_variable timer_stop_;
  SchedulingQueue queue_;
  std::size_t waiting_ = 0;  // threads in pop()
  std::thread timer_;        // last: it uses all of the above
};

}  // namespace berth::queue
