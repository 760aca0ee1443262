// PodTopologySpread keeps pods of a kind spread over zones, hosts or whatever else a label of the nodes says.
//
// Filter, for each DoNotSchedule constraint in order: a node without the topology key is out. With the pod on the node,
// its domain may have at most maxSkew more pods than the domain with the fewest (0 if there are fewer than minDomains).
// Counted are pods that the constraint's selector matches, on nodes that have the keys of all constraints and that the
// constraint's policies include.
//
// Score, for the ScheduleAnyway constraints: the sum over the constraints of the pods in the node's domain times the
// logarithm of the number of domains, plus maxSkew - 1; the lower the better. Nodes that lack a key of the pod's own
// constraints get 0.
//
// Pods without constraints are under the defaults of the plugin's arguments, which count the pods of the same services
// and controller; see spread_rules.h and default_selector.h.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_pod_topology_spread(const framework::PluginContext& context,
                                                                    const PluginQuirks& quirks);

}  // namespace berth::plugins
