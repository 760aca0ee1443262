// Validation of plugins' arguments, with kube-scheduler's messages in its order.
#pragma once

#include <vector>

#include "berth/config/feature_gates.h"
#include "berth/config/field_error.h"
#include "berth/config/scheduler_config.h"

namespace berth::config {

// What is wrong with the plugin's arguments; `path` leads to them. Those of out-of-tree plugins are their own business.
std::vector<Error> validate_args(const Path& path, const PluginConfig& plugin, const FeatureGates& gates);

}  // namespace berth::config
