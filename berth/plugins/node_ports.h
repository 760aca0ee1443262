// NodePorts keeps a pod off nodes where another pod has one of the host ports that it wants: the same protocol and port
// on the same address, where 0.0.0.0 is every address. Sidecars and containers count; init containers that end do not.
// A pod without host ports is none of its business.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_node_ports(const framework::PluginContext& context,
                                                           const PluginQuirks& quirks);

}  // namespace berth::plugins
