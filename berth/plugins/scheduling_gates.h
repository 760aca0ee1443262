// SchedulingGates holds a pod back as long as its spec names a scheduling gate. The API server writes the condition
// that tells so; the scheduler says nothing.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_scheduling_gates(const framework::PluginContext& context,
                                                                 const PluginQuirks& quirks);

}  // namespace berth::plugins
