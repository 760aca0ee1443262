#include "berth/plugins/node_resources_fit.h"

#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

// A node for 110 pods.
NodeSketch node_of(std::string_view cpu, std::string_view memory) {
  return NodeSketch("n").having("pods", "110").having("cpu", cpu).having("memory", memory);
}

Shape at_pod_level(std::string_view resource, std::string_view amount) {
  return [resource = Symbol(resource), amount = api::Quantity::parse(amount).value()](api::PodTemplate& pod) {
    if (!pod.resources) pod.resources.emplace();
    pod.resources->requests[resource] = amount;
  };
}

config::NodeResourcesFitArgs strategy(std::string type, std::vector<config::ResourceSpec> resources,
                                      std::vector<config::UtilizationShapePoint> shape = {}) {
  config::NodeResourcesFitArgs args;
  args.scoring_strategy.emplace();
  args.scoring_strategy->type = std::move(type);
  args.scoring_strategy->resources = std::move(resources);
  if (!shape.empty()) args.scoring_strategy->requested_to_capacity_ratio.emplace().shape = std::move(shape);
  return args;
}

TEST(NodeResourcesFit, ReportsAllThatIsShort) {
  const PodSketch pod("p");
  const NodeSketch node = node_of("4", "8Gi").having("ephemeral-storage", "10Gi").having("example.com/gpu", "2");
  const PodSketch there = PodSketch("there").on("n").shaped(asking("cpu", "3")).shaped(asking("memory", "7Gi"));
  const struct {
    std::string_view what;
    NodeSketch node;
    PodSketch there, pod;
    std::string_view verdict;
  } cases[] = {
      {"it fits", node, there, pod.shaped(asking("cpu", "1")).shaped(asking("memory", "1Gi")), "Success"},
      {"one thing", node, there, pod.shaped(asking("cpu", "1001m")), "Unschedulable | Insufficient cpu"},
      {"two things", node, there, pod.shaped(asking("cpu", "2")).shaped(asking("memory", "2Gi")),
       "Unschedulable | Insufficient cpu | Insufficient memory"},
      {"more than the node has", node, there, pod.shaped(asking("cpu", "5")).shaped(asking("memory", "2Gi")),
       "UnschedulableAndUnresolvable | Insufficient cpu | Insufficient memory"},
      {"disk", node, there, pod.shaped(asking("ephemeral-storage", "11Gi")),
       "UnschedulableAndUnresolvable | Insufficient ephemeral-storage"},
      {"an extended resource", node, there.shaped(asking("example.com/gpu", "1")),
       pod.shaped(asking("example.com/gpu", "2")), "Unschedulable | Insufficient example.com/gpu"},
      {"a resource that the node does not have", node, there, pod.shaped(asking("example.com/tpu", "1")),
       "UnschedulableAndUnresolvable | Insufficient example.com/tpu"},
      {"none of it", node, there, pod.shaped(asking("example.com/tpu", "0")), "Success"},
      {"extended resources by name", node, there,
       pod.shaped(asking("z.com/z", "1")).shaped(asking("a.com/a", "1")).shaped(asking("hugepages-2Mi", "2Mi")),
       "UnschedulableAndUnresolvable | Insufficient a.com/a | Insufficient hugepages-2Mi | Insufficient z.com/z"},
      {"one pod too many", node.having("pods", "1"), there, pod, "Unschedulable | Too many pods"},
      {"pods and more", node.having("pods", "1"), there, pod.shaped(asking("cpu", "2")),
       "Unschedulable | Too many pods | Insufficient cpu"},
      {"nothing asked of a node that is too full", node.having("cpu", "1"), there, pod, "Success"},
      {"only memory asked of a node with too little cpu", node.having("cpu", "1"), there,
       pod.shaped(asking("memory", "1Gi")), "Success"},
      {"spec.resources count for the whole pod", node, there,
       pod.shaped(asking("cpu", "100m")).shaped(at_pod_level("cpu", "2")), "Unschedulable | Insufficient cpu"},
  };
  for (const auto& each : cases) {
    PluginWorld world;
    world.node(each.node).place(each.there);
    EXPECT_EQ(world.verdict(make_node_resources_fit, each.pod, "n"), each.verdict) << each.what;
  }
}

TEST(NodeResourcesFit, IgnoresExtendedResourcesAsTold) {
  PluginWorld world;
  config::NodeResourcesFitArgs args = strategy("LeastAllocated", {{"cpu", 1}});
  args.ignored_resources = {"example.com/gpu", "hugepages-2Mi"};
  args.ignored_resource_groups = {"other.com"};
  world.args = args;
  world.node(node_of("4", "8Gi"));
  const auto verdict = [&](std::string_view resource) {
    return world.verdict(make_node_resources_fit, PodSketch("p").shaped(asking(resource, "2Mi")), "n");
  };
  EXPECT_EQ(verdict("example.com/gpu"), "Success");
  EXPECT_EQ(verdict("other.com/anything"), "Success");
  EXPECT_EQ(verdict("example.com/other"), "UnschedulableAndUnresolvable | Insufficient example.com/other");
  // Only extended resources can be ignored.
  EXPECT_EQ(verdict("hugepages-2Mi"), "UnschedulableAndUnresolvable | Insufficient hugepages-2Mi");
}

TEST(NodeResourcesFit, LeavesResourcesThatDevicesStandForToDynamicResources) {
  PluginWorld world;
  api::DeviceClass device_class;
  device_class.metadata.name = "gpus";
  device_class.spec.extended_resource_name = Symbol("example.com/gpu");
  ASSERT_TRUE(world.objects.set(any(device_class)));
  world.node(node_of("4", "8Gi"));
  const PodSketch pod("p");
  const PodSketch wanting = pod.shaped(asking("example.com/gpu", "1"));
  EXPECT_EQ(world.verdict(make_node_resources_fit, wanting, "n"), "Success");
  EXPECT_EQ(
      world.verdict(make_node_resources_fit, pod.shaped(asking("deviceclass.resource.kubernetes.io/gpus", "1")), "n"),
      "Success");
  EXPECT_EQ(
      world.verdict(make_node_resources_fit, pod.shaped(asking("deviceclass.resource.kubernetes.io/others", "1")), "n"),
      "UnschedulableAndUnresolvable | Insufficient deviceclass.resource.kubernetes.io/others");
  // A node that has the resource itself is judged by what it has.
  world.node(node_of("4", "8Gi").having("example.com/gpu", "1")).place(wanting.with([](api::Pod& there) {
    there.metadata.uid = "there";
    there.spec.node_name = Symbol("n");
  }));
  EXPECT_EQ(world.verdict(make_node_resources_fit, wanting, "n"), "Unschedulable | Insufficient example.com/gpu");
  world.gates = world.gates.with(config::Feature::kDRAExtendedResource, false);
  world.node(node_of("4", "8Gi"));
  EXPECT_EQ(world.verdict(make_node_resources_fit, wanting, "n"),
            "UnschedulableAndUnresolvable | Insufficient example.com/gpu");
}

// The numbers are those of section 16 of the specification, computed there or run on kube-scheduler's code.
TEST(NodeResourcesFit, PrefersEmptyNodes) {
  const PodSketch there = PodSketch("there").on("n").shaped(asking("cpu", "1")).shaped(asking("memory", "1Gi"));
  PluginWorld world;
  world.node(node_of("4", "8Gi")).place(there);
  const PodSketch pod("p");
  EXPECT_EQ(
      world.score(make_node_resources_fit, pod.shaped(asking("cpu", "100m")).shaped(asking("memory", "200Mi")), "n"),
      78);
  EXPECT_EQ(world.score(make_node_resources_fit, pod.shaped(asking("cpu", "2")).shaped(asking("memory", "100Mi")), "n"),
            55);
  // A container that asks for nothing counts for 100m and 200Mi.
  EXPECT_EQ(
      world.score(make_node_resources_fit, pod.shaped([](api::PodTemplate& spec) { spec.containers.resize(1); }), "n"),
      78);
  EXPECT_EQ(world.score(make_node_resources_fit, pod.shaped(asking("cpu", "5")).shaped(asking("memory", "9Gi")), "n"),
            0);
}

TEST(NodeResourcesFit, PrefersFullNodesIfToldTo) {
  PluginWorld world;
  world.args = strategy("MostAllocated", {{"cpu", 1}, {"memory", 3}});
  world.node(node_of("4", "8Gi"));
  EXPECT_EQ(world.score(make_node_resources_fit,
                        PodSketch("p").shaped(asking("cpu", "1")).shaped(asking("memory", "4Gi")), "n"),
            (25 + 3 * 50) / 4);
  EXPECT_EQ(world.score(make_node_resources_fit,
                        PodSketch("p").shaped(asking("cpu", "8")).shaped(asking("memory", "9Gi")), "n"),
            100);
}

TEST(NodeResourcesFit, PrefersAShapeIfToldTo) {
  const struct {
    std::vector<config::UtilizationShapePoint> shape;
    std::int64_t score;
  } cases[] = {
      {{{0, 0}, {100, 10}}, 23},
      {{{0, 10}, {100, 0}}, 77},
      {{{0, 0}, {50, 10}, {100, 0}}, 31},
      {{{50, 0}, {100, 10}}, 24},  // memory scores 0 and is left out
  };
  for (const auto& each : cases) {
    PluginWorld world;
    world.args = strategy("RequestedToCapacityRatio", {{"cpu", 1}, {"memory", 2}}, each.shape);
    world.node(node_of("4", "8Gi"))
        .place(PodSketch("there").on("n").shaped(asking("cpu", "1")).shaped(asking("memory", "200Mi")));
    const PodSketch pod = PodSketch("p").shaped(asking("cpu", "1500m")).shaped(asking("memory", "200Mi"));
    EXPECT_EQ(world.score(make_node_resources_fit, pod, "n"), each.score) << each.shape.front().utilization;
  }
}

TEST(NodeResourcesFit, ScoresOnlyResourcesThatMatter) {
  PluginWorld world;
  world.args = strategy("LeastAllocated", {{"cpu", 1}, {"example.com/gpu", 5}, {"ephemeral-storage", 1}});
  world.node(node_of("4", "8Gi").having("example.com/gpu", "4"));
  const PodSketch pod = PodSketch("p").shaped(asking("cpu", "2"));
  // The node has no ephemeral storage, and the pod wants no gpu.
  EXPECT_EQ(world.score(make_node_resources_fit, pod, "n"), 50);
  EXPECT_EQ(world.score(make_node_resources_fit, pod.shaped(asking("example.com/gpu", "1")), "n"), (50 + 5 * 75) / 6);
}

TEST(NodeResourcesFit, ScoresWhatThePodWillCountFor) {
  PluginWorld world;
  world.args = strategy("LeastAllocated", {{"cpu", 1}});
  world.node(node_of("4", "8Gi"));
  const PodSketch pod = PodSketch("p").shaped(asking("cpu", "100m")).shaped(at_pod_level("cpu", "3"));
  EXPECT_EQ(world.score(make_node_resources_fit, pod, "n"), 25);
  world.quirks.fit_score_ignores_pod_level_requests = true;
  EXPECT_EQ(world.score(make_node_resources_fit, pod, "n"), 97);
}

TEST(NodeResourcesFit, RefusesArgumentsThatMakeNoSense) {
  const auto error_of = [](config::NodeResourcesFitArgs args) {
    PluginWorld world;
    world.args = std::move(args);
    const auto made = world.try_make(make_node_resources_fit);
    return made ? std::string() : made.error().message();
  };
  const std::vector<config::ResourceSpec> cpu = {{"cpu", 1}};
  config::NodeResourcesFitArgs grouped = strategy("LeastAllocated", cpu);
  grouped.ignored_resource_groups = {"a/b"};
  EXPECT_EQ(error_of(grouped),
            "ignoredResourceGroups[0]: Invalid value: \"a/b\": resource group name can't contain '/'");
  EXPECT_EQ(error_of({}), "scoringStrategy: Required value: ScoringStrategy field is required");
  EXPECT_EQ(error_of(strategy("Best", cpu)),
            "scoringStrategy.type: Unsupported value: \"Best\": supported values: \"LeastAllocated\", "
            "\"MostAllocated\", \"RequestedToCapacityRatio\"");
  EXPECT_EQ(
      error_of(strategy("MostAllocated", {{"cpu", 101}})),
      "scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]");
  EXPECT_EQ(error_of(strategy("RequestedToCapacityRatio", cpu)),
            "scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is "
            "RequestedToCapacityRatio");
  EXPECT_EQ(
      error_of(strategy("MostAllocated", cpu, {{0, 0}})),
      "scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not RequestedToCapacityRatio");
  EXPECT_EQ(error_of(strategy("RequestedToCapacityRatio", cpu, {{0, 0}, {100, 11}})),
            "scoringStrategy.requestedToCapacityRatio.shape[1].score: Invalid value: 11: not in valid range [0, 10]");
  EXPECT_EQ(error_of(strategy("LeastAllocated", cpu)), "");
}

}  // namespace
}  // namespace berth::plugins
