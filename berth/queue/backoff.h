// How long a pod waits after a failure, and the two heaps in which pods wait it out.
//
// Backoff doubles with every failure up to a maximum. Rejections and errors are counted apart: after an error the count
// of consecutive errors decides, after a rejection the count of all rejections. Older releases count the pod's attempts
// instead, or failures by its name: see rules.h.
//
// With windows (SchedulerPopFromBackoffQ) ends of backoff are rounded down to whole seconds, so that pods whose backoff
// ends within one second are ordered by priority; such a pod leaves at the end of its window.
//
// Not thread safe. Invariant: a pod is in at most one of the two heaps, and never in another part of the queue.
#pragma once

#include <cstdint>

#include "berth/base/intrusive_heap.h"
#include "berth/base/time.h"
#include "berth/queue/backoff_records.h"
#include "berth/queue/queue_sort.h"
#include "berth/queue/queued_pod.h"
#include "berth/queue/rules.h"

namespace berth::queue {

struct BackoffPolicy {
  Duration initial = Duration::seconds(1);
  Duration maximum = Duration::seconds(10);  // 0: no backoff at all
  bool windows = true;
  const BackoffRules* rules = &rules_for(Release::kV1_36).backoff;
  BackoffRecords* records = nullptr;  // what v1.17 keeps

  // After the n-th failure: initial, 2 x initial, 4 x initial, ... up to the maximum. 0 for n = 0.
  Duration after(std::int32_t failures) const;

  // Unset if the pod does not back off. Also kept in the pod, as its rank in the heap.
  Instant ends_at(QueuedPod& pod) const;

  bool is_backing_off(QueuedPod& pod, Instant now) const;

  // The pod's attempt failed at `now`, which its timestamp and counts say already.
  void on_failure(QueuedPod& pod, Instant now) const;
  // The pod is gone, or has changed so that its past does not count: what is kept apart from it is dropped.
  void forget(const api::Pod& pod) const;

  // How long after the end of its backoff a pod can leave.
  Duration leaves_after_end() const;

  // The begin of the window that `t` is in.
  Instant align(Instant t) const { return windows ? t.floor_to_second() : t; }
};

class BackoffQueue {
 public:
  BackoffQueue(BackoffPolicy policy, const ActiveOrder& order);

  const BackoffPolicy& policy() const { return policy_; }

  // Pods without rejectors failed with an error and go to the heap that is never popped early: retrying into a failing
  // API server makes the failure worse. Sets the pod's place. Requires: the pod is in no place.
  void push(QueuedPod& pod);
  // Requires: the pod is here. Leaves it in no place.
  void erase(QueuedPod& pod);
  // To be called when the pod's object has changed.
  void update(QueuedPod& pod);

  std::size_t size() const { return rejected_.size() + errored_.size(); }
  std::size_t rejected_count() const { return rejected_.size(); }
  bool has_rejected() const { return !rejected_.empty(); }
  // The pod that would leave first among those that were rejected. Requires: has_rejected(). Leaves it in no place.
  QueuedPod& pop_rejected();

  // Takes out the next pod whose backoff has ended; null if there is none. Rejected ones before errored ones.
  QueuedPod* pop_completed(Instant now);

  // When the next pod leaves by itself; unset if none is here.
  Instant next_completion() const;

  template <typename Fn>
  void for_each(Fn&& fn) const {
    rejected_.for_each(fn);
    errored_.for_each(fn);
  }

 private:
  class Order {
   public:
    struct Rank {
      Instant ends_at;
      ActiveOrder::Rank within_window;
      friend bool operator<(const Rank& a, const Rank& b) {
        return a.ends_at != b.ends_at ? a.ends_at < b.ends_at : a.within_window < b.within_window;
      }
    };

    // `within_window` orders pods whose backoff ends in one window; null leaves them as they come.
    explicit Order(const ActiveOrder* within_window) : within_window_(within_window) {}
    Rank rank(const QueuedPod& pod) const {
      return {pod.backoff_ends_at, within_window_ != nullptr ? within_window_->rank(pod) : ActiveOrder::Rank{}};
    }
    bool operator()(const QueuedPod& a, const QueuedPod& b) const {
      return within_window_ != nullptr && (*within_window_)(a, b);
    }

   private:
    const ActiveOrder* within_window_;
  };
  using Heap = IntrusiveHeap<QueuedPod, Order, &QueuedPod::heap_position>;

  Heap& heap_of(const QueuedPod& pod) { return pod.place == Place::kBackoff ? rejected_ : errored_; }

  BackoffPolicy policy_;
  Heap rejected_;
  Heap errored_;
};

}  // namespace berth::queue
