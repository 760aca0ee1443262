// Writes a completed configuration as kube-scheduler does: as YAML for --write-config-to, byte for byte, and as JSON
// for /configz.
#pragma once

#include <string>

#include "berth/config/scheduler_config.h"

namespace berth::config {

std::string to_yaml(const SchedulerConfig& config);
std::string to_json(const SchedulerConfig& config);

}  // namespace berth::config
