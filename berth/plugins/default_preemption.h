// DefaultPreemption makes room for a pod that no node can take, by evicting pods of lower priority. Which ones, and
// where, is found out in preemption.h; the victims are evicted by whoever runs the attempt.
//
// Pods with preemptionPolicy Never do not preempt, nor does one whose victims on its nominated node are still
// terminating. Of the nodes that a plugin called Unschedulable, only as many are tried as it takes to have
// max(minCandidateNodesPercentage of them, minCandidateNodesAbsolute) candidates, starting with the first.
//
// While victims are being evicted for a pod, the pod does not enter the active queue.
#pragma once

#include <functional>
#include <memory>

#include "berth/base/error.h"
#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

// Whether victims are being evicted for the pod. Empty: never.
using IsPreempting = std::function<bool(const api::Pod&)>;

Result<std::unique_ptr<framework::Plugin>> make_default_preemption(const framework::PluginContext& context,
                                                                   const PluginQuirks& quirks,
                                                                   IsPreempting is_preempting = {});

}  // namespace berth::plugins
