// DefaultPreemption makes room for a pod that no node can take, by evicting pods of lower priority. Which ones, and
// where, is found out in preemption.h; the victims are evicted by whoever runs the attempt.
//
// Pods with preemptionPolicy Never do not preempt, nor does one whose victims on its nominated node are still
// terminating. Of the nodes that a plugin called Unschedulable, only as many are tried as it takes to have
// max(minCandidateNodesPercentage of them, minCandidateNodesAbsolute) candidates, starting with the first.
//
// While victims are being evicted for a pod, the pod does not enter the active queue.
#pragma once

#include <memory>
#include <span>

#include "berth/base/error.h"
#include "berth/framework/registry.h"

namespace berth::plugins {

// What whoever evicts the victims knows, and the cluster does not show yet.
class PreemptionsUnderWay {
 public:
  virtual ~PreemptionsUnderWay() = default;
  // Whether victims are being evicted for the pod.
  virtual bool is_preempting(const api::Pod& preemptor) const = 0;
  // Victims that the disruption budgets have not counted yet.
  virtual std::span<const api::PodPtr> uncounted_victims() const = 0;
};

// `under_way` outlives the plugin; null: nothing ever is.
Result<std::unique_ptr<framework::Plugin>> make_default_preemption(const framework::PluginContext& context,
                                                                   const PreemptionsUnderWay* under_way = nullptr);

}  // namespace berth::plugins
