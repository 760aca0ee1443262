// ClassMemory against the step-by-step functions, with kube-scheduler's own plugins on random histories: pods are
// placed where it says, removed, nodes come, go and change, and every decision must be the one that starting from
// scratch gives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "berth/base/rng.h"
#include "berth/framework/class_memory.h"
#include "berth/plugins/class_memory_testing.h"

namespace berth::plugins {
namespace {

using cache::testing::NodeBuilder;
using cache::testing::PodBuilder;
using framework::ClassMemory;
using framework::Decision;
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

TEST(ClassMemoryHistory, DecidesAsIfItRememberedNothing) {
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

}  // namespace
}  // namespace berth::plugins
