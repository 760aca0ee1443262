// NodeResourcesBalancedAllocation prefers nodes whose resources the pod would bring into balance: where CPU is mostly
// used, a pod that needs memory.
//
// With f the shares of the resources that are in use, at most 1 each, a node's balance is 100 * (1 - the standard
// deviation of f). Its score is 50 + (50 + balance with the pod - balance without) / 2: 75 where the pod changes
// nothing. A pod that asks for none of the resources would go to the same nodes as all its like, so the plugin skips
// it.
//
// The arithmetic is kube-scheduler's double arithmetic in its order, so that scores agree to the last point; it must
// not be compiled with -ffast-math or for machines where the compiler may contract it.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_node_resources_balanced_allocation(
    const framework::PluginContext& context, const PluginQuirks& quirks);

}  // namespace berth::plugins
