#include "berth/plugins/pod_topology_spread.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "berth/base/rng.h"
#include "berth/plugins/affinity_testing.h"
#include "berth/plugins/default_selector.h"

namespace berth::plugins {
namespace {

using namespace testing;
using Verdicts = std::map<std::string, std::string>;
using Scores = std::map<std::string, NodeScore>;

const std::string kTooMany = "U: node(s) didn't match pod topology spread constraints";
const std::string kNoLabel = "UU: node(s) didn't match pod topology spread constraints (missing required label)";

class Spread : public Cluster {
 public:
  explicit Spread(config::PluginArgs args = {}) : args_(std::move(args)) {
    auto made = make_pod_topology_spread({Symbol("default-scheduler"), args_, gates_, objects}, PluginQuirks::all());
    EXPECT_TRUE(made.has_value());
    plugin_ = std::move(*made);
  }

  framework::PreFiltered pre_filter(const PodBuilder& pod) {
    return dynamic_cast<framework::FilterPlugin&>(*plugin_).pre_filter(incoming(pod), view());
  }
  framework::PreScored pre_score(const PodBuilder& pod, const Bitset& feasible) {
    return dynamic_cast<framework::ScorePlugin&>(*plugin_).pre_score(incoming(pod), view(), feasible);
  }
  Verdicts filter(const PodBuilder& pod) {
    const framework::PreFiltered made = pre_filter(pod);
    EXPECT_TRUE(made.status.is_success()) << made.status.message();
    return verdicts_of(*made.filter, table);
  }
  Scores score(const PodBuilder& pod) {
    const framework::PreScored made = pre_score(pod, table.nodes());
    EXPECT_TRUE(made.status.is_success()) << made.status.message();
    return node_scores_of(*made.scorer, table, table.nodes());
  }

  std::unique_ptr<framework::Plugin> plugin_;
  config::PluginArgs args_;
  config::FeatureGates gates_;
};

using Change = std::function<void(api::TopologySpreadConstraint&)>;

void add_constraint(PodBuilder& pod, std::string_view key, std::int32_t max_skew, std::string_view action,
                    const Change& change = {}) {
  api::TopologySpreadConstraint& constraint = pod.spec().topology_spread_constraints.emplace_back();
  constraint.topology_key = Symbol(key);
  constraint.max_skew = max_skew;
  constraint.when_unsatisfiable = Symbol(action);
  constraint.label_selector.emplace().match_labels = {{"app", Symbol("web")}};
  if (change) change(constraint);
}
PodBuilder web(std::string_view name) {
  return PodBuilder(name).label("app", "web");
}
PodBuilder hard(std::string_view key, std::int32_t max_skew, const Change& change = {}) {
  PodBuilder pod = web("incoming");
  add_constraint(pod, key, max_skew, "DoNotSchedule", change);
  return pod;
}
PodBuilder soft(std::string_view key, std::int32_t max_skew, const Change& change = {}) {
  PodBuilder pod = web("incoming");
  add_constraint(pod, key, max_skew, "ScheduleAnyway", change);
  return pod;
}

// Zone a: n1 and n2 with two pods, zone b: n3 with one, zone c: n4 with none; n5 is nowhere.
void make_zones(Spread& cluster) {
  cluster.node("n1", "a");
  cluster.node("n2", "a");
  cluster.node("n3", "b");
  cluster.node("n4", "c");
  cluster.node(NodeBuilder("n5").label(kHost, "n5"));
  cluster.place(web("p1").on("n1"));
  cluster.place(web("p2").on("n2"));
  cluster.place(web("p3").on("n3"));
}

TEST(PodTopologySpread, KeepsDomainsWithinTheSkew) {
  Spread cluster;
  make_zones(cluster);
  EXPECT_EQ(cluster.filter(hard(kZone, 1)),
            (Verdicts{{"n1", kTooMany}, {"n2", kTooMany}, {"n3", kTooMany}, {"n4", "ok"}, {"n5", kNoLabel}}));
  EXPECT_EQ(cluster.filter(hard(kZone, 2)),
            (Verdicts{{"n1", kTooMany}, {"n2", kTooMany}, {"n3", "ok"}, {"n4", "ok"}, {"n5", kNoLabel}}));
  EXPECT_EQ(cluster.filter(hard(kZone, 3)),
            (Verdicts{{"n1", "ok"}, {"n2", "ok"}, {"n3", "ok"}, {"n4", "ok"}, {"n5", kNoLabel}}));
}

TEST(PodTopologySpread, FirstConstraintThatFailsDecides) {
  Spread cluster;
  make_zones(cluster);
  PodBuilder pod = hard(kHost, 1);
  add_constraint(pod, kZone, 2, "DoNotSchedule");
  // n5 has no pod, but does not count: it lacks the key of the second constraint.
  EXPECT_EQ(cluster.filter(pod),
            (Verdicts{{"n1", kTooMany}, {"n2", kTooMany}, {"n3", kTooMany}, {"n4", "ok"}, {"n5", kNoLabel}}));
}

TEST(PodTopologySpread, DoesNotCountPodsOfOtherNamespacesAndTerminatingOnes) {
  Spread cluster;
  cluster.node("n1", "a");
  cluster.node("n2", "b");
  cluster.place(web("p1").on("n1").name_space("other"));
  cluster.place(web("p2").on("n1").terminating());
  cluster.place(PodBuilder("p3").label("app", "db").on("n1"));
  EXPECT_EQ(cluster.filter(hard(kZone, 1)), (Verdicts{{"n1", "ok"}, {"n2", "ok"}}));
  cluster.place(web("p4").on("n1"));
  EXPECT_EQ(cluster.filter(hard(kZone, 1)), (Verdicts{{"n1", kTooMany}, {"n2", "ok"}}));
}

TEST(PodTopologySpread, TooFewDomainsCountAsAnEmptyOne) {
  Spread cluster;
  cluster.node("n1", "a");
  cluster.node("n2", "b");
  cluster.place(web("p1").on("n1"));
  cluster.place(web("p2").on("n2"));
  EXPECT_EQ(cluster.filter(hard(kZone, 1)), (Verdicts{{"n1", "ok"}, {"n2", "ok"}}));
  EXPECT_EQ(cluster.filter(hard(kZone, 1, [](auto& each) { each.min_domains = 3; })),
            (Verdicts{{"n1", kTooMany}, {"n2", kTooMany}}));
}

TEST(PodTopologySpread, PoliciesSayWhichNodesCount) {
  Spread cluster;
  cluster.node("n1", "a");
  cluster.node("n2", "b");
  cluster.node(NodeBuilder("n3").label(kZone, "c").label("pool", "spare"));
  cluster.node(NodeBuilder("n4").label(kZone, "d").taint("gone", "", "NoSchedule"));
  cluster.place(web("p1").on("n1"));
  cluster.place(web("p2").on("n2"));
  cluster.place(web("p4").on("n4"));
  const auto not_spare = [](PodBuilder pod) {
    api::NodeSelectorRequirement& requirement = pod.spec()
                                                    .affinity.emplace()
                                                    .node_affinity.emplace()
                                                    .required.emplace()
                                                    .node_selector_terms.emplace_back()
                                                    .match_expressions.emplace_back();
    requirement.key = Symbol("pool");
    requirement.op = Symbol("DoesNotExist");
    return pod;
  };
  // Without the spare zone every zone has a pod.
  EXPECT_EQ(cluster.filter(not_spare(hard(kZone, 1)))["n1"], "ok");
  EXPECT_EQ(
      cluster.filter(not_spare(hard(kZone, 1, [](auto& each) { each.node_affinity_policy = Symbol("Ignore"); })))["n1"],
      kTooMany);
  // A domain that does not count has no pods, so it fits.
  cluster.place(web("p5").on("n4"));
  EXPECT_EQ(cluster.filter(not_spare(hard(kZone, 1)))["n4"], kTooMany);
  EXPECT_EQ(
      cluster.filter(not_spare(hard(kZone, 1, [](auto& each) { each.node_taints_policy = Symbol("Honor"); })))["n4"],
      "ok");
}

TEST(PodTopologySpread, MatchLabelKeysNarrowTheSelector) {
  Spread cluster;
  cluster.node("n1", "a");
  cluster.node("n2", "b");
  cluster.place(web("p1").label("version", "1").on("n1"));
  const Change by_version = [](auto& each) { each.match_label_keys = {Symbol("version")}; };
  PodBuilder pod = hard(kZone, 1, by_version);
  EXPECT_EQ(cluster.filter(PodBuilder(pod).label("version", "1"))["n1"], kTooMany);
  EXPECT_EQ(cluster.filter(PodBuilder(pod).label("version", "2"))["n1"], "ok");
}

TEST(PodTopologySpread, SelectorForEverythingCountsNobodyButThePodItself) {
  Spread cluster;
  make_zones(cluster);
  const Change everything = [](auto& each) { each.label_selector.emplace(); };
  EXPECT_EQ(cluster.filter(hard(kZone, 1, everything))["n1"], "ok");
  EXPECT_EQ(cluster.filter(hard(kZone, 0, everything))["n1"], kTooMany);
}

TEST(PodTopologySpread, SkipsPodsWithoutConstraints) {
  Spread cluster;
  make_zones(cluster);
  EXPECT_TRUE(cluster.pre_filter(web("incoming")).status.is_skip());
  EXPECT_TRUE(cluster.pre_filter(soft(kZone, 1)).status.is_skip());
  EXPECT_TRUE(cluster.pre_score(hard(kZone, 1), cluster.table.nodes()).status.is_skip());
}

TEST(PodTopologySpread, FailsOnASelectorThatDoesNotParse) {
  Spread cluster;
  const Change bad = [](auto& each) {
    each.label_selector.emplace().match_expressions.push_back({Symbol("app"), Symbol("Is"), {}});
  };
  EXPECT_EQ(cluster.pre_filter(hard(kZone, 1, bad)).status.message(),
            "get constraints from pod: obtaining pod's hard topology spread constraints: \"Is\" is not a valid label "
            "selector operator");
  EXPECT_EQ(cluster.pre_score(soft(kZone, 1, bad), Bitset()).status.message(),
            "calculating preScoreState: obtaining pod's soft topology spread constraints: \"Is\" is not a valid label "
            "selector operator");
}

TEST(PodTopologySpread, DryRunMovesTheMinimum) {
  Spread cluster;
  make_zones(cluster);
  const framework::PreFiltered made = cluster.pre_filter(hard(kZone, 1));
  const auto on_n4 = made.filter->clone();
  on_n4->add_pod(cluster.dry_run_pod(web("p4")), cluster.at("n4"));
  EXPECT_EQ(text_of(*on_n4, on_n4->check(cluster.at("n4"))), "ok") << "the minimum is 1 now";
  EXPECT_EQ(text_of(*on_n4, on_n4->check(cluster.at("n3"))), "ok");
  EXPECT_EQ(text_of(*on_n4, on_n4->check(cluster.at("n1"))), kTooMany);
  on_n4->add_pod(cluster.dry_run_pod(web("p5")), cluster.at("n4"));
  EXPECT_EQ(text_of(*on_n4, on_n4->check(cluster.at("n4"))), kTooMany);

  const auto on_n3 = made.filter->clone();
  on_n3->remove_pod(cluster.dry_run_pod(web("p3")), cluster.at("n3"));
  EXPECT_EQ(text_of(*on_n3, on_n3->check(cluster.at("n3"))), "ok");
  EXPECT_EQ(text_of(*made.filter, made.filter->check(cluster.at("n3"))), kTooMany) << "the original is as it was";

  // A victim that was terminating was not counted, but is taken away all the same.
  const auto on_n1 = made.filter->clone();
  on_n1->remove_pod(cluster.dry_run_pod(web("p6").terminating()), cluster.at("n1"));
  on_n1->remove_pod(cluster.dry_run_pod(web("p1")), cluster.at("n1"));
  EXPECT_EQ(text_of(*on_n1, on_n1->check(cluster.at("n1"))), "ok");
}

TEST(PodTopologySpread, ScoresByPodsInTheDomain) {
  Spread cluster;
  make_zones(cluster);
  cluster.place(web("p4").on("n1"));
  // Three zones, so the weight is ln 5 = 1.609: 3, 1 and 0 pods; plus maxSkew - 1. n5 is not in a zone.
  EXPECT_EQ(cluster.score(soft(kZone, 1)),
            (Scores{{"n1", {5, 0}}, {"n2", {5, 0}}, {"n3", {2, 60}}, {"n4", {0, 100}}, {"n5", {0, 0}}}));
  EXPECT_EQ(cluster.score(soft(kZone, 3)),
            (Scores{{"n1", {7, 28}}, {"n2", {7, 28}}, {"n3", {4, 71}}, {"n4", {2, 100}}, {"n5", {0, 0}}}));
  // Five hosts, ln 7 = 1.946: pods of the host itself.
  EXPECT_EQ(cluster.score(soft(kHost, 1)),
            (Scores{{"n1", {4, 0}}, {"n2", {2, 50}}, {"n3", {2, 50}}, {"n4", {0, 100}}, {"n5", {0, 100}}}));
}

TEST(PodTopologySpread, NodesWithoutAnyPodAreAllEqual) {
  Spread cluster;
  cluster.node("n1", "a");
  cluster.node("n2", "b");
  EXPECT_EQ(cluster.score(soft(kZone, 1)), (Scores{{"n1", {0, 100}}, {"n2", {0, 100}}}));
}

TEST(PodTopologySpread, OnlyDomainsOfFeasibleNodesMakeTheWeight) {
  Spread cluster;
  make_zones(cluster);
  cluster.place(web("p4").on("n1"));
  cluster.place(web("p5").on("n1"));
  Bitset feasible(cluster.table.rows());
  feasible.set(cluster.table.row_of(Symbol("n2")));
  feasible.set(cluster.table.row_of(Symbol("n5")));
  const framework::PreScored made = cluster.pre_score(soft(kZone, 1), feasible);
  // One zone: 4 pods in it (those on n1 too) times ln 3 = 1.0986.
  EXPECT_EQ(node_scores_of(*made.scorer, cluster.table, feasible), (Scores{{"n2", {4, 100}}, {"n5", {0, 0}}}));
  // The next pod of the class may go elsewhere.
  ASSERT_TRUE(made.scorer->begin(cluster.table, cluster.table.nodes()));
  EXPECT_EQ(node_scores_of(*made.scorer, cluster.table, cluster.table.nodes()), cluster.score(soft(kZone, 1)));
}

void add_service(Cluster& cluster, std::string_view name, const api::Labels& selector) {
  api::Service service;
  service.metadata.name = name;
  service.metadata.name_space = Symbol("default");
  service.spec.selector = selector;
  cluster.objects.services.set(std::make_shared<const api::Service>(service));
}

TEST(PodTopologySpread, SystemDefaultsSpreadTheGroupOfAPod) {
  Spread cluster;
  make_zones(cluster);
  const framework::PreScored lonely = cluster.pre_score(web("incoming"), cluster.table.nodes());
  EXPECT_TRUE(lonely.status.is_skip()) << "belongs to nobody";
  ASSERT_NE(lonely.scorer, nullptr);
  EXPECT_EQ(lonely.scorer->objects_version(cluster.objects), 0u);
  add_service(cluster, "other", {{"app", Symbol("db")}});
  EXPECT_EQ(lonely.scorer->objects_version(cluster.objects), 0u) << "is not about the pod";
  add_service(cluster, "web", {{"app", Symbol("web")}});
  EXPECT_NE(lonely.scorer->objects_version(cluster.objects), 0u);

  // Hosts: ln 7 = 1.946 per pod and 2; zones: "a", "b", "c" and none make four, ln 6 = 1.792 per pod and 4.
  EXPECT_EQ(cluster.score(web("incoming")),
            (Scores{{"n1", {12, 16}}, {"n2", {12, 16}}, {"n3", {10, 33}}, {"n4", {6, 66}}, {"n5", {2, 100}}}));
}

TEST(PodTopologySpread, UnlabelledNodesCountToTheDomainWithoutAName) {
  Spread cluster;
  cluster.node("n1", "");
  cluster.node(NodeBuilder("n2").label(kHost, "n2"));
  cluster.place(web("p1").on("n2"));
  add_service(cluster, "web", {{"app", Symbol("web")}});
  // Hosts: ln 4 = 1.386; zones: one, ln 3 = 1.0986. n1: 2 + 1.0986 + 4; n2: 1.386 + 2.
  EXPECT_EQ(cluster.score(web("incoming")), (Scores{{"n1", {7, 42}}, {"n2", {3, 100}}}));
}

TEST(PodTopologySpread, DefaultConstraintsOfTheArgumentsFilterToo) {
  config::PodTopologySpreadArgs args;
  args.defaulting_type = "List";
  api::TopologySpreadConstraint& constraint = args.default_constraints.emplace_back();
  constraint.topology_key = Symbol(kZone);
  constraint.max_skew = 1;
  constraint.when_unsatisfiable = Symbol("DoNotSchedule");
  Spread cluster(args);
  make_zones(cluster);
  EXPECT_TRUE(cluster.pre_filter(web("incoming")).status.is_skip());
  add_service(cluster, "web", {{"app", Symbol("web")}});
  EXPECT_EQ(cluster.filter(web("incoming"))["n1"], kTooMany);
  EXPECT_EQ(cluster.filter(web("incoming"))["n4"], "ok");
  EXPECT_TRUE(cluster.pre_filter(PodBuilder("incoming").label("app", "db")).status.is_skip());
}

TEST(DefaultSelector, JoinsServicesAndController) {
  Cluster cluster;
  add_service(cluster, "web", {{"app", Symbol("web")}});
  add_service(cluster, "db", {{"app", Symbol("db")}});
  add_service(cluster, "none", {});
  PodBuilder pod = web("incoming").label("hash", "1");
  api::LabelMatcher expected = api::LabelMatcher::of_labels({{"app", Symbol("web")}});
  EXPECT_EQ(default_selector(*pod.build(), cluster.objects), expected);

  pod.pod().metadata.owner_references =
      std::vector<api::OwnerReference>{{Symbol("apps/v1"), Symbol("ReplicaSet"), "set", "", true, {}}};
  EXPECT_EQ(default_selector(*pod.build(), cluster.objects), expected) << "the owner is not known";
  api::ReplicaSet set;
  set.metadata.name = "set";
  set.metadata.name_space = Symbol("default");
  set.spec.selector.emplace().match_labels = {{"hash", Symbol("1")}};
  cluster.objects.replica_sets.set(std::make_shared<const api::ReplicaSet>(set));
  expected.require_equal(Symbol("hash"), Symbol("1"));
  EXPECT_EQ(default_selector(*pod.build(), cluster.objects), expected);

  pod.pod().metadata.owner_references =
      std::vector<api::OwnerReference>{{Symbol("v1"), Symbol("ReplicationController"), "rc", "", true, {}}};
  api::ReplicationController controller;
  controller.metadata.name = "rc";
  controller.metadata.name_space = Symbol("default");
  controller.spec.selector = {{"app", Symbol("old")}};
  cluster.objects.replication_controllers.set(std::make_shared<const api::ReplicationController>(controller));
  EXPECT_EQ(default_selector(*pod.build(), cluster.objects), api::LabelMatcher::of_labels({{"app", Symbol("old")}}));
}

// What follows the journal gives the same answers as what is made anew, and so do its dry runs.
TEST(PodTopologySpread, CatchesUpWithRandomHistories) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Spread cluster;
    add_service(cluster, "web", {{"app", Symbol("web")}});
    const std::size_t nodes = 3 + rng.below(12);
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::string name = "n" + std::to_string(i);
      NodeBuilder node(name);
      if (!rng.chance(1, 8)) node.label(kHost, name);
      if (!rng.chance(1, 8)) node.label(kZone, std::string(1, static_cast<char>('a' + rng.below(4))));
      if (rng.chance(1, 8)) node.label(kZone, "");
      if (rng.chance(1, 5)) node.taint("odd", "", "NoSchedule");
      cluster.node(node);
    }
    PodBuilder pod = web("incoming").label("version", "1");
    const std::size_t constraints = rng.below(4);
    for (std::size_t i = 0; i < constraints; ++i) {
      add_constraint(pod, rng.chance(1, 2) ? kHost : kZone, static_cast<std::int32_t>(1 + rng.below(3)),
                     rng.chance(1, 2) ? "DoNotSchedule" : "ScheduleAnyway", [&](auto& each) {
                       if (rng.chance(1, 3)) each.match_label_keys = {Symbol("version")};
                       if (rng.chance(1, 3)) each.node_taints_policy = Symbol("Honor");
                       if (rng.chance(1, 6)) each.label_selector.emplace();
                       if (rng.chance(1, 6)) each.min_domains = 3;
                     });
    }
    const framework::PreFiltered filter = cluster.pre_filter(pod);
    const framework::PreScored scorer = cluster.pre_score(pod, cluster.table.nodes());
    std::uint64_t read_until = cluster.table.journal().end();
    std::vector<api::PodPtr> placed;
    for (int step = 0; step < 60; ++step) {
      for (std::uint64_t change = rng.below(4); change > 0; --change) {
        if (!placed.empty() && rng.chance(2, 5)) {
          std::swap(placed[rng.below(placed.size())], placed.back());
          cluster.table.remove_pod(*placed.back());
          placed.pop_back();
          continue;
        }
        // One node of them all is not known.
        PodBuilder other = PodBuilder("p" + std::to_string(step) + "-" + std::to_string(change))
                               .label("app", rng.chance(3, 4) ? "web" : "db")
                               .label("version", rng.chance(1, 2) ? "1" : "2")
                               .on("n" + std::to_string(rng.below(nodes + 1)));
        if (rng.chance(1, 8)) other.name_space("other");
        if (rng.chance(1, 8)) other.terminating();
        cluster.place(other);
        placed.push_back(other.build());
      }
      const std::vector<cache::Change> changes = changes_since(cluster.table, read_until);
      read_until = cluster.table.journal().end();
      if (filter.filter) {
        ASSERT_TRUE(filter.filter->catch_up(cluster.table, changes));
        const framework::PreFiltered fresh = cluster.pre_filter(pod);
        ASSERT_EQ(verdicts_of(*filter.filter, cluster.table), verdicts_of(*fresh.filter, cluster.table)) << step;
        const auto caught_up_trial = filter.filter->clone(), fresh_trial = fresh.filter->clone();
        for (int tried = 0; tried < 3; ++tried) {
          const cache::NodeState& node = cluster.at("n" + std::to_string(rng.below(nodes)));
          const bool added = rng.chance(1, 2);
          for (framework::PodFilter* trial : {caught_up_trial.get(), fresh_trial.get()}) {
            if (added) trial->add_pod(cluster.dry_run_pod(web("extra")), node);
            if (!added) trial->remove_pod(cluster.dry_run_pod(web("extra")), node);
          }
          ASSERT_EQ(verdicts_of(*caught_up_trial, cluster.table), verdicts_of(*fresh_trial, cluster.table)) << step;
        }
      }
      if (scorer.scorer) {
        Bitset feasible = cluster.table.nodes();
        cluster.table.nodes().for_each([&](std::size_t row) {
          if (rng.chance(1, 3)) feasible.reset(row);
        });
        ASSERT_TRUE(scorer.scorer->catch_up(cluster.table, changes));
        ASSERT_TRUE(scorer.scorer->begin(cluster.table, feasible));
        const framework::PreScored fresh = cluster.pre_score(pod, feasible);
        ASSERT_EQ(node_scores_of(*scorer.scorer, cluster.table, feasible),
                  node_scores_of(*fresh.scorer, cluster.table, feasible))
            << step;
      }
    }
  }
}

// A dry run on one node answers as if the pods had really come or gone.
TEST(PodTopologySpread, DryRunIsLikeTheRealThing) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Spread cluster;
    for (int i = 0; i < 6; ++i) cluster.node("n" + std::to_string(i), std::string(1, static_cast<char>('a' + i / 2)));
    for (int i = 0; i < 8; ++i) cluster.place(web("p" + std::to_string(i)).on("n" + std::to_string(rng.below(6))));
    PodBuilder pod = hard(kZone, static_cast<std::int32_t>(1 + rng.below(2)));
    add_constraint(pod, kHost, 1, "DoNotSchedule");
    const auto trial = cluster.pre_filter(pod).filter->clone();
    const std::string node = "n" + std::to_string(rng.below(6));
    for (int i = 0; i < 3; ++i) {
      if (const auto& there = cluster.at(node).pods; !there.empty() && rng.chance(2, 3)) {
        const cache::PlacedPod victim = there[rng.below(there.size())];
        trial->remove_pod(victim, cluster.at(node));
        cluster.table.remove_pod(*victim.pod);
      } else {
        const PodBuilder extra = web("extra" + std::to_string(i)).on(node);
        trial->add_pod(cluster.dry_run_pod(extra), cluster.at(node));
        cluster.place(extra);
      }
      const framework::PreFiltered real = cluster.pre_filter(pod);
      EXPECT_EQ(verdicts_of(*trial, cluster.table), verdicts_of(*real.filter, cluster.table));
    }
  }
}

TEST(PodTopologySpread, StartsOverWhenNodesChange) {
  Spread cluster;
  make_zones(cluster);
  const Change honor = [](auto& each) { each.node_taints_policy = Symbol("Honor"); };
  using enum cache::Change::Kind;
  const auto catches_up = [&](const PodBuilder& pod, cache::Change::Kind kind) {
    const cache::Change change{kind, 0, nullptr};
    return cluster.pre_filter(pod).filter->catch_up(cluster.table, std::span(&change, 1));
  };
  EXPECT_TRUE(catches_up(hard(kZone, 1), kNodeCapacity));
  EXPECT_TRUE(catches_up(hard(kZone, 1), kNodeOther));
  EXPECT_TRUE(catches_up(hard(kZone, 1), kNodeTaints));
  EXPECT_FALSE(catches_up(hard(kZone, 1, honor), kNodeTaints));
  EXPECT_FALSE(catches_up(hard(kZone, 1), kNodeLabels));
  EXPECT_FALSE(catches_up(hard(kZone, 1), kNodeAdded));
  EXPECT_FALSE(catches_up(hard(kZone, 1), kNodeRemoved));
}

TEST(PodTopologySpread, RefusesBadArguments) {
  config::PodTopologySpreadArgs args;
  args.defaulting_type = "None";
  const config::PluginArgs bad = args;
  const config::FeatureGates gates;
  const cache::ClusterObjects objects;
  EXPECT_FALSE(make_pod_topology_spread({Symbol("p"), bad, gates, objects}, {}).has_value());
}

}  // namespace
}  // namespace berth::plugins
