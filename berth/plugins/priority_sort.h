// PrioritySort says which pod is tried first: the one of higher priority, and among equals the one that has waited
// longer since it was last put into the queue.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_priority_sort(const framework::PluginContext& context,
                                                              const PluginQuirks& quirks);

}  // namespace berth::plugins
