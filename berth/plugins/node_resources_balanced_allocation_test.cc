#include "berth/plugins/node_resources_balanced_allocation.h"

#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

NodeSketch node_of(std::string_view cpu, std::string_view memory) {
  return NodeSketch("n").having("pods", "110").having("cpu", cpu).having("memory", memory);
}
PodSketch pod_of(std::string_view cpu, std::string_view memory) {
  return PodSketch("p").shaped(asking("cpu", cpu)).shaped(asking("memory", memory));
}

TEST(NodeResourcesBalancedAllocation, PrefersNodesThatThePodBalances) {
  const struct {
    std::string_view what;
    PodSketch there, pod;
    std::int64_t score;
  } cases[] = {
      {"hardly a change", pod_of("1", "1Gi"), pod_of("100m", "200Mi"), 75},
      {"worse", pod_of("1", "1Gi"), pod_of("2", "100Mi"), 63},
      {"better", pod_of("3", "0"), pod_of("0", "6Gi"), 94},  // 100 after 62 before: 50 + (50 + 38) / 2
      {"as much as the node has, and more", pod_of("0", "0"), pod_of("8", "0"), 50},
  };
  for (const auto& each : cases) {
    PluginWorld world;
    world.node(node_of("4", "8Gi")).place(each.there.with([](api::Pod& there) {
      there.metadata.uid = "there";
      there.spec.node_name = Symbol("n");
    }));
    EXPECT_EQ(world.score(make_node_resources_balanced_allocation, each.pod, "n"), each.score) << each.what;
  }
}

TEST(NodeResourcesBalancedAllocation, SkipsPodsThatAskForNothing) {
  PluginWorld world;
  world.node(node_of("4", "8Gi"));
  EXPECT_EQ(world.score(make_node_resources_balanced_allocation, PodSketch("p"), "n"), -1);
  EXPECT_EQ(
      world.score(make_node_resources_balanced_allocation, PodSketch("p").shaped(asking("example.com/gpu", "1")), "n"),
      -1);
}

TEST(NodeResourcesBalancedAllocation, TakesMoreThanTwoResources) {
  PluginWorld world;
  world.args = config::NodeResourcesBalancedAllocationArgs{{{"cpu", 1}, {"memory", 1}, {"example.com/gpu", 1}}};
  world.node(node_of("4", "8Gi").having("example.com/gpu", "4"));
  // Shares 1/2, 1/4 and 1/4: their deviation is sqrt(1/72), so 88 of 100.
  EXPECT_EQ(world.score(make_node_resources_balanced_allocation,
                        pod_of("2", "2Gi").shaped(asking("example.com/gpu", "1")), "n"),
            50 + (50 + 88 - 100) / 2);
  // The gpu does not count for a pod that does not want one.
  EXPECT_EQ(world.score(make_node_resources_balanced_allocation, pod_of("2", "2Gi"), "n"), 50 + (50 + 87 - 100) / 2);
}

TEST(NodeResourcesBalancedAllocation, AResourceThatTheNodeLacksIsLeftOut) {
  PluginWorld world;
  world.node(NodeSketch("n").having("cpu", "4"));
  EXPECT_EQ(world.score(make_node_resources_balanced_allocation, pod_of("4", "1Gi"), "n"), 75);
}

TEST(NodeResourcesBalancedAllocation, RefusesWeightsAndRepetitions) {
  PluginWorld world;
  world.args = config::NodeResourcesBalancedAllocationArgs{{{"cpu", 1}, {"cpu", 2}}};
  const auto made = world.try_make(make_node_resources_balanced_allocation);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message(),
            "[resources[1].name: Duplicate value: \"cpu\", resources[1].weight: Invalid value: 2: must be 1]");
}

}  // namespace
}  // namespace berth::plugins
