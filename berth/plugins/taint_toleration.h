// TaintToleration keeps pods off nodes with a NoSchedule or NoExecute taint that they do not tolerate, and prefers
// nodes with few PreferNoSchedule taints that they do not tolerate.
//
// Many nodes have few different lists of taints between them, so over the whole table each list is judged once.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_taint_toleration(const framework::PluginContext& context,
                                                                 const PluginQuirks& quirks);

}  // namespace berth::plugins
