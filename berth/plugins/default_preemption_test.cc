#include "berth/plugins/default_preemption.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "berth/cache/testing.h"
#include "berth/config/load.h"
#include "berth/framework/attempt.h"
#include "berth/plugins/default_plugins.h"
#include "berth/plugins/names.h"
#include "berth/plugins/preemption.h"

namespace berth::plugins {
namespace {

using cache::testing::NodeBuilder;
using cache::testing::PodBuilder;
using framework::Code;

// Pods ask for CPU; nodes have 4 unless told otherwise.
PodBuilder pod(std::string_view name, std::int32_t priority, std::string_view cpu, std::int64_t started_at = 0) {
  PodBuilder builder(name);
  builder.priority(priority).request("cpu", cpu);
  if (started_at != 0) builder.pod().status.start_time = Instant::from_unix_seconds(started_at);
  return builder;
}

std::vector<std::string> names(const std::vector<api::PodPtr>& pods) {
  std::vector<std::string> all;
  for (const api::PodPtr& each : pods) all.push_back(each->metadata.name);
  return all;
}

using Names = std::vector<std::string>;

// The default profile over a small cluster.
class DefaultPreemptionTest : public ::testing::Test {
 protected:
  void node(std::string_view name, std::string_view cpu = "4") {
    table_.set_node(NodeBuilder(name).allocatable("cpu", cpu).build());
  }
  void place(PodBuilder builder, std::string_view node_name) {
    const api::PodPtr placed = builder.on(node_name).build();
    table_.add_pod(placed, compiled_.get(placed->spec.shared));
  }
  void nominate(const PodBuilder& builder, std::string_view node_name) {
    const api::PodPtr nominated = builder.build();
    nominated_.add(Symbol(node_name), {.pod = nominated, .compiled = compiled_.get(nominated->spec.shared)});
  }
  void budget(std::string_view label, std::int32_t allowed, std::vector<std::string_view> disrupted = {}) {
    api::PodDisruptionBudget budget;
    budget.metadata.name = label;
    budget.metadata.name_space = Symbol("default");
    budget.spec.selector.emplace();
    if (!label.empty()) budget.spec.selector->match_labels[Symbol("app")] = Symbol(label);
    budget.status.disruptions_allowed = allowed;
    for (const std::string_view name : disrupted) {
      budget.status.disrupted_pods[Symbol(name)] = Instant::from_unix_seconds(1);
    }
    objects_.pod_disruption_budgets.set(std::make_shared<const api::PodDisruptionBudget>(budget));
  }

  // Makes an attempt that must fail, and runs PostFilter on it.
  framework::PostFiltered try_pod(const PodBuilder& builder) {
    if (!profile_) build_profile();
    const api::PodPtr incoming = builder.build();
    const framework::PodToPlace to_place{.pod = incoming, .compiled = compiled_.get(incoming->spec.shared)};
    const framework::ClusterView cluster{.nodes = table_, .objects = objects_};
    const auto pre_filter = framework::run_pre_filter(*profile_, to_place, cluster);
    EXPECT_TRUE(pre_filter.status.is_success());
    const auto filtered = framework::run_filters(*profile_, pre_filter, to_place, cluster, nominated_);
    EXPECT_TRUE(filtered.feasible.none());
    const framework::FailedAttempt attempt(*profile_, to_place, cluster, nominated_, pre_filter, &filtered);
    const DisruptionBudgets budgets(objects_.pod_disruption_budgets);
    search_ = find_preemption_candidates(attempt, preemption_rows(attempt), budgets);
    return framework::run_post_filter(*profile_, attempt);
  }
  void build_profile(config::DefaultPreemptionArgs args = {}) {
    config::Profile& profile = config_.config.profiles.front();
    for (config::PluginConfig& plugin : profile.plugin_config) {
      if (plugin.name == name::kDefaultPreemption) plugin.args = args;
    }
    auto built = framework::Profile::build(profile, default_registry(), gates_, objects_);
    ASSERT_TRUE(built.has_value()) << built.error().message();
    profile_ = std::move(*built);
  }

  api::CompiledPods compiled_;
  cache::NodeTable table_;
  cache::ClusterObjects objects_;
  framework::NominatedPods nominated_;
  config::FeatureGates gates_;
  config::LoadedConfig config_ = config::default_config();
  std::unique_ptr<framework::Profile> profile_;
  PreemptionSearch search_;
};

TEST_F(DefaultPreemptionTest, EvictsNoMoreThanItTakesAndTheLeastImportantFirst) {
  node("n1");
  place(pod("old", 1, "1", 100), "n1");
  place(pod("young", 1, "1", 200), "n1");
  place(pod("high", 5, "1", 300), "n1");
  place(pod("equal", 10, "1", 400), "n1");
  const auto result = try_pod(pod("p", 10, "1"));
  EXPECT_TRUE(result.status.is_success());
  EXPECT_EQ(result.nominated_node, Symbol("n1"));
  EXPECT_EQ(names(result.victims), Names({"young"}));
  EXPECT_EQ(names(try_pod(pod("q", 10, "2")).victims), Names({"old", "young"}));
  EXPECT_EQ(names(try_pod(pod("r", 10, "3")).victims), Names({"high", "old", "young"}));
}

TEST_F(DefaultPreemptionTest, TakesAPodWithoutAStartTimeForTheYoungest) {
  node("n1");
  place(pod("not-started", 1, "2"), "n1");
  place(pod("started", 1, "2", 100), "n1");
  EXPECT_EQ(names(try_pod(pod("p", 10, "2")).victims), Names({"not-started"}));
}

TEST_F(DefaultPreemptionTest, TakesTheLastByNameAmongEquals) {
  node("n1");
  place(pod("b", 1, "2", 100), "n1");
  place(pod("a", 1, "2", 100), "n1");
  EXPECT_EQ(names(try_pod(pod("p", 10, "2")).victims), Names({"b"}));
}

TEST_F(DefaultPreemptionTest, KeepsPodsWhoseBudgetIsExhaustedIfItCan) {
  node("n1");
  budget("guarded", 1);
  place(pod("a", 1, "1", 400).label("app", "guarded"), "n1");
  place(pod("b", 1, "1", 300).label("app", "guarded"), "n1");
  place(pod("c", 2, "2", 200), "n1");
  // "c" is the most important, then "b", which is within the budget, then "a", which is not.
  EXPECT_EQ(names(try_pod(pod("p", 10, "1")).victims), Names({"b"}));
  EXPECT_EQ(search_.candidates.front().pdb_violations, 0);
  EXPECT_EQ(names(try_pod(pod("q", 10, "4")).victims), Names({"c", "b", "a"}));
  EXPECT_EQ(search_.candidates.front().pdb_violations, 1);
}

TEST_F(DefaultPreemptionTest, CountsNoViolationForAPodThatIsBeingDisruptedOrThatABudgetDoesNotSelect) {
  node("n1");
  budget("guarded", 0, {"a"});
  budget("", 0);  // an empty selector selects nothing here
  place(pod("a", 1, "1", 400).label("app", "guarded"), "n1");
  place(pod("b", 1, "1", 300).label("app", "other"), "n1");
  place(pod("c", 1, "1", 200), "n1");
  place(pod("d", 1, "1", 100).label("app", "guarded").name_space("elsewhere"), "n1");
  EXPECT_EQ(names(try_pod(pod("p", 10, "4")).victims), Names({"d", "c", "b", "a"}));
  EXPECT_EQ(search_.candidates.front().pdb_violations, 0);
}

TEST_F(DefaultPreemptionTest, MakesRoomForNominatedPodsAsWell) {
  node("n1");
  place(pod("a", 1, "2", 200), "n1");
  place(pod("b", 1, "2", 100), "n1");
  nominate(pod("promised", 20, "2"), "n1");
  EXPECT_EQ(names(try_pod(pod("p", 10, "2")).victims), Names({"b", "a"}));
  EXPECT_EQ(names(try_pod(pod("q", 30, "2")).victims), Names({"a"}));
}

TEST_F(DefaultPreemptionTest, SaysPerNodeWhyItDoesNotHelp) {
  node("n1");
  node("n2");
  node("n3", "1");
  place(pod("equal", 10, "4", 100), "n1");
  place(pod("equal-too", 10, "3", 100), "n2");
  place(pod("low", 1, "1", 100), "n2");
  const auto result = try_pod(pod("p", 10, "2"));
  EXPECT_EQ(result.status.code(), Code::kUnschedulable);
  EXPECT_EQ(result.status.message(),
            "no new claims to deallocate, preemption: 0/3 nodes are available: 1 Insufficient cpu, 1 No preemption "
            "victims found for incoming pod, 1 Preemption is not helpful for scheduling.");
  EXPECT_EQ(result.nominated_node, Symbol()) << "takes a nomination away that cannot come true";
}

TEST_F(DefaultPreemptionTest, DoesNotPreemptForAPodThatNeverPreempts) {
  node("n1");
  place(pod("low", 1, "4", 100), "n1");
  PodBuilder never = pod("p", 10, "2");
  never.spec().preemption_policy = Symbol("Never");
  const auto result = try_pod(never);
  EXPECT_EQ(result.status.message(),
            "no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.");
  EXPECT_EQ(result.nominated_node, std::nullopt) << "leaves a nomination as it is";
}

TEST_F(DefaultPreemptionTest, WaitsForVictimsThatAreStillTerminatingOnTheNominatedNode) {
  node("n1");
  node("n2");
  PodBuilder victim = pod("victim", 1, "4", 100).terminating();
  api::PodCondition target;
  target.type = Symbol("DisruptionTarget");
  target.status = Symbol("True");
  target.reason = Symbol("PreemptionByScheduler");
  victim.pod().status.conditions = {target};
  place(victim, "n1");
  place(pod("low", 1, "4", 100), "n2");
  PodBuilder waiting = pod("p", 10, "2");
  waiting.pod().status.nominated_node_name = Symbol("n1");
  EXPECT_EQ(try_pod(waiting).status.message(),
            "no new claims to deallocate, preemption: not eligible due to a terminating pod on the nominated node.");
  waiting.pod().status.nominated_node_name = Symbol("n2");
  EXPECT_TRUE(try_pod(waiting).status.is_success()) << "nothing terminates there";
  waiting.priority(1).pod().status.nominated_node_name = Symbol("n1");
  EXPECT_NE(try_pod(waiting).status.message().find("No preemption victims found"), std::string::npos)
      << "a pod of the same priority was not evicted for this one";
}

TEST_F(DefaultPreemptionTest, StopsLookingWhenThereAreEnoughCandidates) {
  build_profile({.min_candidate_nodes_percentage = 0, .min_candidate_nodes_absolute = 1});
  for (const std::string name : {"n1", "n2"}) node(name);
  place(pod("two", 2, "4", 100), "n1");
  place(pod("one", 1, "4", 100), "n2");
  EXPECT_EQ(try_pod(pod("p", 10, "2")).nominated_node, Symbol("n1"));
  profile_.reset();
  build_profile();
  EXPECT_EQ(try_pod(pod("p", 10, "2")).nominated_node, Symbol("n2"));
}

struct Victim {
  std::int32_t priority;
  std::int64_t started_at;
};
PreemptionCandidate candidate(std::int64_t violations, const std::vector<Victim>& victims) {
  PreemptionCandidate made{.row = 0, .victims = {}, .pdb_violations = violations};
  for (const Victim& victim : victims) {
    made.victims.push_back(pod("v", victim.priority, "1", victim.started_at).build());
  }
  return made;
}

TEST(Preemption, ChoosesTheCandidateThatDoesTheLeastHarm) {
  struct Case {
    std::string_view what;
    std::vector<PreemptionCandidate> candidates;
    std::vector<std::size_t> best;
  };
  const std::vector<Case> cases = {
      {"none", {}, {}},
      {"fewer violations, whatever the priorities", {candidate(1, {{0, 1}}), candidate(0, {{9, 1}, {9, 1}})}, {1}},
      {"a lower highest priority, whatever the sum",
       {candidate(0, {{5, 1}}), candidate(0, {{4, 1}, {4, 1}, {4, 1}})},
       {1}},
      {"a lower sum", {candidate(0, {{5, 1}, {3, 1}}), candidate(0, {{5, 1}, {2, 1}})}, {1}},
      {"negative priorities do not make more victims better",
       {candidate(0, {{-5, 1}, {-5, 1}}), candidate(0, {{-5, 1}})},
       {1}},
      {"a later start of the longest-running of the highest priority",
       {candidate(0, {{5, 10}, {5, 30}, {1, 90}}), candidate(0, {{5, 20}, {5, 20}, {1, 5}})},
       {1}},
      {"no start time is the latest", {candidate(0, {{5, 10}}), candidate(0, {{5, 0}})}, {1}},
      {"all that tie", {candidate(0, {{5, 10}}), candidate(0, {{6, 10}}), candidate(0, {{5, 10}})}, {0, 2}},
  };
  for (const Case& each : cases) EXPECT_EQ(best_preemption_candidates(each.candidates), each.best) << each.what;
}

TEST(DefaultPreemption, HoldsBackAPodWhileItsVictimsAreEvicted) {
  const config::PluginArgs args = config::DefaultPreemptionArgs();
  const cache::ClusterObjects objects;
  struct BusyOnly final : PreemptionsUnderWay {
    bool is_preempting(const api::Pod& each) const override { return each.metadata.name == "busy"; }
    std::span<const api::PodPtr> uncounted_victims() const override { return {}; }
  };
  const BusyOnly under_way;
  for (const bool async : {true, false}) {
    const config::FeatureGates gates = config::FeatureGates().with(config::Feature::kSchedulerAsyncPreemption, async);
    const auto plugin = make_default_preemption({Symbol("s"), args, gates, objects}, &under_way);
    ASSERT_TRUE(plugin.has_value());
    const auto& check = dynamic_cast<const framework::PreEnqueuePlugin&>(**plugin);
    EXPECT_TRUE(check.pre_enqueue(*PodBuilder("idle").build()).is_success());
    const framework::Status busy = check.pre_enqueue(*PodBuilder("busy").build());
    EXPECT_EQ(busy.message(), async ? "waiting for the preemption for this pod to be finished" : "");
    EXPECT_EQ(busy.code(), async ? Code::kUnschedulableAndUnresolvable : Code::kSuccess);
    EXPECT_EQ((*plugin)->events(Symbol("s"))->size(), async ? 1u : 0u);
  }
}

TEST(DefaultPreemption, RefusesArgumentsThatNameNoCandidates) {
  const config::PluginArgs args =
      config::DefaultPreemptionArgs{.min_candidate_nodes_percentage = 0, .min_candidate_nodes_absolute = 0};
  const config::FeatureGates gates;
  const cache::ClusterObjects objects;
  const auto plugin = make_default_preemption({Symbol("s"), args, gates, objects});
  ASSERT_FALSE(plugin.has_value());
  EXPECT_NE(plugin.error().message().find("cannot be zero at the same time as minCandidateNodesAbsolute"),
            std::string::npos)
      << plugin.error().message();
}

}  // namespace
}  // namespace berth::plugins
