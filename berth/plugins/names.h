// The names of kube-scheduler's plugins, as configuration, events and metrics spell them: kNodeName is "NodeName".
#pragma once

#include <string_view>

#include "berth/config/in_tree_plugins.h"

namespace berth::plugins::name {

#define BERTH_PLUGIN_NAME(name, ...) inline constexpr std::string_view k##name = #name;
BERTH_IN_TREE_PLUGINS(BERTH_PLUGIN_NAME, BERTH_PLUGIN_NAME)
#undef BERTH_PLUGIN_NAME

}  // namespace berth::plugins::name
