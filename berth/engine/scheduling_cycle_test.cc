#include "berth/engine/scheduling_cycle.h"

#include <gtest/gtest.h>

#include <set>

#include "berth/engine/testing.h"

namespace berth::engine {
namespace {

using testing::configured;
using testing::node;
using testing::NodeBuilder;
using testing::pod;
using testing::PodBuilder;
using testing::Texts;
using testing::World;

PodBuilder nominated(PodBuilder builder, std::string_view to) {
  builder.pod().status.nominated_node_name = Symbol(to);
  return builder;
}

TEST(SchedulingCycle, PlacesAPodWhereItFits) {
  World world;
  world.add(node("n1", "1"));
  world.add(node("n2", "4"));
  world.add(pod("a", "2").build());
  world.answer_all();
  EXPECT_EQ(world.node_of("a"), "n2");
  EXPECT_EQ(world.place("a"), "bound");
  const AttemptRecord& attempt = world.last_attempt("a");
  EXPECT_EQ(attempt.number, 1);
  EXPECT_EQ(attempt.result, AttemptResult::kPlaced);
  EXPECT_EQ(attempt.woken_by, "UnschedulablePodAdd");
  EXPECT_EQ(attempt.nodes_evaluated, 2u);
  EXPECT_EQ(attempt.nodes_feasible, 1u);
  EXPECT_EQ(attempt.node, "n2");
}

TEST(SchedulingCycle, SkipsPodsThatAreBeingDeleted) {
  World world;
  world.add(node("n1", "4"));
  world.add(pod("a").terminating().build());
  world.answer_all();
  EXPECT_EQ(world.events(), (Texts{"FailedScheduling a: skip schedule deleting pod: default/a"}));
  EXPECT_EQ(world.node_of("a"), "");
  EXPECT_EQ(world.condition("a"), "");
  EXPECT_TRUE(world.scheduler().queue().in_flight().empty());
}

TEST(SchedulingCycle, FailsWithoutNodesAndTriesAgainByTime) {
  World world;
  world.add(pod("a").build());
  world.answer_all();
  EXPECT_EQ(world.events(), (Texts{"FailedScheduling a: no nodes available to schedule pods"}));
  EXPECT_EQ(world.condition("a"), "False Unschedulable no nodes available to schedule pods");
  EXPECT_EQ(world.place("a"), "backoff");
  world.add(node("n1", "4"));
  world.run_for(Duration::seconds(3));
  world.answer_all();
  EXPECT_EQ(world.node_of("a"), "n1");
}

TEST(SchedulingCycle, SaysWhyNoNodeFits) {
  World world;
  world.add(node("n1", "2"));
  world.add(pod("holder").on("n1").build());
  world.add(NodeBuilder("n2").allocatable("cpu", "4").taint("a", "b", "NoSchedule").build());
  world.add(pod("a", "2").build());
  world.answer_all();
  EXPECT_EQ(
      world.condition("a"),
      "False Unschedulable 0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). no new "
      "claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming "
      "pod, 1 Preemption is not helpful for scheduling.");
  EXPECT_EQ(world.place("a"), "unschedulable");
  const AttemptRecord& attempt = world.last_attempt("a");
  EXPECT_EQ(attempt.result, AttemptResult::kUnschedulable);
  EXPECT_EQ(attempt.detail().rejections.size(), 2u);
  EXPECT_EQ(attempt.detail().rejecting_plugins,
            (std::vector<Symbol>{Symbol("NodeResourcesFit"), Symbol("TaintToleration")}));
}

TEST(SchedulingCycle, TriesAPodAgainWhenAnEventMakesRoom) {
  World world;
  world.add(node("n1", "1"));
  world.add(pod("holder").on("n1").build());
  world.add(pod("a").build());
  world.answer_all();
  ASSERT_EQ(world.place("a"), "unschedulable");
  world.remove("holder");
  EXPECT_EQ(world.place("a"), "backoff");
  world.run_for(Duration::seconds(2));
  world.answer_all();
  EXPECT_EQ(world.node_of("a"), "n1");
  EXPECT_EQ(world.last_attempt("a").woken_by, "AssignedPodDelete");
  EXPECT_EQ(world.last_attempt("a").number, 2);
}

// --- Nominations -----------------------------------------------------------------------------------------------------

struct NominationCase {
  std::string_view nominated_to;
  std::string_view node;
  std::size_t nodes_evaluated;
};

TEST(SchedulingCycle, LooksAtTheNominatedNodeFirst) {
  const std::vector<NominationCase> cases = {
      {"small", "small", 1},  // the other one would have been better
      {"full", "big", 3},     // nominated in vain
      {"unknown", "big", 3},
      {"", "big", 3},
  };
  for (const NominationCase& each : cases) {
    SCOPED_TRACE(each.nominated_to);
    World world;
    world.add(node("small", "2"));
    world.add(node("full", "1"));
    world.add(node("big", "64"));
    world.add(pod("holder").on("full").build());
    world.add(nominated(pod("a"), each.nominated_to).build());
    world.answer_all();
    EXPECT_EQ(world.node_of("a"), each.node);
    EXPECT_EQ(world.last_attempt("a").nodes_evaluated, each.nodes_evaluated);
    EXPECT_EQ(world.nominated_node("a"), "");
  }
}

TEST(SchedulingCycle, LeavesRoomForNominatedPodsOfAtLeastItsPriority) {
  for (const auto& [priority, fits] : std::vector<std::pair<int, bool>>{{5, false}, {10, false}, {11, true}}) {
    SCOPED_TRACE(priority);
    World world;
    world.add(node("n1", "1"));
    // Held back by a gate, so that it stays nominated.
    PodBuilder vip = nominated(pod("vip").priority(10), "n1");
    vip.spec().scheduling_gates.push_back({Symbol("wait")});
    world.add(vip.build());
    ASSERT_EQ(world.place("vip"), "gated");
    world.add(pod("other").priority(priority).build());
    world.answer_all();
    EXPECT_EQ(world.node_of("other"), fits ? "n1" : "");
  }
}

TEST(SchedulingCycle, DoesNotLetAPodLeanOnANominatedOneThatIsNotThereYet) {
  World world;
  world.add(NodeBuilder("n1").allocatable("cpu", "4").label("zone", "a").build());
  PodBuilder friend_pod = nominated(pod("friend").priority(10).label("app", "friend"), "n1");
  friend_pod.spec().scheduling_gates.push_back({Symbol("wait")});
  world.add(friend_pod.build());
  PodBuilder leaning = pod("leaning");
  api::LabelSelector selector;
  selector.match_labels[Symbol("app")] = Symbol("friend");
  api::PodAffinityTerm term;
  term.label_selector = selector;
  term.topology_key = Symbol("zone");
  api::Affinity affinity;
  affinity.pod_affinity.emplace().required.push_back(term);
  leaning.spec().affinity = affinity;
  world.add(leaning.build());
  world.answer_all();
  EXPECT_EQ(world.place("leaning"), "unschedulable");
}

// --- Which nodes are looked at, and which of the best is taken -------------------------------------------------------

TEST(SchedulingCycle, LooksAtAsManyNodesAsTheConfigurationSays) {
  struct Case {
    int nodes;
    std::string_view configuration;
    std::size_t feasible;
  };
  const std::vector<Case> cases = {
      {300, "", 300},
      {300, "percentageOfNodesToScore: 50", 150},
      {300, "percentageOfNodesToScore: 10", 100},
      {300, "percentageOfNodesToScore: 100", 300},
      {99, "percentageOfNodesToScore: 50", 99},
      {300,
       "percentageOfNodesToScore: 50\nprofiles:\n- schedulerName: default-scheduler\n  percentageOfNodesToScore: 40",
       120},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.configuration);
    Options options;
    if (!each.configuration.empty()) options.config = configured(each.configuration);
    World world(std::move(options));
    for (int i = 0; i < each.nodes; ++i) world.add(node("n" + std::to_string(i), "4"));
    world.add(pod("a").build());
    world.run();
    EXPECT_EQ(world.last_attempt("a").nodes_feasible, each.feasible);
    EXPECT_EQ(world.last_attempt("a").nodes_evaluated, each.feasible);
    world.answer_all();
  }
}

TEST(SchedulingCycle, GoesOnWhereTheLastSampleEnded) {
  Options options;
  options.config = configured("percentageOfNodesToScore: 50");
  World world(std::move(options));
  const auto name = [](int i) { return "n" + std::to_string(i); };
  for (int i = 0; i < 200; ++i) world.add(node(name(i), "4"));
  const auto half_of = [&](std::string_view pod_name) {
    world.add(pod(pod_name).build());
    world.answer_all();
    return std::stoi(world.node_of(pod_name).substr(1)) / 100;
  };
  EXPECT_EQ(half_of("a"), 0);
  EXPECT_EQ(half_of("b"), 1);
  EXPECT_EQ(half_of("c"), 0);
}

TEST(SchedulingCycle, BreaksTiesByTheSeedAlone) {
  const auto chosen = [](std::uint64_t seed) {
    Options options;
    options.seed = seed;
    World world(std::move(options));
    for (int i = 0; i < 16; ++i) world.add(node("n" + std::to_string(i), "4"));
    Texts nodes;
    for (int i = 0; i < 4; ++i) {
      const std::string name = "p" + std::to_string(i);
      world.add(pod(name).build());
      world.answer_all();
      nodes.push_back(world.node_of(name));
    }
    return nodes;
  };
  EXPECT_EQ(chosen(1), chosen(1));
  std::set<Texts> different;
  for (std::uint64_t seed = 0; seed < 8; ++seed) different.insert(chosen(seed));
  EXPECT_GT(different.size(), 4u);
}

TEST(SchedulingCycle, RecordsTheBestNodesWithTheirScoresIfAsked) {
  Options options;
  options.scores_to_record = 2;
  World world(std::move(options));
  world.add(node("n1", "4"));
  world.add(node("n2", "8"));
  world.add(node("n3", "64"));
  world.add(pod("a").build());
  world.answer_all();
  const auto& top = world.last_attempt("a").detail().top;
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(top[0].node, "n3");
  EXPECT_EQ(top[1].node, "n2");
  EXPECT_GT(top[0].total, top[1].total);
}

TEST(SchedulingCycle, TriesPodsOfEachProfileAndLeavesOthersAlone) {
  Options options;
  options.config = configured("profiles:\n- schedulerName: one\n- schedulerName: two");
  World world(std::move(options));
  world.add(node("n1", "8"));
  for (const std::string_view name : {"one", "two", "three"}) {
    PodBuilder builder = pod(name);
    builder.spec().scheduler_name = Symbol(name);
    world.add(builder.build());
  }
  world.answer_all();
  EXPECT_EQ(world.place("one"), "bound");
  EXPECT_EQ(world.place("two"), "bound");
  EXPECT_EQ(world.place("three"), "foreign");
  EXPECT_EQ(world.last_event().reporting_controller, "two");
}

}  // namespace
}  // namespace berth::engine
