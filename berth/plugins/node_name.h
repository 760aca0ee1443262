// NodeName keeps a pod that names its node in spec.nodeName off all others.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_node_name(const framework::PluginContext& context,
                                                          const PluginQuirks& quirks);

}  // namespace berth::plugins
