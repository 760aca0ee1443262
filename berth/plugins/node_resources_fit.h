// NodeResourcesFit keeps pods off nodes that do not have enough left of what they ask for, and prefers nodes by how
// full they would be.
//
// Filter: one more pod must be allowed, and of each resource that the pod asks for, the request must not exceed what is
// allocatable less what the pods there ask for. All that is short is reported. If a request exceeds what the node has
// in all, evicting pods does not help. Extended resources named by ignoredResources or ignoredResourceGroups are not
// looked at, nor are those that a device class stands for and the node itself does not have: DynamicResources decides.
//
// Score, with u the share of a resource that would be in use, with CPU and memory counted by the defaults for
// containers that ask for nothing; resources that the node does not have are left out:
//   LeastAllocated            the weighted mean of 100 * (1 - u)
//   MostAllocated             the weighted mean of 100 * u
//   RequestedToCapacityRatio  the weighted mean of shape(100 * u), over the resources where that is above 0
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

// The error has kube-scheduler's text: its configuration file check leaves these arguments to the plugin.
Result<std::unique_ptr<framework::Plugin>> make_node_resources_fit(const framework::PluginContext& context,
                                                                   const PluginQuirks& quirks);

}  // namespace berth::plugins
