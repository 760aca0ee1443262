// What the framework tells its metrics, with kube-scheduler's own plugins.
#include <gtest/gtest.h>

#include "berth/cache/testing.h"
#include "berth/framework/attempt.h"
#include "berth/framework/equivalence_cache.h"
#include "berth/framework/metrics.h"
#include "berth/framework/per_node.h"
#include "berth/plugins/equivalence_cache_testing.h"

namespace berth::plugins {
namespace {

using cache::testing::NodeBuilder;
using cache::testing::PodBuilder;

TEST(FrameworkMetrics, CountsEveryPluginAndTheNodesItWasAskedAbout) {
  testing::World world;
  framework::CountingFrameworkMetrics metrics;
  world.profile->set_metrics(&metrics);

  world.cache.set_node(NodeBuilder("small").allocatable("cpu", "1").build());
  world.cache.set_node(NodeBuilder("big").allocatable("cpu", "8").build());
  world.cache.set_node(NodeBuilder("cordoned").allocatable("cpu", "8").unschedulable().build());
  const api::PodPtr pod = PodBuilder("a").request("cpu", "2").build();
  const framework::PodToPlace to_place{pod, world.cache.compile(*pod)};

  const auto pre_filter = run_pre_filter(*world.profile, to_place, world.view);
  const auto filtered = run_filters(*world.profile, pre_filter, to_place, world.view, {});
  ASSERT_EQ(filtered.feasible.count(), 1u);
  run_scores(*world.profile, to_place, world.view, filtered.feasible);

  EXPECT_EQ(metrics.points["preFilter/Success"], 1);
  EXPECT_EQ(metrics.points["filter/Success"], 1);
  EXPECT_EQ(metrics.points["preScore/Success"], 1);
  EXPECT_EQ(metrics.points["score/Success"], 1);
  EXPECT_EQ(metrics.plugins.count("preFilter/NodeUnschedulable/Success"), 0u) << "it is at Filter only";
  EXPECT_EQ(metrics.plugins["preFilter/NodePorts/Skip"], 1);
  EXPECT_EQ(metrics.plugins["filter/NodeUnschedulable/Success"], 1);
  EXPECT_EQ(metrics.nodes["filter/NodeUnschedulable"], 3);
  EXPECT_EQ(metrics.nodes["filter/NodeResourcesFit"], 2) << "the cordoned node was out by then";
  EXPECT_EQ(metrics.nodes["score/NodeResourcesFit"], 1);
}

// One observation of each point per attempt, whether the answer is worked out or remembered.
TEST(FrameworkMetrics, CountsThePointsOfADecisionFromMemory) {
  testing::World world;
  framework::CountingFrameworkMetrics metrics;
  world.profile->set_metrics(&metrics);
  for (const char* name : {"a", "b"}) world.cache.set_node(NodeBuilder(name).allocatable("cpu", "8").build());
  framework::EquivalenceCache memory(*world.profile, world.view);
  const auto decide = [&](const api::PodPtr& pod) { return memory.decide(world.to_place(pod), world.nominated, 0); };

  const api::PodPtr fits = PodBuilder("fits").request("cpu", "2").build();
  const api::PodPtr too_large = PodBuilder("large").request("cpu", "20").build();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(decide(fits).feasible_nodes, 2u);
    ASSERT_EQ(decide(too_large).feasible_nodes, 0u);
  }
  EXPECT_EQ(metrics.points["preFilter/Success"], 6);
  EXPECT_EQ(metrics.points["filter/Success"], 6);
  EXPECT_EQ(metrics.points["preScore/Success"], 3);
  EXPECT_EQ(metrics.points["score/Success"], 3);

  EXPECT_EQ(metrics.classes, (std::map<std::string, std::int64_t>{{"known", 4}, {"built", 2}, {"unknown", 2}}));

  metrics.points.clear();
  const api::PodPtr with_claim = PodBuilder("claiming").claim("data").build();
  EXPECT_EQ(decide(with_claim).feasible_nodes, 0u);
  EXPECT_EQ(metrics.points.size(), 1u) << "the claim is not there, so PreFilter rejects the pod";
  EXPECT_EQ(metrics.classes["unknown"], 3) << "such pods do not share";
}

// About the single pod, so that nothing can be kept.
class Moody final : public framework::Plugin, public framework::PerNodeFilter, public framework::PerNodeScore {
 public:
  std::string_view name() const override { return "Moody"; }
  framework::Status filter(const framework::PodToPlace&, const cache::NodeState&) const override { return {}; }
  std::int64_t score(const framework::PodToPlace&, const cache::NodeState&) const override { return 0; }
};

// Plugins are measured in every so many attempts, and an attempt is what begins with PreFilter.
class CountingBegins final : public framework::FrameworkMetrics {
 public:
  void point_begins(framework::ExtensionPoint point) override { pre_filters += point == Point::kPreFilter; }
  int pre_filters = 0;

 private:
  using Point = framework::ExtensionPoint;
};

// However little can be kept, the plugins of PreFilter are asked once, and Filter and Score do not start over.
TEST(FrameworkMetrics, CountsEachPointOnceIfADecisionCannotBeKept) {
  struct Case {
    std::string_view what;
    std::string plugins;
    bool is_rejected = false;  // by PreFilter
  };
  const std::vector<Case> cases = {
      {"scores", "    score:\n      enabled:\n      - name: Moody\n        weight: 1\n"},
      {"verdicts", "    filter:\n      enabled:\n      - name: Moody\n"},
      {"nothing, it is rejected", "    {}\n", true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    testing::World world;
    world.add_plugin<Moody>("Moody", {config::ExtensionPoint::kFilter, config::ExtensionPoint::kScore}, c.plugins);
    for (const char* node : {"a", "b"}) world.cache.set_node(NodeBuilder(node).allocatable("cpu", "8").build());
    PodBuilder builder("p");
    builder.request("cpu", "1");
    if (c.is_rejected) {
      api::NodeAffinity& affinity = builder.spec().affinity.emplace().node_affinity.emplace();
      api::NodeSelectorTerm& term = affinity.required.emplace().node_selector_terms.emplace_back();
      const Symbol in("In"), name("metadata.name");
      term.match_fields = {{name, in, {Symbol("a")}}, {name, in, {Symbol("b")}}};
    }
    const framework::PodToPlace pod = world.to_place(builder.build());

    CountingBegins begins;
    world.profile->set_metrics(&begins);
    framework::EquivalenceCache(*world.profile, world.view).decide(pod, world.nominated, 0);
    EXPECT_EQ(begins.pre_filters, 1);

    framework::CountingFrameworkMetrics metrics;
    world.profile->set_metrics(&metrics);
    framework::EquivalenceCache memory(*world.profile, world.view);
    for (int i = 0; i < 3; ++i) memory.decide(pod, world.nominated, 0);
    if (c.is_rejected) {
      EXPECT_EQ(metrics.points, (std::map<std::string, std::int64_t>{{"preFilter/UnschedulableAndUnresolvable", 3}}));
    } else {
      EXPECT_EQ(metrics.points,
                (std::map<std::string, std::int64_t>{
                    {"filter/Success", 3}, {"preFilter/Success", 3}, {"preScore/Success", 3}, {"score/Success", 3}}));
    }
    const std::int64_t times_asked = metrics.plugins["preFilter/NodeAffinity/Success"] +
                                     metrics.plugins["preFilter/NodeAffinity/UnschedulableAndUnresolvable"] +
                                     metrics.plugins["preFilter/NodeAffinity/Skip"];
    EXPECT_EQ(times_asked, c.what == "scores" ? 1 : 3);
  }
}

TEST(FrameworkMetrics, CountsTheClassesThatMakeRoomForOthers) {
  testing::World world;
  framework::CountingFrameworkMetrics metrics;
  world.profile->set_metrics(&metrics);
  world.cache.set_node(NodeBuilder("a").allocatable("cpu", "8").build());
  framework::EquivalenceCache memory(*world.profile, world.view, {.max_bytes = 1});

  for (const char* cpu : {"1", "2", "1"}) {
    const api::PodPtr pod = PodBuilder("p").request("cpu", cpu).build();
    ASSERT_EQ(memory.decide(world.to_place(pod), world.nominated, 0).feasible_nodes, 1u);
  }
  EXPECT_EQ(metrics.classes, (std::map<std::string, std::int64_t>{{"forgotten", 2}, {"built", 3}, {"unknown", 3}}));
}

}  // namespace
}  // namespace berth::plugins
