// DefaultBinder binds a pod to a node in the usual way: by a Binding, written to the pod's subresource of that name. It
// binds every pod.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_default_binder(const framework::PluginContext& context,
                                                               const PluginQuirks& quirks);

}  // namespace berth::plugins
