// The queue's nominations as attempts see them: each pod in the version that the queue has, compiled. Nothing is kept
// here; the queue's nominator is where nominations live.
#pragma once

#include <cstdint>
#include <memory>

#include "berth/cache/scheduler_cache.h"
#include "berth/framework/attempt.h"
#include "berth/queue/scheduling_queue.h"

namespace berth::engine {

class QueueNominations final : public framework::NominationSource {
 public:
  // Both outlive this; the queue is made before anybody asks.
  QueueNominations(const std::unique_ptr<queue::SchedulingQueue>& queue, cache::SchedulerCache& cache)
      : queue_(queue), cache_(cache) {}

  std::uint64_t version() const override { return queue_->nominator().version(); }
  void for_each_node(FunctionRef<void(Symbol)> fn) const override { queue_->nominator().for_each_node(fn); }
  void for_each_pod(Symbol node_name, FunctionRef<void(const cache::PlacedPod&)> fn) const override {
    queue_->for_each_nominated(node_name, [&](const queue::Nominator::Nomination&, const api::PodPtr& pod) {
      if (pod != nullptr) fn({pod, cache_.compile(*pod), nullptr});
    });
  }

 private:
  const std::unique_ptr<queue::SchedulingQueue>& queue_;
  cache::SchedulerCache& cache_;
};

}  // namespace berth::engine
