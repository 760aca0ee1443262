// What the framework tells its metrics, with kube-scheduler's own plugins.
#include <gtest/gtest.h>

#include "berth/cache/scheduler_cache.h"
#include "berth/cache/testing.h"
#include "berth/config/load.h"
#include "berth/framework/attempt.h"
#include "berth/framework/metrics.h"
#include "berth/plugins/default_plugins.h"

namespace berth::plugins {
namespace {

using cache::testing::NodeBuilder;
using cache::testing::PodBuilder;

TEST(FrameworkMetrics, CountsEveryPluginAndTheNodesItWasAskedAbout) {
  const framework::PluginRegistry registry = default_registry();
  const config::FeatureGates gates;
  const config::LoadedConfig defaults = config::default_config();
  const cache::ClusterObjects objects;
  const auto profile = framework::Profile::build(defaults.config.profiles.at(0), registry, gates, objects).value();
  framework::CountingFrameworkMetrics metrics;
  profile->set_metrics(&metrics);

  cache::SchedulerCache cache;
  cache.set_node(NodeBuilder("small").allocatable("cpu", "1").build());
  cache.set_node(NodeBuilder("big").allocatable("cpu", "8").build());
  cache.set_node(NodeBuilder("cordoned").allocatable("cpu", "8").unschedulable().build());
  const framework::ClusterView view{cache.nodes(), objects};
  const api::PodPtr pod = PodBuilder("a").request("cpu", "2").build();
  const framework::PodToPlace to_place{pod, cache.compile(*pod)};

  const auto pre_filter = run_pre_filter(*profile, to_place, view);
  const auto filtered = run_filters(*profile, pre_filter, to_place, view, {});
  ASSERT_EQ(filtered.feasible.count(), 1u);
  run_scores(*profile, to_place, view, filtered.feasible);

  EXPECT_EQ(metrics.points["preFilter/Success"], 1);
  EXPECT_EQ(metrics.points["filter/Success"], 1);
  EXPECT_EQ(metrics.points["score/Success"], 1);
  EXPECT_EQ(metrics.plugins["preFilter/NodePorts/Skip"], 1);
  EXPECT_EQ(metrics.plugins["filter/NodeUnschedulable/Success"], 1);
  EXPECT_EQ(metrics.nodes["filter/NodeUnschedulable"], 3);
  EXPECT_EQ(metrics.nodes["filter/NodeResourcesFit"], 2) << "the cordoned node was out by then";
  EXPECT_EQ(metrics.nodes["score/NodeResourcesFit"], 1);
}

}  // namespace
}  // namespace berth::plugins
