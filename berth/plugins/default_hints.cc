#include "berth/plugins/default_hints.h"

#include <algorithm>

#include "berth/config/in_tree_plugins.h"
#include "berth/config/plugin_sets.h"
#include "berth/plugins/default_preemption_hints.h"
#include "berth/plugins/inter_pod_affinity_hints.h"
#include "berth/plugins/names.h"
#include "berth/plugins/node_affinity_hints.h"
#include "berth/plugins/node_declared_features_hints.h"
#include "berth/plugins/node_name_hints.h"
#include "berth/plugins/node_ports_hints.h"
#include "berth/plugins/node_resources_fit_hints.h"
#include "berth/plugins/node_unschedulable_hints.h"
#include "berth/plugins/node_volume_limits_hints.h"
#include "berth/plugins/pod_topology_spread_hints.h"
#include "berth/plugins/scheduling_gates_hints.h"
#include "berth/plugins/taint_toleration_hints.h"
#include "berth/plugins/volume_binding_hints.h"
#include "berth/plugins/volume_restrictions_hints.h"
#include "berth/plugins/volume_zone_hints.h"

namespace berth::plugins {

namespace {

DynamicResourcesHintOptions dynamic_resources_options(const HintOptions& options) {
  DynamicResourcesHintOptions own{.enabled = options.features.dynamic_resource_allocation,
                                  .workload_claims = options.features.dra_workload_resource_claims,
                                  .find_claim = options.find_claim,
                                  .quirks = options.quirks};
  if (!own.find_claim) own.find_claim = [](Symbol, std::string_view) { return nullptr; };
  return own;
}

DefaultPreemptionHintOptions default_preemption_options(const HintOptions& options) {
  return {.async_preemption = options.features.scheduler_async_preemption, .is_preempting = options.is_preempting};
}

// --- What the rows of config/in_tree_plugins.h name ------------------------------------------------------------------

using Events = std::vector<HintRegistration> (*)(Symbol profile, const HintOptions& options);
constexpr Events no_events = nullptr;

std::vector<HintRegistration> default_preemption_events(Symbol profile, const HintOptions& options) {
  return default_preemption_hints(profile, default_preemption_options(options));
}

std::vector<HintRegistration> dynamic_resources_events(Symbol profile, const HintOptions& options) {
  return dynamic_resources_hints(profile, dynamic_resources_options(options));
}

std::vector<HintRegistration> inter_pod_affinity_events(Symbol profile, const HintOptions& options) {
  return inter_pod_affinity_hints(profile, {.compile = options.compile,
                                            .find_namespace_labels = options.find_namespace_labels,
                                            .is_anti_affinity_key = options.is_anti_affinity_key,
                                            .quirks = options.quirks});
}

std::vector<HintRegistration> node_affinity_events(Symbol profile, const HintOptions& options) {
  NodeAffinityHintOptions own{.added = std::nullopt, .compile = options.compile, .quirks = options.quirks};
  if (options.added_node_affinity) own.added.emplace(*options.added_node_affinity);
  return node_affinity_hints(profile, own);
}

std::vector<HintRegistration> node_declared_features_events(Symbol profile, const HintOptions& options) {
  return node_declared_features_hints(profile,
                                      {.enabled = options.features.node_declared_features, .quirks = options.quirks});
}

std::vector<HintRegistration> node_name_events(Symbol profile, const HintOptions&) {
  return node_name_hints(profile);
}

std::vector<HintRegistration> node_ports_events(Symbol profile, const HintOptions& options) {
  return node_ports_hints(profile, {options.compile});
}

std::vector<HintRegistration> node_resources_fit_events(Symbol profile, const HintOptions& options) {
  const HintFeatures& features = options.features;
  return node_resources_fit_hints(
      profile, {.compile = options.compile,
                .ignored_resources = options.ignored_resources,
                .ignored_resource_groups = options.ignored_resource_groups,
                .has_device_class = options.has_device_class,
                .in_place_pod_vertical_scaling = features.in_place_pod_vertical_scaling,
                .in_place_pod_level_resources_vertical_scaling = features.in_place_pod_level_resources_vertical_scaling,
                .dra_extended_resource = features.dra_extended_resource,
                .quirks = options.quirks});
}

std::vector<HintRegistration> node_unschedulable_events(Symbol profile, const HintOptions& options) {
  return node_unschedulable_hints(profile, {options.features.taint_toleration_comparison_operators});
}

std::vector<HintRegistration> node_volume_limits_events(Symbol profile, const HintOptions& options) {
  return node_volume_limits_hints(profile, {options.quirks});
}

std::vector<HintRegistration> pod_topology_spread_events(Symbol profile, const HintOptions& options) {
  PodTopologySpreadHintOptions own{.compile = options.compile,
                                   .default_constraints = {},
                                   .default_selector = options.default_selector,
                                   .match_label_keys = options.features.match_label_keys_in_pod_topology_spread,
                                   .quirks = options.quirks};
  if (own.default_selector) own.default_constraints = hard_constraints(options.default_constraints);
  return pod_topology_spread_hints(profile, own);
}

std::vector<HintRegistration> scheduling_gates_events(Symbol profile, const HintOptions&) {
  return scheduling_gates_hints(profile);
}

std::vector<HintRegistration> taint_toleration_events(Symbol profile, const HintOptions& options) {
  return taint_toleration_hints(profile, {options.features.taint_toleration_comparison_operators});
}

std::vector<HintRegistration> volume_binding_events(Symbol profile, const HintOptions& options) {
  return volume_binding_hints(profile, {options.quirks});
}

std::vector<HintRegistration> volume_restrictions_events(Symbol profile, const HintOptions& options) {
  return volume_restrictions_hints(profile, {options.quirks});
}

std::vector<HintRegistration> volume_zone_events(Symbol profile, const HintOptions&) {
  return volume_zone_hints(profile);
}

struct Row {
  std::string_view plugin;
  config::ExtensionPoints points;
  std::string_view make;
  Events events;
};

using enum config::ExtensionPoint;
#define BERTH_ROW(name, points, make, events) Row{#name, BERTH_POINTS_IN_BRACES points, #make, events},
constexpr Row kRows[] = {BERTH_IN_TREE_PLUGINS(BERTH_ROW, BERTH_ROW)};
#undef BERTH_ROW

static_assert(std::ranges::all_of(kRows,
                                  [](const Row& row) {
                                    const bool is_supported = row.make != "not_supported";
                                    return (row.events != nullptr) == (is_supported && config::can_reject(row.points));
                                  }),
              "exactly the plugins that can reject a pod have to say which events may help it");

// See HintQuirks::node_taints_wake_all.
void add_node_taints(std::vector<HintRegistration>& hints) {
  static const Symbol node(queue::resource::kNode);
  queue::ActionSet on_nodes = 0;
  for (const HintRegistration& hint : hints) {
    if (hint.event.resource == node) on_nodes |= hint.event.actions;
  }
  if ((on_nodes & queue::action::kAdd) == 0 || (on_nodes & queue::action::kUpdateNodeTaint) != 0) return;
  hints.push_back({.profile = hints.front().profile,
                   .plugin = hints.front().plugin,
                   .event = queue::ClusterEvent(node, queue::action::kUpdateNodeTaint),
                   .hint = {},
                   .scope = HintScope::kClass});
}

HintOptions with_compile(const HintOptions& options) {
  HintOptions filled = options;
  if (!filled.compile) filled.compile = compile_once();
  return filled;
}

}  // namespace

std::span<const std::string_view> default_rejecting_plugins() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    const auto add = [&all](std::string_view name) {
      const auto row = std::ranges::find(kRows, name, &Row::plugin);
      if (row->events != nullptr && std::ranges::find(all, row->plugin) == all.end()) all.push_back(row->plugin);
    };
    for (const config::Plugin& plugin : config::default_plugins({}).multi_point.enabled) add(plugin.name);
    for (const Row& row : kRows) add(row.plugin);
    return all;
  }();
  return names;
}

std::optional<std::vector<HintRegistration>> hints_of(std::string_view plugin, Symbol profile,
                                                      const HintOptions& options) {
  const auto row = std::ranges::find(kRows, plugin, &Row::plugin);
  if (row == std::end(kRows) || row->events == nullptr) return std::nullopt;
  std::vector<HintRegistration> hints = row->events(profile, with_compile(options));
  if (options.quirks.node_taints_wake_all && !hints.empty()) add_node_taints(hints);
  return hints;
}

std::vector<HintRegistration> default_hints(Symbol profile, const HintOptions& options) {
  const HintOptions filled = with_compile(options);
  std::vector<HintRegistration> all;
  for (const std::string_view plugin : default_rejecting_plugins()) {
    std::ranges::move(*hints_of(plugin, profile, filled), std::back_inserter(all));
  }
  return all;
}

std::vector<HintRegistration> hints_for_everything(std::string_view plugin, Symbol profile, const HintQuirks& quirks) {
  HintList hints(profile, plugin);
  for (const std::string_view resource :
       {queue::resource::kPod, queue::resource::kNode, queue::resource::kPersistentVolume,
        queue::resource::kPersistentVolumeClaim, queue::resource::kCSINode, queue::resource::kCSIDriver,
        queue::resource::kCSIStorageCapacity, queue::resource::kStorageClass, queue::resource::kResourceClaim,
        queue::resource::kDeviceClass}) {
    hints.add_always(resource, queue::action::kAll);
  }
  if (!quirks.everything_is_not_everything) {
    hints.add_always(queue::resource::kVolumeAttachment, queue::action::kAll);
    hints.add_always(queue::resource::kResourceSlice, queue::action::kAll);
  }
  return std::move(hints).take();
}

std::optional<queue::PreEnqueueCheck> pre_enqueue_of(std::string_view plugin, Symbol profile,
                                                     const HintOptions& options) {
  const auto check = [&](std::function<bool(const api::Pod&)> admits) {
    return queue::PreEnqueueCheck{profile, Symbol(plugin), std::move(admits)};
  };
  if (plugin == name::kSchedulingGates) return check(scheduling_gates_admits);
  if (plugin == name::kDynamicResources) {
    return check(
        [own = dynamic_resources_options(options)](const api::Pod& pod) { return dynamic_resources_admits(pod, own); });
  }
  if (plugin == name::kDefaultPreemption) {
    return check([own = default_preemption_options(options)](const api::Pod& pod) {
      return default_preemption_admits(pod, own);
    });
  }
  return std::nullopt;
}

std::vector<queue::PreEnqueueCheck> default_pre_enqueue(Symbol profile, const HintOptions& options) {
  std::vector<queue::PreEnqueueCheck> checks;
  for (const std::string_view plugin : default_rejecting_plugins()) {
    if (auto check = pre_enqueue_of(plugin, profile, options)) checks.push_back(std::move(*check));
  }
  return checks;
}

}  // namespace berth::plugins
