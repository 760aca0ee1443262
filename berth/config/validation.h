// Validation of a completed configuration: every problem, with kube-scheduler's messages in its order.
#pragma once

#include <vector>

#include "berth/base/error.h"
#include "berth/config/feature_gates.h"
#include "berth/config/scheduler_config.h"

namespace berth::config {

// Requires: set_defaults() has been called. Where kube-scheduler's order is random (removed plugins at several
// extension points), that of the file format is taken.
std::vector<Error> validate(const SchedulerConfig& config, const FeatureGates& gates);

}  // namespace berth::config
