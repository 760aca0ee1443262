#include "berth/plugins/hint_options.h"

#include <algorithm>
#include <variant>

#include "berth/plugins/device_classes.h"

namespace berth::plugins {

namespace {

HintFeatures features_of(const config::FeatureGates& gates) {
  using enum config::Feature;
  return {.dra_extended_resource = gates.enabled(kDRAExtendedResource),
          .dra_workload_resource_claims = gates.enabled(kDRAWorkloadResourceClaims),
          .dynamic_resource_allocation = gates.enabled(kDynamicResourceAllocation),
          .in_place_pod_level_resources_vertical_scaling = gates.enabled(kInPlacePodLevelResourcesVerticalScaling),
          .in_place_pod_vertical_scaling = gates.enabled(kInPlacePodVerticalScaling),
          .match_label_keys_in_pod_topology_spread = gates.enabled(kMatchLabelKeysInPodTopologySpread),
          .node_declared_features = gates.enabled(kNodeDeclaredFeatures),
          .scheduler_async_preemption = gates.enabled(kSchedulerAsyncPreemption),
          .taint_toleration_comparison_operators = gates.enabled(kTaintTolerationComparisonOperators)};
}

std::vector<Symbol> symbols(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

void add_args(const config::PluginArgs& args, HintOptions& options) {
  if (const auto* affinity = std::get_if<config::NodeAffinityArgs>(&args); affinity && affinity->added_affinity) {
    options.added_node_affinity = affinity->added_affinity->required;
  }
  if (const auto* fit = std::get_if<config::NodeResourcesFitArgs>(&args)) {
    options.ignored_resources = symbols(fit->ignored_resources);
    options.ignored_resource_groups = symbols(fit->ignored_resource_groups);
  }
  if (const auto* spread = std::get_if<config::PodTopologySpreadArgs>(&args)) {
    options.default_constraints = spread->default_constraints;
  }
}

bool is_anti_affinity_key(const cache::NodeTable& nodes, Symbol key) {
  bool is_one = false;
  nodes.for_each_class_with_affinity([&](const cache::PodClass& pod_class) {
    const auto has_key = [key](const api::PodTermMatcher& term) { return term.topology_key == key; };
    is_one = is_one || std::ranges::any_of(pod_class.compiled->required_anti_affinity, has_key);
  });
  return is_one;
}

}  // namespace

HintOptions hint_options(const framework::PluginContext& context, const PluginQuirks& quirks) {
  HintOptions options;
  options.features = features_of(context.gates);
  options.quirks = quirks.hints;
  add_args(context.args, options);
  const cache::ClusterObjects& objects = context.objects;
  options.find_claim = [&objects](Symbol name_space, std::string_view name) {
    return objects.resource_claims.get(name_space, name);
  };
  options.has_device_class = [&objects](Symbol resource) { return has_device_class(objects, resource); };
  options.find_namespace_labels = [&objects](Symbol name_space) { return objects.namespace_labels(name_space); };
  if (context.nodes != nullptr) {
    options.is_anti_affinity_key = [nodes = context.nodes](Symbol key) { return is_anti_affinity_key(*nodes, key); };
  }
  return options;
}

}  // namespace berth::plugins
