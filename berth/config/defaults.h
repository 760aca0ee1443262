// Fills in what a configuration leaves open, as kube-scheduler does before it validates.
#pragma once

#include "berth/config/feature_gates.h"
#include "berth/config/scheduler_config.h"

namespace berth::config {

// Completes `config`, whose members hold what the file said or their initial values: leader election, connection,
// profiles with their plugins, and arguments for every enabled plugin that takes some.
void set_defaults(SchedulerConfig& config, const FeatureGates& gates);

// The part of it that concerns one plugin's arguments.
void set_defaults(PluginArgs& args, const FeatureGates& gates);

}  // namespace berth::config
