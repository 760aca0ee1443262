#include "berth/plugins/inter_pod_affinity.h"

#include <gtest/gtest.h>

#include <functional>

#include "berth/base/rng.h"
#include "berth/plugins/affinity_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;
using Verdicts = std::map<std::string, std::string>;
using Scores = std::map<std::string, NodeScore>;

const std::string kNotNear = "UU: node(s) didn't match pod affinity rules";
const std::string kTooNear = "U: node(s) didn't match pod anti-affinity rules";
const std::string kUnwelcome = "U: node(s) didn't satisfy existing pods anti-affinity rules";

class Affinity : public Cluster {
 public:
  explicit Affinity(config::PluginArgs args = {}, const PluginQuirks& quirks = {}) : args_(std::move(args)) {
    auto made = make_inter_pod_affinity({Symbol("default-scheduler"), args_, gates_, objects}, quirks);
    EXPECT_TRUE(made.has_value());
    plugin_ = std::move(*made);
  }

  framework::PreFiltered pre_filter(const PodBuilder& pod) {
    return dynamic_cast<framework::FilterPlugin&>(*plugin_).pre_filter(incoming(pod), view());
  }
  framework::PreScored pre_score(const PodBuilder& pod) {
    return dynamic_cast<framework::ScorePlugin&>(*plugin_).pre_score(incoming(pod), view(), table.nodes());
  }
  Verdicts filter(const PodBuilder& pod) {
    const framework::PreFiltered made = pre_filter(pod);
    EXPECT_TRUE(made.status.is_success()) << made.status.message();
    return verdicts_of(*made.filter, table);
  }
  Scores score(const PodBuilder& pod) {
    const framework::PreScored made = pre_score(pod);
    EXPECT_TRUE(made.status.is_success()) << made.status.message();
    return node_scores_of(*made.scorer, table, table.nodes());
  }

  std::unique_ptr<framework::Plugin> plugin_;
  config::PluginArgs args_;
  config::FeatureGates gates_;
};

using Change = std::function<void(api::PodAffinityTerm&)>;

api::PodAffinityTerm term(std::string_view app, std::string_view key, const Change& change = {}) {
  api::PodAffinityTerm made;
  made.topology_key = Symbol(key);
  made.label_selector.emplace().match_labels = {{"app", Symbol(app)}};
  if (change) change(made);
  return made;
}
api::PodAffinity& affinity_of(PodBuilder& pod, bool anti) {
  if (!pod.spec().affinity) pod.spec().affinity.emplace();
  auto& affinity = anti ? pod.spec().affinity->pod_anti_affinity : pod.spec().affinity->pod_affinity;
  if (!affinity) affinity.emplace();
  return *affinity;
}
// Short names, since tables of pods are long: what a pod wants and does not want, and how much.
PodBuilder app(std::string_view name, std::string_view app_name) {
  return PodBuilder(name).label("app", app_name);
}
PodBuilder near(PodBuilder pod, const api::PodAffinityTerm& wanted) {
  return affinity_of(pod, false).required.push_back(wanted), pod;
}
PodBuilder away(PodBuilder pod, const api::PodAffinityTerm& unwanted) {
  return affinity_of(pod, true).required.push_back(unwanted), pod;
}
PodBuilder likes(PodBuilder pod, std::int32_t weight, const api::PodAffinityTerm& liked) {
  return affinity_of(pod, false).preferred.push_back({weight, liked}), pod;
}
PodBuilder dislikes(PodBuilder pod, std::int32_t weight, const api::PodAffinityTerm& disliked) {
  return affinity_of(pod, true).preferred.push_back({weight, disliked}), pod;
}

// n1 and n2 in zone a, n3 in zone b, n4 in none.
void make_zones(Affinity& cluster) {
  cluster.node("n1", "a");
  cluster.node("n2", "a");
  cluster.node("n3", "b");
  cluster.node(NodeBuilder("n4").label(kHost, "n4"));
}

TEST(InterPodAffinity, GoesWhereAllWantedPodsAre) {
  Affinity cluster;
  make_zones(cluster);
  cluster.place(app("p1", "db").on("n1"));
  EXPECT_EQ(cluster.filter(near(app("new", "web"), term("db", kZone))),
            (Verdicts{{"n1", "ok"}, {"n2", "ok"}, {"n3", kNotNear}, {"n4", kNotNear}}));
  EXPECT_EQ(cluster.filter(near(near(app("new", "web"), term("db", kZone)), term("db", kHost))),
            (Verdicts{{"n1", "ok"}, {"n2", kNotNear}, {"n3", kNotNear}, {"n4", kNotNear}}));
  // One pod has to match all terms; two that match one each do not do.
  cluster.place(app("p2", "cache").on("n1"));
  EXPECT_EQ(cluster.filter(near(near(app("new", "web"), term("db", kZone)), term("cache", kZone))),
            (Verdicts{{"n1", kNotNear}, {"n2", kNotNear}, {"n3", kNotNear}, {"n4", kNotNear}}));
}

TEST(InterPodAffinity, FirstOfItsKindMayGoAnywhereWithTheKey) {
  Affinity cluster;
  make_zones(cluster);
  const PodBuilder pod = near(app("new", "web"), term("web", kZone));
  EXPECT_EQ(cluster.filter(pod), (Verdicts{{"n1", "ok"}, {"n2", "ok"}, {"n3", "ok"}, {"n4", kNotNear}}));
  // One on a node without the key is in no domain.
  cluster.place(app("p1", "web").on("n4"));
  EXPECT_EQ(cluster.filter(pod), (Verdicts{{"n1", "ok"}, {"n2", "ok"}, {"n3", "ok"}, {"n4", kNotNear}}));
  cluster.place(app("p2", "web").on("n3"));
  EXPECT_EQ(cluster.filter(pod), (Verdicts{{"n1", kNotNear}, {"n2", kNotNear}, {"n3", "ok"}, {"n4", kNotNear}}));
}

TEST(InterPodAffinity, KeepsAwayFromUnwantedPods) {
  Affinity cluster;
  make_zones(cluster);
  cluster.place(app("p1", "db").on("n1").terminating());
  EXPECT_EQ(cluster.filter(away(app("new", "web"), term("db", kZone))),
            (Verdicts{{"n1", kTooNear}, {"n2", kTooNear}, {"n3", "ok"}, {"n4", "ok"}}));
  EXPECT_EQ(cluster.filter(away(app("new", "web"), term("db", kHost))),
            (Verdicts{{"n1", kTooNear}, {"n2", "ok"}, {"n3", "ok"}, {"n4", "ok"}}));
}

TEST(InterPodAffinity, RespectsTheAntiAffinityOfOthers) {
  Affinity cluster;
  make_zones(cluster);
  EXPECT_TRUE(cluster.pre_filter(app("new", "web")).status.is_skip());
  cluster.place(away(app("p1", "db"), term("web", kZone)).on("n1"));
  EXPECT_EQ(cluster.filter(app("new", "web")),
            (Verdicts{{"n1", kUnwelcome}, {"n2", kUnwelcome}, {"n3", "ok"}, {"n4", "ok"}}));
  EXPECT_TRUE(cluster.pre_filter(app("new", "cache")).status.is_skip());
  EXPECT_TRUE(cluster.pre_filter(app("new", "web").name_space("other")).status.is_skip());
  // The pod's own terms come first.
  EXPECT_EQ(cluster.filter(away(app("new", "web"), term("db", kHost))),
            (Verdicts{{"n1", kTooNear}, {"n2", kUnwelcome}, {"n3", "ok"}, {"n4", "ok"}}));
}

TEST(InterPodAffinity, SkippedFilterTellsWhenItIsNeeded) {
  Affinity cluster;
  make_zones(cluster);
  const framework::PreFiltered made = cluster.pre_filter(app("new", "web"));
  ASSERT_TRUE(made.status.is_skip());
  ASSERT_TRUE(made.filter->passes_all());
  const std::uint64_t since = cluster.table.journal().end();
  cluster.place(away(app("p1", "db"), term("web", "rack")).on("n1"));
  cluster.place(away(app("p2", "db"), term("web", kZone)).on("n3"));
  ASSERT_TRUE(made.filter->catch_up(cluster.table, changes_since(cluster.table, since)));
  EXPECT_FALSE(made.filter->passes_all());
  EXPECT_EQ(verdicts_of(*made.filter, cluster.table),
            (Verdicts{{"n1", "ok"}, {"n2", "ok"}, {"n3", kUnwelcome}, {"n4", "ok"}}));
}

TEST(InterPodAffinity, TermsMeanNamespaces) {
  const Change in_other = [](auto& each) { each.namespaces = {Symbol("other")}; };
  const Change in_team = [](auto& each) { each.namespace_selector.emplace().match_labels = {{"team", Symbol("x")}}; };
  const Change anywhere = [](auto& each) { each.namespace_selector.emplace(); };
  const Change not_team = [](auto& each) {
    each.namespace_selector.emplace().match_expressions.push_back({Symbol("team"), Symbol("NotIn"), {Symbol("x")}});
  };
  struct Case {
    std::string_view what;
    Change change;
    std::string_view pod_is_in;
    bool own_term_matches;      // the pod to be placed, in "default", has the term
    bool foreign_term_matches;  // the pod in the other namespace has it, and the one in "default" is to be placed
    bool own_term_matches_upstream;
  };
  const std::vector<Case> cases = {
      {"own namespace", {}, "default", true, true, true},
      {"own namespace, others", {}, "other", false, false, false},
      {"list", in_other, "other", true, false, true},
      {"list without the own one", in_other, "default", false, false, false},
      {"selector", in_team, "team-x", true, false, true},
      {"selector, other labels", in_team, "other", false, false, false},
      {"every namespace", anywhere, "other", true, true, true},
      {"every namespace, also unknown ones", anywhere, "unknown", true, true, true},
      {"negative selector", not_team, "other", true, true, true},
      {"negative selector, excluded", not_team, "team-x", false, true, true},
  };
  for (const Case& each : cases) {
    for (const bool has_quirk : {false, true}) {
      SCOPED_TRACE(std::string(each.what) + (has_quirk ? ", as upstream" : ""));
      Affinity cluster({}, {.negative_namespace_selector_selects_all = has_quirk, .hints = {}});
      make_zones(cluster);
      cluster.name_space("default", {{"team", Symbol("y")}});
      cluster.name_space("other", {});
      cluster.name_space("team-x", {{"team", Symbol("x")}});
      cluster.place(app("p1", "db").name_space(each.pod_is_in).on("n1"));
      const bool matches = has_quirk ? each.own_term_matches_upstream : each.own_term_matches;
      EXPECT_EQ(cluster.filter(away(app("new", "web"), term("db", kHost, each.change)))["n1"],
                matches ? kTooNear : "ok");

      cluster.place(away(app("p2", "db"), term("web", kHost, each.change)).name_space(each.pod_is_in).on("n2"));
      const framework::PreFiltered made = cluster.pre_filter(app("new", "web"));
      EXPECT_EQ(text_of(*made.filter, made.filter->check(cluster.at("n2"))),
                each.foreign_term_matches ? kUnwelcome : "ok");
    }
  }
}

TEST(InterPodAffinity, IsOutOfDateWhenNamespacesChange) {
  Affinity cluster;
  make_zones(cluster);
  cluster.name_space("default", {});
  const Change in_team = [](auto& each) { each.namespace_selector.emplace().match_labels = {{"team", Symbol("x")}}; };
  const auto with_selector = cluster.pre_filter(away(app("new", "web"), term("db", kHost, in_team))).filter;
  const auto without = cluster.pre_filter(away(app("new", "web"), term("db", kHost))).filter;
  cluster.name_space("other", {});
  EXPECT_EQ(with_selector->objects_version(cluster.objects), 0u);
  cluster.name_space("team-x", {{"team", Symbol("x")}});
  EXPECT_NE(with_selector->objects_version(cluster.objects), 0u);
  EXPECT_EQ(without->objects_version(cluster.objects), 0u);
  cluster.name_space("default", {{"team", Symbol("x")}});
  EXPECT_NE(without->objects_version(cluster.objects), 0u) << "terms of placed pods look at its labels";
}

TEST(InterPodAffinity, RejectsTermsThatDoNotParse) {
  Affinity cluster;
  make_zones(cluster);
  const Change bad = [](auto& each) {
    each.label_selector.emplace().match_expressions.push_back({Symbol("app"), Symbol("Is"), {}});
  };
  const framework::Status status = cluster.pre_filter(near(app("new", "web"), term("db", kHost, bad))).status;
  EXPECT_EQ(status.code(), framework::Code::kUnschedulableAndUnresolvable);
  EXPECT_EQ(status.message(), "parsing pod: requiredAffinityTerms: \"Is\" is not a valid label selector operator");
}

TEST(InterPodAffinity, DryRunMovesPods) {
  Affinity cluster;
  make_zones(cluster);
  cluster.place(away(app("p1", "db"), term("web", kZone)).on("n1"));
  cluster.place(app("p2", "web").on("n1"));
  const PodBuilder pod = near(app("new", "web"), term("web", kZone));
  const framework::PreFiltered made = cluster.pre_filter(pod);
  EXPECT_EQ(text_of(*made.filter, made.filter->check(cluster.at("n2"))), kUnwelcome);
  const auto trial = made.filter->clone();
  trial->remove_pod(cluster.dry_run_pod(away(app("p1", "db"), term("web", kZone))), cluster.at("n1"));
  EXPECT_EQ(text_of(*trial, trial->check(cluster.at("n1"))), "ok");
  EXPECT_EQ(text_of(*trial, trial->check(cluster.at("n3"))), kNotNear);
  trial->remove_pod(cluster.dry_run_pod(app("p2", "web")), cluster.at("n1"));
  EXPECT_EQ(text_of(*trial, trial->check(cluster.at("n3"))), "ok") << "it is the first of its kind now";
  // A nominated pod may bring a topology key that nobody had before.
  trial->add_pod(cluster.dry_run_pod(away(app("p3", "db"), term("web", kHost))), cluster.at("n3"));
  EXPECT_EQ(text_of(*trial, trial->check(cluster.at("n3"))), kUnwelcome);
  EXPECT_EQ(text_of(*made.filter, made.filter->check(cluster.at("n2"))), kUnwelcome) << "the original is as it was";
}

TEST(InterPodAffinity, NominatedPodsKeepOthersOffAlsoIfNobodyElseDoes) {
  for (const bool has_quirk : {false, true}) {
    Affinity cluster({}, {.idle_affinity_overlooks_nominees = has_quirk, .hints = {}});
    make_zones(cluster);
    const framework::PreFiltered made = cluster.pre_filter(app("new", "web"));
    ASSERT_TRUE(made.status.is_skip());
    const auto trial = made.filter->clone();
    trial->add_pod(cluster.dry_run_pod(away(app("p1", "db"), term("web", kHost))), cluster.at("n1"));
    EXPECT_EQ(text_of(*trial, trial->check(cluster.at("n1"))), has_quirk ? "ok" : kUnwelcome);
    EXPECT_EQ(text_of(*trial, trial->check(cluster.at("n2"))), "ok");
  }
}

TEST(InterPodAffinity, ScoresLikesAndDislikes) {
  Affinity cluster;
  make_zones(cluster);
  cluster.place(app("p1", "db").on("n1"));
  cluster.place(app("p2", "db").on("n1"));
  cluster.place(app("p3", "cache").on("n3"));
  EXPECT_EQ(cluster.score(likes(app("new", "web"), 5, term("db", kZone))),
            (Scores{{"n1", {10, 100}}, {"n2", {10, 100}}, {"n3", {0, 0}}, {"n4", {0, 0}}}));
  EXPECT_EQ(cluster.score(dislikes(likes(app("new", "web"), 5, term("db", kHost)), 3, term("cache", kZone))),
            (Scores{{"n1", {10, 100}}, {"n2", {0, 23}}, {"n3", {-3, 0}}, {"n4", {0, 23}}}));
  EXPECT_TRUE(cluster.pre_score(likes(app("new", "web"), 5, term("nobody", kHost))).status.is_skip());
  EXPECT_TRUE(cluster.pre_score(app("new", "web")).status.is_skip());
}

TEST(InterPodAffinity, ScoresWhatOthersLike) {
  const auto make = [](Affinity& cluster) {
    make_zones(cluster);
    cluster.place(likes(app("p1", "db"), 4, term("web", kZone)).on("n1"));
    cluster.place(dislikes(app("p2", "db"), 7, term("web", kZone)).on("n3"));
    cluster.place(near(app("p3", "db"), term("web", kHost)).on("n2"));
  };
  Affinity cluster;
  make(cluster);
  EXPECT_EQ(cluster.score(app("new", "web")),
            (Scores{{"n1", {4, 91}}, {"n2", {5, 100}}, {"n3", {-7, 0}}, {"n4", {0, 58}}}));
  Affinity heavy(config::InterPodAffinityArgs{.hard_pod_affinity_weight = 40});
  make(heavy);
  EXPECT_EQ(heavy.score(app("new", "web"))["n2"], (NodeScore{44, 100}));
  Affinity weightless(config::InterPodAffinityArgs{.hard_pod_affinity_weight = 0});
  make(weightless);
  EXPECT_EQ(weightless.score(app("new", "web"))["n2"], (NodeScore{4, 100}));

  Affinity ignoring(config::InterPodAffinityArgs{.ignore_preferred_terms_of_existing_pods = true});
  make(ignoring);
  EXPECT_TRUE(ignoring.pre_score(app("new", "web")).status.is_skip());
  EXPECT_EQ(ignoring.score(likes(app("new", "web"), 1, term("nobody", kZone)))["n1"], (NodeScore{4, 91}))
      << "they are ignored only for pods without preferences";
}

TEST(InterPodAffinity, TermsThatCancelOutAreNotSkipped) {
  Affinity cluster;
  make_zones(cluster);
  cluster.place(app("p1", "db").on("n1"));
  EXPECT_EQ(cluster.score(dislikes(likes(app("new", "web"), 5, term("db", kZone)), 5, term("db", kZone))),
            (Scores{{"n1", {0, 0}}, {"n2", {0, 0}}, {"n3", {0, 0}}, {"n4", {0, 0}}}));
}

// A pod of one of a few kinds, with or without terms of all kinds.
PodBuilder random_pod(Rng& rng, std::string_view name) {
  const std::vector<std::string_view> apps = {"web", "db", "cache"};
  const std::vector<std::string_view> keys = {kZone, kHost, "rack"};
  const auto random_term = [&] {
    return term(apps[rng.below(apps.size())], keys[rng.below(keys.size())], [&](auto& each) {
      if (rng.chance(1, 4)) each.namespaces = {Symbol("other")};
      if (rng.chance(1, 6)) each.namespace_selector.emplace();
    });
  };
  PodBuilder pod = app(name, apps[rng.below(apps.size())]);
  if (rng.chance(1, 4)) pod = near(pod, random_term());
  if (rng.chance(1, 8)) pod = near(pod, random_term());
  if (rng.chance(1, 4)) pod = away(pod, random_term());
  if (rng.chance(1, 8)) pod = away(pod, random_term());
  if (rng.chance(1, 4)) pod = likes(pod, static_cast<std::int32_t>(rng.below(100)), random_term());
  if (rng.chance(1, 4)) pod = dislikes(pod, static_cast<std::int32_t>(rng.below(100)), random_term());
  if (rng.chance(1, 5)) pod.name_space("other");
  return pod;
}

void make_random_nodes(Rng& rng, Affinity& cluster, std::size_t nodes) {
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::string name = "n" + std::to_string(i);
    NodeBuilder node(name);
    if (!rng.chance(1, 8)) node.label(kHost, name);
    if (!rng.chance(1, 8)) node.label(kZone, std::string(1, static_cast<char>('a' + rng.below(4))));
    if (rng.chance(1, 2)) node.label("rack", std::to_string(rng.below(3)));
    cluster.node(node);
  }
}

TEST(InterPodAffinity, CatchesUpWithRandomHistories) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Affinity cluster;
    const std::size_t nodes = 3 + rng.below(12);
    make_random_nodes(rng, cluster, nodes);
    const PodBuilder pod = random_pod(rng, "incoming");
    const framework::PreFiltered filter = cluster.pre_filter(pod);
    const framework::PreScored scorer = cluster.pre_score(pod);
    std::uint64_t read_until = cluster.table.journal().end();
    std::vector<api::PodPtr> placed;
    for (int step = 0; step < 60; ++step) {
      for (std::uint64_t change = rng.below(4); change > 0; --change) {
        if (!placed.empty() && rng.chance(1, 2)) {
          std::swap(placed[rng.below(placed.size())], placed.back());
          cluster.table.remove_pod(*placed.back());
          placed.pop_back();
          continue;
        }
        const PodBuilder other = random_pod(rng, "p" + std::to_string(step) + "-" + std::to_string(change))
                                     .on("n" + std::to_string(rng.below(nodes + 1)));
        cluster.place(other);
        placed.push_back(other.build());
      }
      const std::vector<cache::Change> changes = changes_since(cluster.table, read_until);
      read_until = cluster.table.journal().end();
      ASSERT_TRUE(filter.filter->catch_up(cluster.table, changes));
      ASSERT_TRUE(scorer.scorer->catch_up(cluster.table, changes));
      const framework::PreFiltered fresh_filter = cluster.pre_filter(pod);
      const framework::PreScored fresh_scorer = cluster.pre_score(pod);
      ASSERT_EQ(filter.filter->passes_all(), fresh_filter.status.is_skip());
      ASSERT_EQ(scorer.scorer->is_constant(), fresh_scorer.status.is_skip());
      ASSERT_EQ(verdicts_of(*filter.filter, cluster.table), verdicts_of(*fresh_filter.filter, cluster.table)) << step;
      ASSERT_EQ(node_scores_of(*scorer.scorer, cluster.table, cluster.table.nodes()),
                node_scores_of(*fresh_scorer.scorer, cluster.table, cluster.table.nodes()))
          << step;
    }
  }
}

TEST(InterPodAffinity, DryRunIsLikeTheRealThing) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Affinity cluster;
    make_random_nodes(rng, cluster, 6);
    for (int i = 0; i < 6; ++i) {
      cluster.place(random_pod(rng, "p" + std::to_string(i)).on("n" + std::to_string(rng.below(6))));
    }
    const PodBuilder pod = random_pod(rng, "incoming");
    const framework::PreFiltered made = cluster.pre_filter(pod);
    const auto trial = made.filter->clone();
    const std::string node = "n" + std::to_string(rng.below(6));
    for (int i = 0; i < 3; ++i) {
      if (const auto& there = cluster.at(node).pods; !there.empty() && rng.chance(2, 3)) {
        const cache::PlacedPod victim = there[rng.below(there.size())];
        trial->remove_pod(victim, cluster.at(node));
        cluster.table.remove_pod(*victim.pod);
      } else {
        const PodBuilder extra = random_pod(rng, "extra" + std::to_string(i)).on(node);
        trial->add_pod(cluster.dry_run_pod(extra), cluster.at(node));
        cluster.place(extra);
      }
      const framework::PreFiltered real = cluster.pre_filter(pod);
      EXPECT_EQ(verdicts_of(*trial, cluster.table), verdicts_of(*real.filter, cluster.table));
    }
  }
}

TEST(InterPodAffinity, StartsOverWhenNodesMove) {
  Affinity cluster;
  make_zones(cluster);
  const PodBuilder pod = likes(away(app("new", "web"), term("db", kHost)), 1, term("db", kZone));
  using enum cache::Change::Kind;
  for (const auto& [kind, catches_up] : std::vector<std::pair<cache::Change::Kind, bool>>{{kNodeCapacity, true},
                                                                                          {kNodeTaints, true},
                                                                                          {kNodeOther, true},
                                                                                          {kNodeLabels, false},
                                                                                          {kNodeAdded, false},
                                                                                          {kNodeRemoved, false}}) {
    const cache::Change change{kind, 0, nullptr};
    EXPECT_EQ(cluster.pre_filter(pod).filter->catch_up(cluster.table, std::span(&change, 1)), catches_up);
    EXPECT_EQ(cluster.pre_score(pod).scorer->catch_up(cluster.table, std::span(&change, 1)), catches_up);
  }
}

TEST(InterPodAffinity, RefusesBadArguments) {
  const config::PluginArgs bad = config::InterPodAffinityArgs{.hard_pod_affinity_weight = 101};
  const config::FeatureGates gates;
  const cache::ClusterObjects objects;
  EXPECT_FALSE(make_inter_pod_affinity({Symbol("p"), bad, gates, objects}, {}).has_value());
}

}  // namespace
}  // namespace berth::plugins
