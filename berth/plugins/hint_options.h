// What the hints of a plugin look into, taken from what the plugin is built from: feature gates, arguments and the live
// objects. A plugin that knows more (who is preempting, which pods belong together) adds it to the result.
#pragma once

#include "berth/framework/registry.h"
#include "berth/plugins/default_hints.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

// The result refers to context.objects.
HintOptions hint_options(const framework::PluginContext& context, const PluginQuirks& quirks = {});

}  // namespace berth::plugins
