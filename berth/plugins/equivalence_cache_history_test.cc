// EquivalenceCache against the step-by-step functions, with kube-scheduler's own plugins on random histories: pods are
// placed where it says, removed, nodes come, go and change, and every decision must be the one that starting from
// scratch gives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/rng.h"
#include "berth/framework/equivalence_cache.h"
#include "berth/framework/per_node.h"
#include "berth/plugins/equivalence_cache_testing.h"

namespace berth::plugins {
namespace {

using cache::testing::NodeBuilder;
using cache::testing::PodBuilder;
using framework::Decision;
using framework::EquivalenceCache;
using framework::PodToPlace;
using testing::kHost;
using testing::kZone;
using testing::term;
using testing::World;

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
  if (rng.chance(1, 3)) builder.allocatable("example.com/gpu", "2");
  if (rng.chance(1, 3)) builder.label("disk", rng.chance(1, 2) ? "ssd" : "hdd");
  if (rng.chance(1, 6)) builder.taint("dedicated", "x", rng.chance(1, 2) ? "NoSchedule" : "PreferNoSchedule");
  if (rng.chance(1, 10)) builder.unschedulable();
  if (rng.chance(1, 3)) builder.image("nginx:1", 500 << 20);
  return builder.build();
}

// Verdicts are the same for every node, and so is what they would be without the pods that are there.
void expect_same_verdicts(World& world, const PodToPlace& pod, const Decision& decision,
                          const framework::PreFilterResult& pre_filter, const framework::FilterResult& filtered) {
  ASSERT_NE(decision.filtered, nullptr);
  const framework::FailedAttempt is(*world.profile, pod, world.view, world.nominated, *decision.pre_filter,
                                    decision.filtered);
  const framework::FailedAttempt should(*world.profile, pod, world.view, world.nominated, pre_filter, &filtered);
  ASSERT_EQ(is.message(), should.message());
  ASSERT_EQ(is.rejecting_plugins(), should.rejecting_plugins());
  ASSERT_EQ(decision.filtered->asked, filtered.asked);
  world.cache.nodes().nodes().for_each([&](std::size_t index) {
    const auto row = static_cast<cache::RowId>(index);
    const cache::NodeState& node = world.cache.nodes().at(row);
    SCOPED_TRACE(node.name.text());
    ASSERT_EQ(is.code_of(row), should.code_of(row));
    ASSERT_EQ(is.status_of(row).message(), should.status_of(row).message());
    ASSERT_EQ(is.status_of(row).plugin(), should.status_of(row).plugin());
    framework::NodeTrial empty_is(*world.profile, *decision.pre_filter, node);
    framework::NodeTrial empty_should(*world.profile, pre_filter, node);
    for (const cache::PlacedPod& placed : node.pods) {
      empty_is.remove_pod(*placed.pod);
      empty_should.remove_pod(*placed.pod);
    }
    const auto entry_is = empty_is.check(world.nominated, *pod);
    const auto entry_should = empty_should.check(world.nominated, *pod);
    ASSERT_EQ(entry_is.verdict, entry_should.verdict);
    ASSERT_TRUE(entry_should.verdict.is_success() || entry_is.filter == entry_should.filter);
  });
}

// The decision is that of the definitions.
void expect_same(World& world, const PodToPlace& pod, const Decision& decision, std::uint64_t rotation) {
  const auto pre_filter = run_pre_filter(*world.profile, pod, world.view);
  ASSERT_EQ(decision.pre_filter->status.code(), pre_filter.status.code());
  ASSERT_EQ(decision.pre_filter->status.message(), pre_filter.status.message());
  if (!pre_filter.status.is_success()) {
    ASSERT_EQ(decision.row, cache::kNoRow);
    return;
  }
  const auto filtered = run_filters(*world.profile, pre_filter, pod, world.view, world.nominated);
  ASSERT_EQ(decision.feasible_nodes, filtered.feasible.count());
  if (decision.feasible_nodes == 0) {
    ASSERT_EQ(decision.row, cache::kNoRow);
    ASSERT_NO_FATAL_FAILURE(expect_same_verdicts(world, pod, decision, pre_filter, filtered));
    return;
  }
  if (decision.feasible_nodes == 1) {
    ASSERT_EQ(decision.row, filtered.feasible.find_first());
    return;
  }
  const auto scores = run_scores(*world.profile, pod, world.view, filtered.feasible);
  ASSERT_TRUE(scores.status.is_success());
  const auto best = scores.best(filtered.feasible);
  const auto start = static_cast<cache::RowId>(rotation % world.cache.nodes().rows());
  const auto next = std::lower_bound(best.begin(), best.end(), start);
  ASSERT_EQ(decision.row, next == best.end() ? best.front() : *next);
}

TEST(EquivalenceCacheHistory, DecidesAsIfItRememberedNothing) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    World world;
    EquivalenceCache memory(*world.profile, world.view);
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

// --- Stranger histories ----------------------------------------------------------------------------------------------

// What it needs of a node, or nothing special.
void add_random_needs(Rng& rng, PodBuilder& builder, api::Affinity& affinity) {
  api::PodTemplate& spec = builder.spec();
  builder.request("cpu", fmt::format("{}m", 300 + 300 * rng.below(2)));
  switch (rng.below(10)) {
    case 0: spec.node_selector[Symbol("disk")] = Symbol("ssd"); break;
    case 1: builder.host_port(8080); break;
    case 2: spec.tolerations.emplace_back().op = Symbol("Exists"); break;
    case 3: builder.request("example.com/gpu", "1"); break;
    case 4: {
      api::PreferredSchedulingTerm& preferred = affinity.node_affinity.emplace().preferred.emplace_back();
      preferred.weight = 40;
      preferred.preference.match_expressions.push_back({Symbol("disk"), Symbol("In"), {Symbol("ssd")}});
      break;
    }
    case 5: {
      api::NodeSelector& required = affinity.node_affinity.emplace().required.emplace();
      required.node_selector_terms.emplace_back().match_fields.push_back(
          {Symbol("metadata.name"), Symbol("In"), {Symbol(fmt::format("n{}", rng.below(4)))}});
      break;
    }
    case 6: builder.request("cpu", "40"); break;
    case 7: spec.overhead[Symbol("cpu")] = cache::testing::quantity("500m"); break;
    case 8: spec.containers[0].image = Symbol("nginx:1"); break;
    default: break;
  }
}

// What it wants of other pods, or nothing special.
void add_random_neighbours(Rng& rng, const std::string& app, PodBuilder& builder, api::Affinity& affinity) {
  switch (rng.below(9)) {
    case 0: affinity.pod_affinity.emplace().required.push_back(term(app, kZone)); break;
    case 1: affinity.pod_anti_affinity.emplace().required.push_back(term(app, kHost)); break;
    case 2:
      affinity.pod_affinity.emplace().preferred.push_back({30, term("app-1", kZone)});
      affinity.pod_anti_affinity.emplace().preferred.push_back({50, term(app, kHost)});
      break;
    case 3:
    case 4: {
      api::TopologySpreadConstraint& constraint = builder.spec().topology_spread_constraints.emplace_back();
      constraint.max_skew = 1;
      constraint.topology_key = Symbol(kZone);
      constraint.when_unsatisfiable = Symbol(rng.chance(1, 2) ? "DoNotSchedule" : "ScheduleAnyway");
      constraint.label_selector.emplace().match_labels[Symbol("app")] = Symbol(app);
      if (rng.chance(1, 2)) constraint.node_taints_policy = Symbol("Honor");
      break;
    }
    case 5: {
      api::PodAffinityTerm elsewhere = term(app, kZone);
      elsewhere.namespace_selector.emplace().match_labels[Symbol("team")] = Symbol("a");
      affinity.pod_anti_affinity.emplace().required.push_back(elsewhere);
      break;
    }
    default: break;
  }
}

api::PodPtr random_class(Rng& rng, int number) {
  PodBuilder builder(fmt::format("class-{}", number));
  const std::string app = fmt::format("app-{}", rng.below(3));
  builder.label("app", app);
  if (rng.chance(1, 2)) builder.label("job", fmt::format("{}", rng.below(3)));
  if (rng.chance(1, 3)) builder.name_space("other");
  if (rng.chance(1, 3)) builder.priority(static_cast<std::int32_t>(10 * rng.below(3)));
  api::Affinity affinity;
  add_random_needs(rng, builder, affinity);
  add_random_neighbours(rng, app, builder, affinity);
  if (affinity != api::Affinity()) builder.spec().affinity = affinity;
  return builder.build();
}

// A cluster to which anything may happen between two decisions.
class StrangeCluster {
 public:
  explicit StrangeCluster(std::uint64_t seed) : rng(seed) {
    for (int i = 0; i < 30; ++i) classes.push_back(random_class(rng, i));
    for (int i = 0; i < 8; ++i) world.cache.set_node(random_node(rng, fmt::format("n{}", i)));
  }

  void change() {
    const std::string node = fmt::format("n{}", rng.below(12));
    switch (rng.below(24)) {
      case 0: world.cache.set_node(random_node(rng, node)); break;
      case 1: remove_node(node); break;
      case 2: set_device_class(); break;
      case 3: world.objects.device_classes.remove(Symbol(), "gpu"); break;
      case 4: set_service(); break;
      case 5: world.objects.services.remove(Symbol("default"), "web"); break;
      case 6: set_namespace(); break;
      case 7: nominate(node); break;
      case 8:
      case 9: withdraw_nomination(); break;
      case 10: place(random_pod(), rng.chance(1, 2) ? node : fmt::format("unknown-{}", rng.below(6))); break;
      case 11: cordon_or_not(node); break;
      default: remove_pod(); break;
    }
  }
  // Of a random class.
  api::PodPtr random_pod() {
    return PodBuilder(fmt::format("p{}", ++pods_made_), *classes[rng.below(classes.size())]).build();
  }
  void place(const api::PodPtr& pod, std::string_view node) {
    placed_.push_back(PodBuilder(pod->metadata.name, *pod).on(node).build());
    ASSERT_TRUE(world.cache.add(placed_.back()));
  }

  World world;
  Rng rng;
  std::vector<api::PodPtr> classes;

 private:
  // Null if it is not there.
  api::NodePtr find_node(const std::string& name) const {
    const cache::RowId row = world.cache.nodes().row_of(Symbol(name));
    return row == cache::kNoRow ? nullptr : world.cache.nodes().at(row).node;
  }
  void remove_node(const std::string& name) {
    const api::NodePtr node = find_node(name);
    if (node == nullptr) return;
    ASSERT_TRUE(world.cache.remove_node(*node));
  }
  void cordon_or_not(const std::string& name) {
    const api::NodePtr node = find_node(name);
    if (node == nullptr) return;
    auto changed = std::make_shared<api::Node>(*node);
    changed->spec.unschedulable = !node->spec.unschedulable;
    world.cache.set_node(changed);
  }
  void set_device_class() {
    auto device_class = std::make_shared<api::DeviceClass>();
    device_class->metadata.name = "gpu";
    device_class->spec.extended_resource_name = Symbol("example.com/gpu");
    world.objects.device_classes.set(device_class);
  }
  void set_service() {
    auto service = std::make_shared<api::Service>();
    service->metadata.name = "web";
    service->metadata.name_space = Symbol("default");
    service->spec.selector[Symbol("app")] = Symbol(fmt::format("app-{}", rng.below(3)));
    world.objects.services.set(service);
  }
  void set_namespace() {
    auto name_space = std::make_shared<api::Namespace>();
    name_space->metadata.name = rng.chance(1, 2) ? "default" : "other";
    api::Labels labels;
    if (rng.chance(1, 2)) labels[Symbol("team")] = Symbol("a");
    name_space->metadata.labels = labels;
    world.objects.namespaces.set(name_space);
  }
  void nominate(const std::string& node) {
    const api::PodPtr pod = random_pod();
    world.nominated.add(Symbol(node), {pod, world.cache.compile(*pod), nullptr});
    nominated_.emplace_back(Symbol(node), pod->metadata.uid);
  }
  void withdraw_nomination() {
    if (nominated_.empty()) return;
    const std::size_t which = rng.below(nominated_.size());
    ASSERT_TRUE(world.nominated.remove(nominated_[which].first, nominated_[which].second));
    nominated_.erase(nominated_.begin() + static_cast<std::ptrdiff_t>(which));
  }
  void remove_pod() {
    if (placed_.empty()) return;
    const std::size_t which = rng.below(placed_.size());
    ASSERT_TRUE(world.cache.remove(*placed_[which]));
    placed_.erase(placed_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  int pods_made_ = 0;
  std::vector<api::PodPtr> placed_;
  std::vector<std::pair<Symbol, std::string>> nominated_;
};

// One memory has room for all classes, the other one for a few.
TEST(EquivalenceCacheHistory, DecidesTheSameWhileClassesAreForgotten) {
  std::uint64_t built_with_room = 0;
  std::uint64_t built_without = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    StrangeCluster cluster(seed);
    World& world = cluster.world;
    EquivalenceCache memory(*world.profile, world.view);
    EquivalenceCache small(*world.profile, world.view, {.max_bytes = 20'000});
    for (int step = 0; step < 300; ++step) {
      SCOPED_TRACE(step);
      for (std::uint64_t changes = cluster.rng.below(3); changes > 0; --changes) cluster.change();
      if (world.cache.nodes().node_count() == 0) continue;
      const api::PodPtr pod = cluster.random_pod();
      const PodToPlace to_place = world.to_place(pod);
      const std::uint64_t rotation = cluster.rng.next_u64();
      cache::RowId row = cache::kNoRow;
      for (EquivalenceCache* each : {&memory, &small}) {
        const Decision decision = each->decide(to_place, world.nominated, rotation);
        ASSERT_NO_FATAL_FAILURE(expect_same(world, to_place, decision, rotation));
        row = decision.row;
      }
      if (row != cache::kNoRow && !cluster.rng.chance(1, 4)) {
        cluster.place(pod, world.cache.nodes().at(row).name.text());
      }
    }
    EXPECT_LT(small.classes(), memory.classes());
    built_with_room += memory.counts().classes_built;
    built_without += small.counts().classes_built;
  }
  EXPECT_LT(built_with_room, built_without);
}

// Likes and takes nodes by labels of pod and node, so it goes by class. Its events are everything.
class SameColour final : public framework::Plugin, public framework::PerNodeFilter, public framework::PerNodeScore {
 public:
  std::string_view name() const override { return "SameColour"; }
  framework::Status filter(const PodToPlace& pod, const cache::NodeState& node) const override {
    const Symbol* app = pod->metadata.labels->find(Symbol("app"));
    if (app == nullptr || *app != "app-0" || node.pods.size() < 4) return {};
    return framework::Status::unschedulable("node(s) are busy");
  }
  bool is_filter_by_class() const override { return true; }
  std::int64_t score(const PodToPlace& pod, const cache::NodeState& node) const override {
    return static_cast<std::int64_t>(pod->metadata.labels->size() * node.pods.size());
  }
  framework::PodScorer::Normalization score_normalization() const override {
    return framework::PodScorer::Normalization::kDefault;
  }
  bool is_score_by_class() const override { return true; }
};

// Another packing, a plugin at another weight, one that is off, and one that is not kube-scheduler's.
constexpr std::string_view kOtherPlugins = R"(    multiPoint:
      enabled: [{name: SameColour, weight: 3}, {name: InterPodAffinity, weight: 7}]
      disabled: [{name: ImageLocality}, {name: PodTopologySpread}]
    score:
      disabled: [{name: NodeResourcesBalancedAllocation}]
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: cpu, weight: 3}, {name: memory, weight: 1}]
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}
  - name: InterPodAffinity
    args: {hardPodAffinityWeight: 50, ignorePreferredTermsOfExistingPods: true}
)";

TEST(EquivalenceCacheHistory, DecidesTheSameWithOtherPluginsThanTheDefaultOnes) {
  std::uint64_t cached = 0;
  for (std::uint64_t seed = 101; seed <= 115; ++seed) {
    SCOPED_TRACE(seed);
    StrangeCluster cluster(seed);
    World& world = cluster.world;
    world.add_plugin<SameColour>("SameColour", {config::ExtensionPoint::kFilter, config::ExtensionPoint::kScore},
                                 std::string(kOtherPlugins));
    std::vector<std::string> wrong;
    EquivalenceCache memory(*world.profile, world.view, {.check_every = 1, .on_wrong_answer = [&](const auto& answer) {
                                                           wrong.push_back(answer.text);
                                                         }});
    for (int step = 0; step < 200; ++step) {
      SCOPED_TRACE(step);
      for (std::uint64_t changes = cluster.rng.below(3); changes > 0; --changes) cluster.change();
      if (world.cache.nodes().node_count() == 0) continue;
      const api::PodPtr pod = cluster.random_pod();
      const PodToPlace to_place = world.to_place(pod);
      const std::uint64_t rotation = cluster.rng.next_u64();
      const Decision decision = memory.decide(to_place, world.nominated, rotation);
      ASSERT_NO_FATAL_FAILURE(expect_same(world, to_place, decision, rotation));
      ASSERT_EQ(wrong, std::vector<std::string>());
      if (decision.row != cache::kNoRow) cluster.place(pod, world.cache.nodes().at(decision.row).name.text());
    }
    cached += memory.counts().decisions - memory.counts().step_by_step;
  }
  EXPECT_GT(cached, 1000u);
}

}  // namespace
}  // namespace berth::plugins
