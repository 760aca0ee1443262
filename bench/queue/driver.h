// A queue with its clock, and the calls of it that the benchmark's scenarios are made of. Every call that lets time
// pass takes a microsecond, so no two pods have the same timestamp and the order of pops depends on nothing else.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "bench/queue/pods.h"
#include "berth/base/check.h"

namespace berth::bench {

class Driver {
 public:
  Driver() : queue_(queue_options(&counters_)) {
    fit_ = queue_.plugin_set(std::vector{kFit});
    affinity_ = queue_.plugin_set(std::vector{kAffinity});
  }

  queue::SchedulingQueue& queue() { return queue_; }
  queue::PluginSet fit() const { return fit_; }
  queue::PluginSet affinity() const { return affinity_; }
  Instant now() const { return now_; }
  void pass(Duration duration) { now_ = now_ + duration; }
  std::uint64_t order() const { return order_; }

  void add(const api::PodPtr& pod) {
    pass(Duration::microseconds(1));
    must(queue_.add(pod, now_));
  }

  // Requires: there is one.
  queue::PoppedPod pop() {
    queue::PoppedPod popped = queue_.pop(now_);
    BERTH_CHECK(popped != nullptr, "nothing to pop");
    std::uint64_t first;
    std::memcpy(&first, popped->uid().data(), sizeof(first));
    order_ = (order_ ^ first) * 0x100000001B3ull;
    return popped;
  }

  void done(const api::Pod& pod) { must(queue_.done(pod.metadata.uid)); }

  void fail(queue::PoppedPod popped, queue::PluginSet rejectors) {
    pass(Duration::microseconds(1));
    popped->clear_rejectors();
    popped->unschedulable_plugins = rejectors;
    must(queue_.add_unschedulable_if_not_present(std::move(popped), queue_.scheduling_cycle(), now_));
  }

  void node_added(const api::AnyObject& node) { must(queue_.move_all(node_add_, {{}, node}, now_)); }
  void claim_added(const api::AnyObject& claim) { must(queue_.move_all(claim_add_, {{}, claim}, now_)); }
  void pod_assigned(const api::PodPtr& pod) {
    must(queue_.move_all(assigned_pod_add_, {{}, api::AnyObject(pod)}, now_));
  }
  void flush_backoff() { must(queue_.flush_backoff_completed(now_)); }

 private:
  static void must(const Result<void>& result) { BERTH_CHECK(result.has_value(), "{}", result.error().message()); }

  Counters counters_;
  queue::SchedulingQueue queue_;
  queue::PluginSet fit_;
  queue::PluginSet affinity_;
  Instant now_ = Instant::from_unix_seconds(1'700'000'000);
  std::uint64_t order_ = 0;
  queue::ClusterEvent node_add_{queue::resource::kNode, queue::action::kAdd};
  queue::ClusterEvent claim_add_{queue::resource::kPersistentVolumeClaim, queue::action::kAdd};
  queue::ClusterEvent assigned_pod_add_ = queue::assigned_pod_add();
};

}  // namespace berth::bench
