#include "berth/config/defaults.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "berth/config/plugin_sets.h"

namespace berth::config {

namespace {

void set_if_empty(std::string& field, std::string_view value) {
  if (field.empty()) field = value;
}

void set_if_zero(Duration& field, Duration value) {
  if (field == Duration()) field = value;
}

void set_weights(std::vector<ResourceSpec>& resources) {
  if (resources.empty()) resources = {{"cpu", 1}, {"memory", 1}};
  for (ResourceSpec& resource : resources) {
    if (resource.weight == 0) resource.weight = 1;
  }
}

void set_args_defaults(NodeResourcesBalancedAllocationArgs& args, const FeatureGates&) {
  set_weights(args.resources);
}

void set_args_defaults(NodeResourcesFitArgs& args, const FeatureGates&) {
  if (!args.scoring_strategy) args.scoring_strategy.emplace().type = "LeastAllocated";
  set_weights(args.scoring_strategy->resources);
}

void set_args_defaults(PodTopologySpreadArgs& args, const FeatureGates&) {
  set_if_empty(args.defaulting_type, "System");
}

void set_args_defaults(VolumeBindingArgs& args, const FeatureGates& gates) {
  const bool has_shape = args.shape && !args.shape->empty();
  if (!has_shape && gates.enabled(Feature::kStorageCapacityScoring)) {
    args.shape = std::vector<UtilizationShapePoint>{{0, 10}, {100, 0}};
  }
}

void set_args_defaults(DynamicResourcesArgs& args, const FeatureGates& gates) {
  if (!args.filter_timeout && gates.enabled(Feature::kDRASchedulerFilterTimeout)) {
    args.filter_timeout = Duration::seconds(10);
  }
  if (!args.binding_timeout && gates.enabled(Feature::kDRADeviceBindingConditions) &&
      gates.enabled(Feature::kDRAResourceClaimDeviceStatus)) {
    args.binding_timeout = Duration::seconds(600);
  }
}

// All defaults of the others are initial values of their members.
template <typename Args>
void set_args_defaults(Args&, const FeatureGates&) {}

void set_profile_defaults(Profile& profile, const FeatureGates& gates) {
  profile.plugins = merge_plugins(default_plugins(gates), profile.plugins.value_or(Plugins{}));
  for (PluginConfig& config : profile.plugin_config) set_defaults(config.args, gates);
  const std::size_t given = profile.plugin_config.size();
  for (const std::string& name : enabled_plugin_names(*profile.plugins)) {
    const auto end = profile.plugin_config.begin() + static_cast<std::ptrdiff_t>(given);
    const bool is_given = std::find_if(profile.plugin_config.begin(), end,
                                       [&](const PluginConfig& config) { return config.name == name; }) != end;
    const ArgsKind* kind = args_kind_of(name);
    if (is_given || kind == nullptr) continue;
    PluginConfig& added = profile.plugin_config.emplace_back();
    added.name = name;
    kind->emplace(added.args);
    set_defaults(added.args, gates);
  }
}

}  // namespace

void set_defaults(PluginArgs& args, const FeatureGates& gates) {
  std::visit([&](auto& of_kind) { set_args_defaults(of_kind, gates); }, args);
}

void set_defaults(SchedulerConfig& config, const FeatureGates& gates) {
  set_if_empty(config.api_version, kApiVersion);
  set_if_empty(config.kind, kKind);

  if (config.profiles.empty()) config.profiles.emplace_back();
  // Only a single profile may go without a name; of several, validation asks for one each.
  if (config.profiles.size() == 1 && !config.profiles[0].scheduler_name) {
    config.profiles[0].scheduler_name = kDefaultSchedulerName;
  }
  for (Profile& profile : config.profiles) {
    if (!profile.scheduler_name) profile.scheduler_name = "";
    set_profile_defaults(profile, gates);
  }

  LeaderElection& election = config.leader_election;
  set_if_zero(election.lease_duration, Duration::seconds(15));
  set_if_zero(election.renew_deadline, Duration::seconds(10));
  set_if_zero(election.retry_period, Duration::seconds(2));
  set_if_empty(election.resource_lock, "leases");
  set_if_empty(election.resource_name, "kube-scheduler");
  set_if_empty(election.resource_namespace, "kube-system");

  ClientConnection& connection = config.client_connection;
  set_if_empty(connection.content_type, "application/vnd.kubernetes.protobuf");
  if (connection.qps == 0) connection.qps = 50;
  if (connection.burst == 0) connection.burst = 100;

  if (!config.enable_contention_profiling) config.enable_contention_profiling = config.enable_profiling;
}

}  // namespace berth::config
