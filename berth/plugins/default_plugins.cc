#include "berth/plugins/default_plugins.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "berth/base/check.h"
#include "berth/config/plugin_sets.h"
#include "berth/plugins/default_binder.h"
#include "berth/plugins/default_preemption.h"
#include "berth/plugins/dynamic_resources.h"
#include "berth/plugins/image_locality.h"
#include "berth/plugins/inter_pod_affinity.h"
#include "berth/plugins/names.h"
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

using Make = Result<std::unique_ptr<framework::Plugin>> (*)(const framework::PluginContext&, const PluginQuirks&);

struct Row {
  std::string_view plugin;
  Make make;
};

constexpr Row kRows[] = {
    {name::kDefaultBinder, make_default_binder},
    {name::kDynamicResources, make_dynamic_resources},
    {name::kImageLocality, make_image_locality},
    {name::kInterPodAffinity, make_inter_pod_affinity},
    {name::kNodeAffinity, make_node_affinity},
    {name::kNodeDeclaredFeatures, make_node_declared_features},
    {name::kNodeName, make_node_name},
    {name::kNodePorts, make_node_ports},
    {name::kNodeResourcesBalancedAllocation, make_node_resources_balanced_allocation},
    {name::kNodeResourcesFit, make_node_resources_fit},
    {name::kNodeUnschedulable, make_node_unschedulable},
    {name::kNodeVolumeLimits, make_node_volume_limits},
    {name::kPodTopologySpread, make_pod_topology_spread},
    {name::kPrioritySort, make_priority_sort},
    {name::kSchedulingGates, make_scheduling_gates},
    {name::kTaintToleration, make_taint_toleration},
    {name::kVolumeBinding, make_volume_binding},
    {name::kVolumeRestrictions, make_volume_restrictions},
    {name::kVolumeZone, make_volume_zone},
};

// kube-scheduler's plugins for groups of pods, which are behind feature gates that are off by default.
framework::PluginFactory not_built_yet(std::string_view plugin) {
  return [plugin](const framework::PluginContext&) -> Result<std::unique_ptr<framework::Plugin>> {
    return fail(Error(fmt::format("plugin \"{}\" is not supported yet", plugin))
                    .with_fix("disable it, or the feature gate that enables it"));
  };
}

framework::PluginFactory factory_of(std::string_view plugin, const PluginQuirks& quirks,
                                    const PreemptionsUnderWay* under_way) {
  if (plugin == name::kDefaultPreemption) {
    return [under_way](const framework::PluginContext& context) { return make_default_preemption(context, under_way); };
  }
  const auto row = std::ranges::find(kRows, plugin, &Row::plugin);
  if (row == std::end(kRows)) return not_built_yet(plugin);
  return [make = row->make, quirks](const framework::PluginContext& context) { return make(context, quirks); };
}

}  // namespace

void add_default_plugins(framework::PluginRegistry& registry, const PluginQuirks& quirks,
                         const PreemptionsUnderWay* under_way) {
  for (const config::PluginSpec& spec : config::in_tree_plugins()) {
    const auto added = registry.add(
        {.name = std::string(spec.name), .points = spec.points, .build = factory_of(spec.name, quirks, under_way)});
    BERTH_CHECK(added.has_value(), "{}", added.error().message());
  }
}

framework::PluginRegistry default_registry(const PluginQuirks& quirks) {
  framework::PluginRegistry registry;
  add_default_plugins(registry, quirks);
  return registry;
}

}  // namespace berth::plugins
