// ClassMemory against the step-by-step functions, with kube-scheduler's own plugins on random histories: pods are
// placed where it says, removed, nodes come, go and change, and every decision must be the one that starting from
// scratch gives.
#include "berth/framework/class_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "berth/base/rng.h"
#include "berth/cache/scheduler_cache.h"
#include "berth/cache/testing.h"
#include "berth/config/load.h"
#include "berth/framework/per_node.h"
#include "berth/plugins/default_plugins.h"

namespace berth::plugins {
namespace {

using cache::testing::NodeBuilder;
using cache::testing::PodBuilder;
using framework::ClassMemory;
using framework::Decision;
using framework::PodToPlace;

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kHost = "kubernetes.io/hostname";

struct World {
  framework::PluginRegistry registry = default_registry();
  config::FeatureGates gates;
  cache::ClusterObjects objects;
  cache::SchedulerCache cache;
  std::unique_ptr<framework::Profile> profile;
  framework::ClusterView view{cache.nodes(), objects};
  framework::NominatedPods nominated;

  World() : World(config::default_config()) {}
  explicit World(const config::LoadedConfig& loaded) {
    profile = framework::Profile::build(loaded.config.profiles.at(0), registry, gates, objects).value();
  }
  PodToPlace to_place(const api::PodPtr& pod) { return {pod, cache.compile(*pod)}; }
};

api::PodAffinityTerm term(std::string_view app, std::string_view key) {
  api::PodAffinityTerm made;
  made.label_selector.emplace().match_labels[Symbol("app")] = Symbol(app);
  made.topology_key = Symbol(key);
  return made;
}

// One pod of each class.
std::vector<api::PodPtr> class_pods() {
  std::vector<api::PodPtr> pods;
  for (int i = 0; i < 17; ++i) {
    const std::string app = fmt::format("app-{}", i % 4);
    PodBuilder builder(fmt::format("class-{}", i));
    builder.label("app", app).request("cpu", fmt::format("{}m", 200 + 100 * (i % 3))).request("memory", "256Mi");
    api::PodTemplate& spec = builder.spec();
    api::Affinity affinity;
    switch (i) {
      case 3: affinity.pod_affinity.emplace().required.push_back(term(app, kZone)); break;
      case 4: affinity.pod_anti_affinity.emplace().required.push_back(term(app, kHost)); break;
      case 5:
        affinity.pod_affinity.emplace().preferred.push_back({30, term("app-1", kZone)});
        affinity.pod_anti_affinity.emplace().preferred.push_back({50, term(app, kHost)});
        break;
      case 6:
      case 7: {
        api::TopologySpreadConstraint& constraint = spec.topology_spread_constraints.emplace_back();
        constraint.max_skew = 1;
        constraint.topology_key = Symbol(kZone);
        constraint.when_unsatisfiable = Symbol(i == 6 ? "DoNotSchedule" : "ScheduleAnyway");
        constraint.label_selector.emplace().match_labels[Symbol("app")] = Symbol(app);
        break;
      }
      case 8: spec.node_selector[Symbol("disk")] = Symbol("ssd"); break;
      case 9: builder.host_port(8080); break;
      case 10: {
        api::Toleration& toleration = spec.tolerations.emplace_back();
        toleration.op = Symbol("Exists");
        break;
      }
      case 11: builder.request("cpu", "64"); break;
      case 12: spec.containers[0].image = Symbol("nginx:1"); break;
      case 13: {
        api::PreferredSchedulingTerm& preferred = affinity.node_affinity.emplace().preferred.emplace_back();
        preferred.weight = 40;
        preferred.preference.match_expressions.push_back({Symbol("disk"), Symbol("In"), {Symbol("ssd")}});
        break;
      }
      case 14: builder.priority(100); break;
      case 15: builder.name_space("other"); break;
      case 16: builder.host_port(8080); break;
      default: break;
    }
    if (affinity != api::Affinity()) spec.affinity = affinity;
    pods.push_back(builder.build());
  }
  return pods;
}

api::NodePtr random_node(Rng& rng, const std::string& name) {
  NodeBuilder builder(name);
  builder.allocatable("cpu", fmt::format("{}", 2 + rng.below(6))).allocatable("memory", "8Gi");
  builder.allocatable("pods", "12").label(kHost, name);
  if (!rng.chance(1, 8)) builder.zone(fmt::format("z{}", rng.below(3)));
  if (rng.chance(1, 3)) builder.label("disk", rng.chance(1, 2) ? "ssd" : "hdd");
  if (rng.chance(1, 6)) builder.taint("dedicated", "x", rng.chance(1, 2) ? "NoSchedule" : "PreferNoSchedule");
  if (rng.chance(1, 10)) builder.unschedulable();
  if (rng.chance(1, 3)) builder.image("nginx:1", 500 << 20);
  return builder.build();
}

// What a memory that remembers nothing would say.
void expect_same(World& world, const PodToPlace& pod, const Decision& decision, std::uint64_t rotation) {
  ClassMemory fresh(*world.profile, world.view);
  const Decision expected = fresh.decide(pod, world.nominated, rotation);
  ASSERT_EQ(decision.row, expected.row);
  ASSERT_EQ(decision.feasible_nodes, expected.feasible_nodes);

  // And fresh against the definitions.
  const auto pre_filter = run_pre_filter(*world.profile, pod, world.view);
  ASSERT_TRUE(pre_filter.status.is_success());
  const auto filtered = run_filters(*world.profile, pre_filter, pod, world.view, world.nominated);
  ASSERT_EQ(decision.feasible_nodes, filtered.feasible.count());
  if (filtered.feasible.none()) {
    ASSERT_NE(decision.filtered, nullptr);
    const framework::FailedAttempt is(*world.profile, pod, world.view, world.nominated, *decision.pre_filter,
                                      decision.filtered);
    const framework::FailedAttempt should(*world.profile, pod, world.view, world.nominated, pre_filter, &filtered);
    ASSERT_EQ(is.message(), should.message());
    ASSERT_EQ(is.rejecting_plugins(), should.rejecting_plugins());
    return;
  }
  if (decision.feasible_nodes == 1) return;
  const auto scores = run_scores(*world.profile, pod, world.view, filtered.feasible);
  const auto best = scores.best(filtered.feasible);
  const auto start = static_cast<cache::RowId>(rotation % world.cache.nodes().rows());
  const auto next = std::lower_bound(best.begin(), best.end(), start);
  ASSERT_EQ(decision.row, next == best.end() ? best.front() : *next);
}

TEST(ClassMemory, DecidesAsIfItRememberedNothing) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    World world;
    ClassMemory memory(*world.profile, world.view);
    const std::vector<api::PodPtr> classes = class_pods();
    std::map<std::string, api::PodPtr> placed;
    for (int i = 0; i < 25; ++i) world.cache.set_node(random_node(rng, fmt::format("n{}", i)));
    if (seed % 3 == 0) {
      const api::PodPtr waiting = PodBuilder("nominated").priority(10).request("cpu", "2").build();
      world.nominated.add(Symbol("n3"), {waiting, world.cache.compile(*waiting), nullptr});
    }
    for (int step = 0; step < 400; ++step) {
      SCOPED_TRACE(step);
      const std::string node = fmt::format("n{}", rng.below(28));
      if (rng.chance(1, 60)) {
        world.cache.set_node(random_node(rng, node));
      } else if (rng.chance(1, 150)) {
        if (const auto row = world.cache.nodes().row_of(Symbol(node));
            row != cache::kNoRow && world.cache.nodes().at(row).node) {
          ASSERT_TRUE(world.cache.remove_node(*world.cache.nodes().at(row).node));
        }
      } else if (!placed.empty() && rng.chance(1, 3)) {
        const auto it = std::next(placed.begin(), static_cast<std::ptrdiff_t>(rng.below(placed.size())));
        ASSERT_TRUE(world.cache.remove(*it->second));
        placed.erase(it);
      }
      const std::string name = fmt::format("p{}", step);
      const api::Pod& like = *classes[rng.below(classes.size())];
      const PodToPlace pod = world.to_place(PodBuilder(name, like).build());
      const std::uint64_t rotation = rng.next_u64();
      const Decision decision = memory.decide(pod, world.nominated, rotation);
      ASSERT_NO_FATAL_FAILURE(expect_same(world, pod, decision, rotation)) << like.metadata.name;
      if (decision.row == cache::kNoRow || rng.chance(1, 4)) continue;
      placed[name] = PodBuilder(name, like).on(world.cache.nodes().at(decision.row).name.text()).build();
      ASSERT_TRUE(world.cache.add(placed[name]));
    }
    EXPECT_LT(memory.counts().classes_built, memory.counts().decisions / 2) << "it remembers next to nothing";
    EXPECT_GT(memory.counts().rows_asked_again, 0u);
    EXPECT_LT(memory.tables(), memory.classes()) << "no classes share what they need";
  }
}

// Nodes are asked again once for all classes that differ only in labels or in rules about other pods.
TEST(ClassMemory, ClassesWithTheSameNeedsShareATable) {
  World world;
  for (int i = 0; i < 4; ++i) {
    world.cache.set_node(NodeBuilder(fmt::format("n{}", i)).allocatable("cpu", "8").build());
  }
  ClassMemory memory(*world.profile, world.view);
  std::vector<api::PodPtr> pods;
  for (const char* app : {"a", "b", "c"}) {
    PodBuilder builder(app);
    builder.label("app", app).request("cpu", "1");
    if (*app == 'c') {
      builder.priority(5);
      builder.spec().affinity.emplace().pod_anti_affinity.emplace().required.push_back(term(app, kHost));
      builder.spec().containers[0].image = Symbol("another");
    }
    pods.push_back(builder.build());
  }
  pods.push_back(PodBuilder("d").request("cpu", "2").build());
  for (const api::PodPtr& pod : pods) memory.decide(world.to_place(pod), world.nominated, 0);
  EXPECT_EQ(memory.classes(), 4u);
  EXPECT_EQ(memory.tables(), 2u);
  EXPECT_EQ(memory.counts().tables_built, 2u);

  ASSERT_TRUE(world.cache.add(PodBuilder("e", *pods[0]).on("n0").build()));
  for (const api::PodPtr& pod : pods) memory.decide(world.to_place(pod), world.nominated, 0);
  EXPECT_EQ(memory.counts().rows_asked_again, 2u);
  EXPECT_EQ(memory.counts().classes_built, 4u);
}

TEST(ClassMemory, SharesTheVerdictAboutASiblingWhileNothingChanges) {
  World world;
  world.cache.set_node(NodeBuilder("n1").allocatable("cpu", "1").build());
  ClassMemory memory(*world.profile, world.view);
  const api::PodPtr first = PodBuilder("a").request("cpu", "2").build();
  const api::PodPtr second = PodBuilder("b", *first).build();
  EXPECT_EQ(memory.decide(world.to_place(first), world.nominated, 0).row, cache::kNoRow);
  EXPECT_EQ(memory.decide(world.to_place(second), world.nominated, 0).row, cache::kNoRow);
  EXPECT_EQ(memory.counts().classes_built, 1u);
  EXPECT_EQ(memory.counts().rows_asked_again, 0u);
  EXPECT_EQ(memory.counts().shared_rejections, 1u);

  world.cache.set_node(NodeBuilder("n1").allocatable("cpu", "4").build());
  EXPECT_EQ(memory.decide(world.to_place(second), world.nominated, 0).row, 0u);
}

TEST(ClassMemory, ForgetsTheClassNotAskedForTheLongest) {
  World world;
  world.cache.set_node(NodeBuilder("n1").allocatable("cpu", "8").build());
  ClassMemory memory(*world.profile, world.view, {.max_bytes = 60});
  std::vector<api::PodPtr> pods;
  for (int i = 0; i < 5; ++i) pods.push_back(PodBuilder("a").label("app", fmt::format("{}", i)).build());
  for (const api::PodPtr& pod : pods) memory.decide(world.to_place(pod), world.nominated, 0);
  EXPECT_EQ(memory.classes(), 3u);
  EXPECT_EQ(memory.tables(), 1u);
  memory.decide(world.to_place(pods.back()), world.nominated, 0);
  EXPECT_EQ(memory.counts().classes_built, 5u);
  memory.decide(world.to_place(pods.front()), world.nominated, 0);
  EXPECT_EQ(memory.counts().classes_built, 6u);
}

TEST(ClassMemory, TakesTheStepsIfScoresAreTooLargeToBeKept) {
  const auto loaded = config::load_config(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "profiles:\n- pluginConfig: []\n  plugins:\n    score:\n      disabled:\n      - name: NodeResourcesFit\n"
      "      enabled:\n      - name: NodeResourcesFit\n        weight: 100000000\n",
      {});
  ASSERT_TRUE(loaded.has_value());
  World world(*loaded);
  for (const char* cpu : {"2", "8", "4"}) {
    world.cache.set_node(NodeBuilder(std::string("n") + cpu).allocatable("cpu", cpu).build());
  }
  ClassMemory memory(*world.profile, world.view);
  const PodToPlace pod = world.to_place(PodBuilder("a").request("cpu", "1").build());
  EXPECT_EQ(memory.decide(pod, world.nominated, 0).row, 1u);
  EXPECT_EQ(memory.decide(pod, world.nominated, 0).row, 1u);
  EXPECT_EQ(memory.counts().step_by_step, 2u);
}

// Likes and takes nodes by the label of the pod, which is not among what the pod needs of a node.
class ByLabel final : public framework::Plugin, public framework::PerNodeFilter, public framework::PerNodeScore {
 public:
  std::string_view name() const override { return "ByLabel"; }
  framework::Status filter(const PodToPlace& pod, const cache::NodeState& node) const override {
    const Symbol* avoided = pod->metadata.labels->find(Symbol("avoids"));
    const bool passes = avoided == nullptr || *avoided != node.name;
    return passes ? framework::Status() : framework::Status::unschedulable("node(s) are avoided");
  }
  bool is_filter_by_class() const override { return true; }
  std::int64_t score(const PodToPlace& pod, const cache::NodeState& node) const override {
    const Symbol* liked = pod->metadata.labels->find(Symbol("likes"));
    return liked != nullptr && *liked == node.name ? 100 : 0;
  }
  bool is_score_by_class() const override { return true; }
};

TEST(ClassMemory, PluginsThatLookAtTheClassAreAskedForEachClass) {
  for (const char* points : {"filter score", "score"}) {
    SCOPED_TRACE(points);
    World world;
    (void)world.registry.add({.name = "ByLabel",
                              .points = {config::ExtensionPoint::kFilter, config::ExtensionPoint::kScore},
                              .build = [](const auto&) { return std::make_unique<ByLabel>(); }});
    std::string plugins;
    for (const std::string_view point : {"filter", "score"}) {
      if (std::string_view(points).find(point) == std::string_view::npos) continue;
      plugins += fmt::format("    {}:\n      enabled:\n      - name: ByLabel\n", point);
      if (point == "score") plugins += "        weight: 100\n";
    }
    const auto loaded = config::load_config(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- plugins:\n" +
            plugins,
        {.gates = {}, .out_of_tree = world.registry.out_of_tree()});
    ASSERT_TRUE(loaded.has_value());
    world.profile =
        framework::Profile::build(loaded->config.profiles.at(0), world.registry, world.gates, world.objects).value();
    for (int i = 0; i < 3; ++i) {
      world.cache.set_node(NodeBuilder(fmt::format("n{}", i)).allocatable("cpu", "8").build());
    }
    ClassMemory memory(*world.profile, world.view);
    std::vector<api::PodPtr> pods;
    for (const char* node : {"n0", "n1", "n2"}) {
      pods.push_back(PodBuilder(node).label("likes", node).request("cpu", "1").build());
    }
    for (int round = 0; round < 3; ++round) {
      for (const api::PodPtr& pod : pods) {
        const Decision decision = memory.decide(world.to_place(pod), world.nominated, 0);
        EXPECT_EQ(world.cache.nodes().at(decision.row).name.text(), pod->metadata.name);
      }
    }
    EXPECT_EQ(memory.counts().classes_built, 3u);
    EXPECT_EQ(memory.tables(), 3u);
    EXPECT_EQ(memory.counts().step_by_step, 0u);
  }
}

TEST(ClassMemory, SpreadsPodsOverEqualNodes) {
  World world;
  for (int i = 0; i < 4; ++i) {
    world.cache.set_node(
        NodeBuilder(fmt::format("n{}", i)).allocatable("cpu", "8").allocatable("memory", "8Gi").build());
  }
  ClassMemory memory(*world.profile, world.view);
  const PodToPlace pod = world.to_place(PodBuilder("a").request("cpu", "1").build());
  for (std::uint64_t rotation = 0; rotation < 8; ++rotation) {
    EXPECT_EQ(memory.decide(pod, world.nominated, rotation).row, rotation % 4);
  }
}

}  // namespace
}  // namespace berth::plugins
