#include "berth/plugins/default_plugins.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "berth/base/check.h"
#include "berth/config/in_tree_plugins.h"
#include "berth/config/plugin_sets.h"
#include "berth/plugins/default_binder.h"
#include "berth/plugins/default_preemption.h"
#include "berth/plugins/dynamic_resources.h"
#include "berth/plugins/image_locality.h"
#include "berth/plugins/inter_pod_affinity.h"
#include "berth/plugins/node_affinity.h"
#include "berth/plugins/node_declared_features.h"
#include "berth/plugins/node_name.h"
#include "berth/plugins/node_ports.h"
#include "berth/plugins/node_resources_balanced_allocation.h"
#include "berth/plugins/node_resources_fit.h"
#include "berth/plugins/node_unschedulable.h"
#include "berth/plugins/node_volume_limits.h"
#include "berth/plugins/pod_topology_spread.h"
#include "berth/plugins/priority_sort.h"
#include "berth/plugins/scheduling_gates.h"
#include "berth/plugins/taint_toleration.h"
#include "berth/plugins/volume_binding.h"
#include "berth/plugins/volume_restrictions.h"
#include "berth/plugins/volume_zone.h"

namespace berth::plugins {

namespace {

using Made = Result<std::unique_ptr<framework::Plugin>>;
using Make = Made (*)(const framework::PluginContext&, const PluginQuirks&, const PreemptionsUnderWay*);

struct Row {
  config::PluginSpec spec;
  Make make;  // null: not supported yet
};

// In place of the function that makes the plugin: there is none.
struct NotSupported {};
constexpr NotSupported not_supported;

// The function of a row, whatever of the three it wants to know.
template <auto kMake>
constexpr Make uniform() {
  using Function = decltype(kMake);
  if constexpr (std::is_same_v<std::remove_cv_t<Function>, NotSupported>) {
    return nullptr;
  } else if constexpr (std::is_invocable_v<Function, const framework::PluginContext&, const PluginQuirks&>) {
    return [](const framework::PluginContext& context, const PluginQuirks& quirks, const PreemptionsUnderWay*) {
      return kMake(context, quirks);
    };
  } else {
    return [](const framework::PluginContext& context, const PluginQuirks&, const PreemptionsUnderWay* under_way) {
      return kMake(context, under_way);
    };
  }
}

using enum config::ExtensionPoint;
#define BERTH_ROW(name, points, make, events) Row{{#name, BERTH_POINTS_IN_BRACES points}, uniform<make>()},
constexpr Row kRows[] = {BERTH_IN_TREE_PLUGINS(BERTH_ROW, BERTH_ROW)};
#undef BERTH_ROW

// kube-scheduler's plugins for groups of pods, which are behind feature gates that are off by default.
Made fail_unsupported(std::string_view plugin) {
  return fail(Error(fmt::format("plugin \"{}\" is not supported yet", plugin))
                  .with_fix("disable it, or the feature gate that enables it"));
}

}  // namespace

void add_default_plugins(framework::PluginRegistry& registry, const PluginQuirks& quirks,
                         const PreemptionsUnderWay* under_way) {
  for (const Row& row : kRows) {
    const auto build = [row, quirks, under_way](const framework::PluginContext& context) -> Made {
      return row.make == nullptr ? fail_unsupported(row.spec.name) : row.make(context, quirks, under_way);
    };
    const auto added = registry.add({.name = std::string(row.spec.name), .points = row.spec.points, .build = build});
    BERTH_CHECK(added.has_value(), "{}", added.error().message());
  }
}

framework::PluginRegistry default_registry(const PluginQuirks& quirks) {
  framework::PluginRegistry registry;
  add_default_plugins(registry, quirks);
  return registry;
}

}  // namespace berth::plugins
