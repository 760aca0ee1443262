// The order of the active queue. There is exactly one per queue: pods of all profiles stand in one line, so every
// profile must agree on it.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "berth/api/pod.h"
#include "berth/queue/queued_pod.h"

namespace berth::queue {

// Whether `a` comes before `b`. A strict weak order that does not change while a pod is queued.
using QueueSort = std::function<bool(const QueuedPod& a, const QueuedPod& b)>;

// Higher priority first, then the pod that has waited longer. An empty QueueSort stands for it and is faster.
inline bool priority_then_time(const QueuedPod& a, const QueuedPod& b) {
  const std::int32_t priority_a = api::priority_of(*a.pod), priority_b = api::priority_of(*b.pod);
  return priority_a != priority_b ? priority_a > priority_b : a.timestamp < b.timestamp;
}

// The order in the form that heaps want.
class ActiveOrder {
 public:
  // Kept in the heap beside each pod, so that most comparisons do not touch the pod.
  struct Rank {
    std::int32_t priority = 0;
    Instant timestamp;
    friend bool operator<(const Rank& a, const Rank& b) {
      return a.priority != b.priority ? a.priority > b.priority : a.timestamp < b.timestamp;
    }
  };

  explicit ActiveOrder(QueueSort custom = {}) : custom_(std::move(custom)) {}

  Rank rank(const QueuedPod& pod) const { return custom_ ? Rank{} : Rank{api::priority_of(*pod.pod), pod.timestamp}; }
  bool operator()(const QueuedPod& a, const QueuedPod& b) const {
    return custom_ ? custom_(a, b) : priority_then_time(a, b);
  }

 private:
  QueueSort custom_;
};

}  // namespace berth::queue
