// Writes a completed configuration as kube-scheduler's --write-config-to does, byte for byte.
#pragma once

#include <string>

#include "berth/config/scheduler_config.h"

namespace berth::config {

std::string to_yaml(const SchedulerConfig& config);

}  // namespace berth::config
