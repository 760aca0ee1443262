// NodeDeclaredFeatures keeps a pod off nodes that do not declare a feature that it needs (status.declaredFeatures).
// What a pod needs follows from its spec: see needed_features() in node_declared_features_hints.h. Most pods need
// nothing.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_node_declared_features(const framework::PluginContext& context,
                                                                       const PluginQuirks& quirks);

}  // namespace berth::plugins
