// kube-scheduler's own plugins, for a registry.
#pragma once

#include "berth/framework/registry.h"
#include "berth/plugins/default_preemption.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

// All in-tree plugins of v1.36. `under_way` outlives the plugins.
void add_default_plugins(framework::PluginRegistry& registry, const PluginQuirks& quirks = {},
                         const PreemptionsUnderWay* under_way = nullptr);
framework::PluginRegistry default_registry(const PluginQuirks& quirks = {});

}  // namespace berth::plugins
