// Every plugin has a definition for one node, check() and score(), and a form for the whole table, narrow() and
// score_rows(), that is faster. On random tables the two say the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/base/rng.h"
#include "berth/plugins/default_plugins.h"
#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;
using framework::Verdict;

constexpr int kTables = 12;
constexpr int kPodsPerTable = 40;
constexpr std::int64_t kUntouched = -12345;

// Draws the parts of nodes and pods from few values, so that they meet.
class Drawer {
 public:
  explicit Drawer(std::uint64_t seed) : rng_(seed) {}

  bool once_in(std::uint64_t n) { return rng_.chance(1, n); }
  std::int64_t in_range(std::int64_t low, std::int64_t high) { return rng_.in_range(low, high); }
  std::string_view one_of(std::initializer_list<std::string_view> texts) {
    return texts.begin()[rng_.below(texts.size())];
  }
  std::string_view zone() { return one_of({"a", "b", "c"}); }
  std::string_view app() { return one_of({"web", "db", "batch"}); }
  std::string_view image() { return one_of({"small:1", "middle:1", "large:latest"}); }

  api::Node node(int number) {
    api::Node node;
    node.metadata.name = fmt::format("node-{}", number);
    api::Labels labels;
    labels[Symbol("kubernetes.io/hostname")] = Symbol(node.metadata.name);
    if (!once_in(8)) labels[Symbol("topology.kubernetes.io/zone")] = Symbol(zone());
    if (once_in(2)) labels[Symbol("disk")] = Symbol(one_of({"ssd", "hdd"}));
    node.metadata.labels = labels;
    node.spec.unschedulable = once_in(8);
    while (once_in(3)) {
      node.spec.taints.push_back({.key = Symbol(one_of({"dedicated", "gpu"})),
                                  .value = Symbol(one_of({"", "x"})),
                                  .effect = Symbol(one_of({"NoSchedule", "NoExecute", "PreferNoSchedule"})),
                                  .time_added = {}});
    }
    api::ResourceList& allocatable = node.status.allocatable;
    allocatable[Symbol("pods")] = api::Quantity::from_units(in_range(1, 8));
    allocatable[Symbol("cpu")] = api::Quantity::from_milli(in_range(1, 16) * 500);
    // Some with more memory than doubles count exactly.
    allocatable[Symbol("memory")] =
        api::Quantity::from_units(once_in(16) ? in_range(1, 4) << 50 : in_range(1, 1 << 20) * 16'384);
    if (!once_in(4)) allocatable[Symbol("ephemeral-storage")] = api::Quantity::from_units(in_range(0, 40) << 30);
    if (once_in(3)) allocatable[Symbol("example.com/gpu")] = api::Quantity::from_units(in_range(0, 4));
    std::vector<api::ContainerImage> images;
    for (const auto& [name, mebibytes] : {std::pair{"small:1", 20}, {"middle:1", 400}, {"large:latest", 1500}}) {
      if (once_in(2)) images.push_back({.names = {Symbol(name)}, .size_bytes = std::int64_t{mebibytes} << 20});
    }
    node.status.images = images;
    if (once_in(2)) node.status.declared_features = std::vector{Symbol("UserNamespacesHostNetworkSupport")};
    return node;
  }

  api::Pod pod(int number) {
    api::Pod pod;
    pod.metadata.name = fmt::format("pod-{}", number);
    pod.metadata.uid = "uid-" + pod.metadata.name;
    pod.metadata.name_space = Symbol(one_of({"default", "team"}));
    api::Labels labels;
    labels[Symbol("app")] = Symbol(app());
    pod.metadata.labels = labels;
    pod.spec.shared = spec();
    return pod;
  }

 private:
  api::PodTemplate spec() {
    api::PodTemplate spec;
    const auto containers = in_range(1, 2);
    for (std::int64_t i = 0; i < containers; ++i) {
      api::Container& container = spec.containers.emplace_back();
      container.image = Symbol(once_in(4) ? "large" : image());
      api::ResourceList& requests = container.resources.requests;
      if (!once_in(3)) requests[Symbol("cpu")] = api::Quantity::from_milli(in_range(0, 30) * 100);
      if (!once_in(3)) requests[Symbol("memory")] = api::Quantity::from_units(in_range(0, 1 << 18) * 16'384);
      if (once_in(4)) requests[Symbol("ephemeral-storage")] = api::Quantity::from_units(in_range(0, 20) << 30);
      if (once_in(4)) requests[Symbol("example.com/gpu")] = api::Quantity::from_units(in_range(0, 2));
      if (once_in(4)) container.ports.emplace_back().host_port = static_cast<std::int32_t>(in_range(80, 82));
    }
    while (once_in(2)) {
      spec.tolerations.push_back({.key = Symbol(one_of({"dedicated", "gpu", "node.kubernetes.io/unschedulable"})),
                                  .op = Symbol(one_of({"Exists", "Equal"})),
                                  .value = {},
                                  .effect = Symbol(one_of({"", "NoSchedule", "PreferNoSchedule"})),
                                  .toleration_seconds = {}});
    }
    if (once_in(3)) spec.node_selector[Symbol("disk")] = Symbol("ssd");
    if (once_in(2)) add_affinity(spec);
    if (once_in(2)) add_spread(spec);
    if (once_in(6)) {
      spec.host_network = true;
      spec.host_users = false;
    }
    return spec;
  }

  api::PodAffinityTerm pod_term() {
    api::PodAffinityTerm term;
    term.topology_key = Symbol(one_of({"topology.kubernetes.io/zone", "kubernetes.io/hostname"}));
    term.label_selector.emplace().match_labels[Symbol("app")] = Symbol(app());
    return term;
  }
  void add_affinity(api::PodTemplate& spec) {
    api::Affinity& affinity = spec.affinity.emplace();
    if (once_in(2)) {
      const api::NodeSelectorTerm term{.match_expressions = {{.key = Symbol("topology.kubernetes.io/zone"),
                                                              .op = Symbol("In"),
                                                              .values = {Symbol(zone())}}},
                                       .match_fields = {}};
      affinity.node_affinity.emplace().preferred.push_back({static_cast<std::int32_t>(in_range(1, 100)), term});
    }
    if (once_in(3)) affinity.pod_affinity.emplace().required.push_back(pod_term());
    if (once_in(3)) affinity.pod_anti_affinity.emplace().required.push_back(pod_term());
    if (once_in(2)) {
      if (!affinity.pod_affinity) affinity.pod_affinity.emplace();
      affinity.pod_affinity->preferred.push_back({static_cast<std::int32_t>(in_range(1, 100)), pod_term()});
    }
  }
  void add_spread(api::PodTemplate& spec) {
    for (std::int64_t count = in_range(1, 2); count > 0; --count) {
      api::TopologySpreadConstraint& constraint = spec.topology_spread_constraints.emplace_back();
      constraint.max_skew = static_cast<std::int32_t>(in_range(1, 2));
      constraint.topology_key = Symbol(count == 1 ? "topology.kubernetes.io/zone" : "kubernetes.io/hostname");
      constraint.when_unsatisfiable = Symbol(one_of({"DoNotSchedule", "ScheduleAnyway"}));
      constraint.label_selector.emplace().match_labels[Symbol("app")] = Symbol(app());
    }
  }

  Rng rng_;
};

// The plugins of the default registry, those with arguments that change what they compute several times.
std::vector<std::pair<std::string, config::PluginArgs>> plugins_under_test() {
  std::vector<std::pair<std::string, config::PluginArgs>> plugins;
  for (const config::PluginSpec& spec : config::in_tree_plugins()) plugins.emplace_back(spec.name, std::monostate());
  const std::vector<config::ResourceSpec> resources = {
      {"memory", 3}, {"example.com/gpu", 2}, {"cpu", 1}, {"ephemeral-storage", 1}};
  for (const std::string_view type : {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"}) {
    config::NodeResourcesFitArgs args;
    config::ScoringStrategy& strategy = args.scoring_strategy.emplace();
    strategy.type = type;
    strategy.resources = resources;
    if (type == "RequestedToCapacityRatio") {
      strategy.requested_to_capacity_ratio.emplace().shape = {{0, 3}, {40, 10}, {90, 0}};
    }
    plugins.emplace_back("NodeResourcesFit", args);
  }
  config::NodeResourcesBalancedAllocationArgs balanced{resources};
  for (config::ResourceSpec& resource : balanced.resources) resource.weight = 1;
  plugins.emplace_back("NodeResourcesBalancedAllocation", balanced);
  return plugins;
}

// What was compared, so that a test in which nothing comes up does not pass.
struct Seen {
  std::size_t passed = 0, rejected = 0;
  std::set<std::int64_t> scores;
};

void compare_filter(const framework::FilterPlugin& plugin, const framework::PodToPlace& pod, PluginWorld& world,
                    const Bitset& asked, Seen& seen) {
  const framework::PreFiltered made = plugin.pre_filter(pod, world.view());
  if (!made.filter) return;
  Bitset left = asked;
  std::map<cache::RowId, Verdict> rejected;
  made.filter->narrow(world.nodes, left, [&](cache::RowId row, Verdict verdict) {
    EXPECT_TRUE(rejected.emplace(row, verdict).second) << "told twice about " << row;
  });
  for (std::size_t row = 0; row < asked.size(); ++row) {
    const auto told = rejected.find(static_cast<cache::RowId>(row));
    if (!asked.test(row)) {
      EXPECT_FALSE(left.test(row));
      EXPECT_EQ(told, rejected.end());
      continue;
    }
    const Verdict verdict = made.filter->check(world.nodes.at(static_cast<cache::RowId>(row)));
    EXPECT_EQ(left.test(row), verdict.is_success());
    EXPECT_EQ(told == rejected.end() ? Verdict() : told->second, verdict);
    ++(verdict.is_success() ? seen.passed : seen.rejected);
  }
}

void compare_score(const framework::ScorePlugin& plugin, const framework::PodToPlace& pod, PluginWorld& world,
                   const Bitset& feasible, Seen& seen) {
  const framework::PreScored made = plugin.pre_score(pod, world.view(), feasible);
  if (!made.scorer) return;
  std::vector<std::int64_t> scores(world.nodes.rows(), kUntouched);
  made.scorer->score_rows(world.nodes, feasible, scores);
  for (std::size_t row = 0; row < scores.size(); ++row) {
    if (!feasible.test(row)) {
      EXPECT_EQ(scores[row], kUntouched);
      continue;
    }
    EXPECT_EQ(scores[row], made.scorer->score(world.nodes.at(static_cast<cache::RowId>(row))));
    seen.scores.insert(scores[row]);
  }
}

TEST(TableForm, SaysAboutEachRowWhatTheDefinitionSays) {
  const framework::PluginRegistry registry = default_registry();
  const auto plugins = plugins_under_test();
  std::map<std::string, Seen> seen;
  for (int table = 0; table < kTables; ++table) {
    Drawer draw(static_cast<std::uint64_t>(table));
    PluginWorld world;
    const int nodes = static_cast<int>(draw.in_range(2, 150));
    for (int i = 0; i < nodes; ++i) world.node(draw.node(i));
    for (int i = 0; i < nodes; ++i) {
      api::Pod pod = draw.pod(1000 + i);
      // Some are on nodes that are not known.
      pod.spec.node_name = Symbol(fmt::format("node-{}", draw.in_range(0, nodes + 3)));
      world.place(pod);
    }
    std::vector<std::unique_ptr<framework::Plugin>> built;
    for (const auto& [name, args] : plugins) {
      auto made = registry.find(name)->build({Symbol("s"), args, world.gates, world.objects});
      if (made) built.push_back(*std::move(made));
    }
    for (int i = 0; i < kPodsPerTable; ++i) {
      api::Pod drawn = draw.pod(i);
      if (draw.once_in(10)) drawn.spec.node_name = Symbol(fmt::format("node-{}", draw.in_range(0, nodes)));
      const framework::PodToPlace pod = world.to_place(drawn);
      Bitset rows = world.nodes.nodes();
      if (i % 2 == 1) {
        world.nodes.nodes().for_each([&](std::size_t row) { rows.set(row, draw.once_in(2)); });
      }
      if (rows.none()) continue;
      for (const auto& plugin : built) {
        SCOPED_TRACE(fmt::format("{}, table {}, pod {}", plugin->name(), table, i));
        Seen& of_plugin = seen[std::string(plugin->name())];
        if (const auto* filter = dynamic_cast<const framework::FilterPlugin*>(plugin.get())) {
          compare_filter(*filter, pod, world, rows, of_plugin);
        }
        if (const auto* score = dynamic_cast<const framework::ScorePlugin*>(plugin.get())) {
          compare_score(*score, pod, world, rows, of_plugin);
        }
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
  for (const std::string name : {"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts",
                                 "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity", "NodeDeclaredFeatures"}) {
    EXPECT_GT(seen[name].passed, 100u) << name;
    EXPECT_GT(seen[name].rejected, 100u) << name;
  }
  for (const std::string name : {"TaintToleration", "NodeAffinity", "NodeResourcesFit", "PodTopologySpread",
                                 "InterPodAffinity", "NodeResourcesBalancedAllocation", "ImageLocality"}) {
    EXPECT_GT(seen[name].scores.size(), 2u) << name;
  }
}

}  // namespace
}  // namespace berth::plugins
