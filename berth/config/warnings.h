// What is allowed in a configuration and probably a mistake. kube-scheduler takes it without a word.
#pragma once

#include <span>
#include <vector>

#include "berth/base/error.h"
#include "berth/config/load.h"
#include "berth/config/plugin_sets.h"

namespace berth::config {

// Arguments of plugins that do not exist, with the nearest name: nobody reads them.
std::vector<Error> warnings_about(const LoadedConfig& loaded, std::span<const PluginSpec> out_of_tree = {});

}  // namespace berth::config
