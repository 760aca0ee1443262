#include "berth/config/defaults.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::config {
namespace {

SchedulerConfig completed(SchedulerConfig config = {}, const FeatureGates& gates = {}) {
  set_defaults(config, gates);
  return config;
}

template <typename Args>
Args completed_args(Args args, const FeatureGates& gates = {}) {
  PluginArgs any = std::move(args);
  set_defaults(any, gates);
  return std::get<Args>(any);
}

TEST(Defaults, OfAnEmptyConfiguration) {
  const SchedulerConfig config = completed();
  EXPECT_EQ(config.parallelism, 16);
  EXPECT_EQ(config.percentage_of_nodes_to_score, 0);
  EXPECT_EQ(config.pod_initial_backoff_seconds, 1);
  EXPECT_EQ(config.pod_max_backoff_seconds, 10);
  EXPECT_TRUE(config.leader_election.leader_elect);
  EXPECT_EQ(config.leader_election.lease_duration, Duration::seconds(15));
  EXPECT_EQ(config.leader_election.renew_deadline, Duration::seconds(10));
  EXPECT_EQ(config.leader_election.retry_period, Duration::seconds(2));
  EXPECT_EQ(config.leader_election.resource_lock, "leases");
  EXPECT_EQ(config.leader_election.resource_name, "kube-scheduler");
  EXPECT_EQ(config.leader_election.resource_namespace, "kube-system");
  EXPECT_EQ(config.client_connection.content_type, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(config.client_connection.qps, 50);
  EXPECT_EQ(config.client_connection.burst, 100);
  EXPECT_TRUE(config.enable_profiling);
  EXPECT_EQ(config.enable_contention_profiling, true);
  EXPECT_EQ(config.api_version, kApiVersion);
  ASSERT_EQ(config.profiles.size(), 1u);
  EXPECT_EQ(config.profiles[0].name(), "default-scheduler");

  std::vector<std::string> with_args;
  for (const PluginConfig& plugin : config.profiles[0].plugin_config) with_args.push_back(plugin.name);
  EXPECT_EQ(with_args, (std::vector<std::string>{"DefaultPreemption", "DynamicResources", "InterPodAffinity",
                                                 "NodeAffinity", "NodeResourcesBalancedAllocation", "NodeResourcesFit",
                                                 "PodTopologySpread", "VolumeBinding"}));
}

TEST(Defaults, ContentionProfilingFollowsProfiling) {
  SchedulerConfig config;
  config.enable_profiling = false;
  EXPECT_EQ(completed(config).enable_contention_profiling, false);
  config.enable_contention_profiling = true;
  EXPECT_EQ(completed(config).enable_contention_profiling, true);
}

TEST(Defaults, OnlyASingleProfileGetsAName) {
  SchedulerConfig config;
  config.profiles.resize(2);
  config.profiles[0].scheduler_name = "a";
  EXPECT_EQ(completed(config).profiles[1].name(), "");
  config.profiles.resize(1);
  config.profiles[0].scheduler_name = "";
  EXPECT_EQ(completed(config).profiles[0].name(), "") << "an empty name that is given stays";
}

TEST(Defaults, GivenArgumentsComeFirstAndMissingOnesBehindByName) {
  SchedulerConfig config;
  Profile& profile = config.profiles.emplace_back();
  profile.plugin_config.push_back({"VolumeBinding", {}, VolumeBindingArgs{.bind_timeout_seconds = 5, .shape = {}}});
  profile.plugin_config.push_back({"Mine", {"{}"}, api::RawJson{"{}"}});
  const std::vector<PluginConfig> plugins = completed(config).profiles[0].plugin_config;
  ASSERT_EQ(plugins.size(), 9u);
  EXPECT_EQ(std::get<VolumeBindingArgs>(plugins[0].args).bind_timeout_seconds, 5);
  EXPECT_EQ(plugins[1].name, "Mine");
  EXPECT_EQ(plugins[2].name, "DefaultPreemption");
  EXPECT_EQ(plugins.back().name, "PodTopologySpread");
}

TEST(Defaults, OfArguments) {
  const NodeResourcesFitArgs fit = completed_args(NodeResourcesFitArgs{});
  EXPECT_EQ(fit.scoring_strategy->type, "LeastAllocated");
  EXPECT_EQ(fit.scoring_strategy->resources, (std::vector<ResourceSpec>{{"cpu", 1}, {"memory", 1}}));

  NodeResourcesFitArgs own;
  own.scoring_strategy.emplace().resources = {{"gpu", 0}, {"cpu", 4}};
  EXPECT_EQ(completed_args(own).scoring_strategy->resources, (std::vector<ResourceSpec>{{"gpu", 1}, {"cpu", 4}}));
  EXPECT_EQ(completed_args(own).scoring_strategy->type, "") << "a strategy without a type gets none";

  EXPECT_EQ(completed_args(NodeResourcesBalancedAllocationArgs{}).resources.size(), 2u);
  EXPECT_EQ(completed_args(PodTopologySpreadArgs{}).defaulting_type, "System");
}

TEST(Defaults, SomeArgumentsFollowTheGates) {
  const FeatureGates gates;
  EXPECT_FALSE(completed_args(VolumeBindingArgs{}).shape.has_value());
  EXPECT_EQ(completed_args(VolumeBindingArgs{}, gates.with(Feature::kStorageCapacityScoring, true)).shape,
            (std::vector<UtilizationShapePoint>{{0, 10}, {100, 0}}));
  EXPECT_EQ(completed_args(DynamicResourcesArgs{}).filter_timeout, Duration::seconds(10));
  EXPECT_EQ(completed_args(DynamicResourcesArgs{}).binding_timeout, Duration::seconds(600));
  EXPECT_FALSE(completed_args(DynamicResourcesArgs{}, gates.with(Feature::kDRASchedulerFilterTimeout, false))
                   .filter_timeout.has_value());
  EXPECT_FALSE(completed_args(DynamicResourcesArgs{}, gates.with(Feature::kDRADeviceBindingConditions, false))
                   .binding_timeout.has_value());
}

}  // namespace
}  // namespace berth::config
