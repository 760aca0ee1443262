#include "berth/plugins/taint_toleration.h"

#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

constexpr std::string_view kUntolerated = "UnschedulableAndUnresolvable | node(s) had untolerated taint(s)";

NodeSketch tainted(std::string_view key, std::string_view value, std::string_view effect) {
  return NodeSketch("n").with([=](api::Node& node) {
    node.spec.taints.push_back(
        {.key = Symbol(key), .value = Symbol(value), .effect = Symbol(effect), .time_added = {}});
  });
}

Shape tolerating(std::string_view key, std::string_view op, std::string_view value, std::string_view effect) {
  return [=](api::PodTemplate& pod) {
    pod.tolerations.push_back({.key = Symbol(key),
                               .op = Symbol(op),
                               .value = Symbol(value),
                               .effect = Symbol(effect),
                               .toleration_seconds = {}});
  };
}

TEST(TaintToleration, KeepsPodsOffNodesWithTaintsTheyDoNotTolerate) {
  const PodSketch pod("p");
  const struct {
    std::string_view what;
    NodeSketch node;
    PodSketch pod;
    std::string_view verdict;
  } cases[] = {
      {"no taint", NodeSketch("n"), pod, "Success"},
      {"NoSchedule", tainted("gpu", "yes", "NoSchedule"), pod, kUntolerated},
      {"NoExecute", tainted("gpu", "yes", "NoExecute"), pod, kUntolerated},
      {"PreferNoSchedule", tainted("gpu", "yes", "PreferNoSchedule"), pod, "Success"},
      {"same value", tainted("gpu", "yes", "NoSchedule"), pod.shaped(tolerating("gpu", "Equal", "yes", "NoSchedule")),
       "Success"},
      {"another value", tainted("gpu", "no", "NoSchedule"), pod.shaped(tolerating("gpu", "", "yes", "NoSchedule")),
       kUntolerated},
      {"another effect", tainted("gpu", "yes", "NoExecute"), pod.shaped(tolerating("gpu", "Exists", "", "NoSchedule")),
       kUntolerated},
      {"every effect", tainted("gpu", "yes", "NoExecute"), pod.shaped(tolerating("gpu", "Exists", "", "")), "Success"},
      {"one of two", tainted("gpu", "yes", "NoSchedule").tainted("other", "NoSchedule"),
       pod.shaped(tolerating("gpu", "Exists", "", "")), kUntolerated},
      {"a number above, with the gate off", tainted("size", "5", "NoSchedule"),
       pod.shaped(tolerating("size", "Gt", "3", "NoSchedule")), kUntolerated},
  };
  for (const auto& each : cases) {
    PluginWorld world;
    world.node(each.node);
    EXPECT_EQ(world.verdict(make_taint_toleration, each.pod, "n"), each.verdict) << each.what;
  }
}

TEST(TaintToleration, ComparesNumbersIfTheGateIsOn) {
  PluginWorld world;
  world.gates = world.gates.with(config::Feature::kTaintTolerationComparisonOperators, true);
  world.node(tainted("size", "5", "NoSchedule"));
  const PodSketch pod("p");
  const auto verdict = [&](std::string_view op, std::string_view value) {
    return world.verdict(make_taint_toleration, pod.shaped(tolerating("size", op, value, "NoSchedule")), "n");
  };
  EXPECT_EQ(verdict("Gt", "3"), "Success");
  EXPECT_EQ(verdict("Gt", "5"), kUntolerated);
  EXPECT_EQ(verdict("Lt", "6"), "Success");
  EXPECT_EQ(verdict("Lt", "six"), kUntolerated);
}

TEST(TaintToleration, ScoresByTaintsThatShouldBeAvoided) {
  PluginWorld world;
  world.node(
      NodeSketch("n").tainted("a", "PreferNoSchedule").tainted("b", "PreferNoSchedule").tainted("c", "NoSchedule"));
  const PodSketch pod("p");
  EXPECT_EQ(world.score(make_taint_toleration, pod, "n"), 2);
  EXPECT_EQ(world.score(make_taint_toleration, pod.shaped(tolerating("a", "Exists", "", "")), "n"), 1);
  EXPECT_EQ(world.score(make_taint_toleration, pod.shaped(tolerating("a", "Exists", "", "PreferNoSchedule")), "n"), 1);
  // A toleration of another effect says nothing about this one.
  EXPECT_EQ(world.score(make_taint_toleration, pod.shaped(tolerating("a", "Exists", "", "NoSchedule")), "n"), 2);
  EXPECT_EQ(world.score(make_taint_toleration, pod.shaped(tolerating("", "Exists", "", "")), "n"), 0);
}

}  // namespace
}  // namespace berth::plugins
