// NodeUnschedulable keeps pods off nodes that are cordoned (spec.unschedulable), unless they tolerate the taint
// node.kubernetes.io/unschedulable:NoSchedule, whether or not the node has it.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_node_unschedulable(const framework::PluginContext& context,
                                                                   const PluginQuirks& quirks);

}  // namespace berth::plugins
