#include "berth/sim/world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/sim/pod_script.h"
#include "berth/sim/testing.h"

namespace berth::sim {
namespace {

using testing::any;
using testing::node;
using testing::NodeBuilder;
using testing::pod;
using testing::PodBuilder;
using testing::TestWorld;

// A pod that runs for a time and ends.
api::AnyObject short_pod(std::string_view name, std::string_view cpu, std::string_view runs) {
  PodBuilder builder(name);
  builder.uid("").request("cpu", cpu);
  builder.pod().metadata.annotations = api::Annotations{{kRunsAnnotation, std::string(runs)}};
  return any(builder.build());
}

// Everything that happened, as text.
std::string told(World& world) {
  std::string text;
  for (const HistoryEvent& history_event : world.history().history_events()) {
    text += fmt::format("{} {} {} {} {} {} {}\n", history_event.at.rfc3339_nano(), static_cast<int>(history_event.kind),
                        history_event.pod, history_event.node.text(), history_event.label.text(), history_event.cause,
                        history_event.text);
  }
  for (const PublishedEvent& event : world.history().events()) {
    text += fmt::format("{} {} {} {}\n", event.at.rfc3339_nano(), event.pod, event.reason.text(), event.note);
  }
  return text;
}

TEST(World, PlacesPods) {
  TestWorld world;
  world.create(node("n1", "2"));
  world.create(node("n2", "2"));
  for (int i = 0; i < 4; ++i) world.create(pod(fmt::format("p{}", i)));
  world.run_until_idle();
  std::vector<int> on(3);
  for (int i = 0; i < 4; ++i) {
    const std::string where = world.node_of(fmt::format("p{}", i));
    ASSERT_TRUE(where == "n1" || where == "n2") << where;
    ++on[where == "n1" ? 1 : 2];
  }
  EXPECT_EQ(on[1], 2);
  EXPECT_EQ(on[2], 2);
  EXPECT_EQ(world->history().counts().bound, 4u);
  EXPECT_LT(world->elapsed(), Duration::seconds(1));
  world.expect_sound();
}

TEST(World, IsIdleWithAPodThatDoesNotFitAndSaysWhy) {
  TestWorld world;
  world.create(node("n1", "2"));
  world.create(pod("big", "3"));
  world.run_until_idle();
  EXPECT_EQ(world.node_of("big"), "");
  EXPECT_LT(world->elapsed(), Duration::seconds(1));
  EXPECT_EQ(world->scheduler().place_of(Symbol("default"), "big"), engine::PodPlace::kUnschedulable);
  ASSERT_FALSE(world->history().events().empty());
  EXPECT_EQ(world->history().events().back().reason, "FailedScheduling");
  EXPECT_TRUE(world->history().events().back().note.starts_with("0/1 nodes are available: 1 Insufficient cpu."))
      << world->history().events().back().note;
  world.expect_sound();
}

TEST(World, WakesAPodWhenTheOneThatHeldItsRoomEnds) {
  TestWorld world;
  world.create(node("n1", "2"));
  world.create(short_pod("holder", "1500m", "40s"));
  world.run_until_idle();
  EXPECT_EQ(world.node_of("holder"), "n1");
  world.create(pod("waiter", "1"));
  world.run_for(Duration::seconds(1));
  EXPECT_EQ(world.node_of("waiter"), "");
  world->run_until(world->now() + Duration::seconds(44));
  EXPECT_EQ(world.node_of("waiter"), "n1");
  const PodTimeline* pod_timeline = world->history().pod_timeline("default/waiter");
  ASSERT_NE(pod_timeline, nullptr);
  EXPECT_EQ(pod_timeline->woken_by, "AssignedPodDelete");
  EXPECT_EQ(pod_timeline->wake_ups, 1);
  EXPECT_EQ(pod_timeline->wasted, 0);
  EXPECT_TRUE(world->history().pod_timeline("default/holder")->succeeded);
  world.expect_sound();
}

TEST(World, LetsAMoreImportantPodOfTheSameInstantGoFirst) {
  TestWorld world;
  world.create(node("n1", "1"));
  world.create(pod("low"));
  world.create(any(PodBuilder("high").uid("").request("cpu", "1").priority(100).build()));
  world->run_until(world->now() + Duration::milliseconds(10));
  EXPECT_EQ(world.node_of("high"), "n1");
  EXPECT_EQ(world.node_of("low"), "");
}

TEST(World, EvictsPodsForAMoreImportantOne) {
  TestWorld world;
  world.create(node("n1", "1"));
  world.create(pod("low"));
  world.run_until_idle();
  world.create(any(PodBuilder("high").uid("").request("cpu", "1").priority(100).build()));
  world.run_for(Duration::seconds(30));
  EXPECT_EQ(world.node_of("high"), "n1");
  EXPECT_EQ(world.get_pod("low"), nullptr);
  EXPECT_TRUE(world->history().pod_timeline("default/low")->preempted);
  EXPECT_EQ(world->history().counts().preemptions, 1u);
  EXPECT_EQ(world->history().counts().evicted, 1u);
  world.expect_sound();
}

TEST(World, DoesTheSameWithTheSameSeed) {
  const auto run = [](std::uint64_t seed) {
    WorldOptions options;
    options.seed = seed;
    options.faults.bind = {Latency::Shape::kExponential, Duration::milliseconds(20), Duration::seconds(1)};
    options.faults.watch = {Latency::Shape::kUniform, Duration::milliseconds(1), Duration::milliseconds(50)};
    options.faults.errors = 100'000;
    options.faults.lost_answers = 100'000;
    options.faults.lost_watches = 20'000;
    options.faults.reordered_watches = 100'000;
    TestWorld world(std::move(options));
    for (int i = 0; i < 4; ++i) world.create(node(fmt::format("n{}", i), "4"));
    for (int i = 0; i < 30; ++i) world.create(short_pod(fmt::format("p{}", i), "1", fmt::format("{}s", 5 + i % 7)));
    world.run_for(Duration::minutes(3));
    world.expect_sound();
    return told(*world);
  };
  const std::string first = run(7);
  EXPECT_EQ(first, run(7));
  EXPECT_NE(first, run(8));
}

struct FaultCase {
  std::string name;
  Rate Faults::* rate;
};

class WorldWithFaults : public ::testing::TestWithParam<FaultCase> {};

TEST_P(WorldWithFaults, PlacesEveryPodOnceInTheEnd) {
  WorldOptions options;
  options.faults.*GetParam().rate = 300'000;
  options.faults.relist_after = Duration::seconds(2);
  TestWorld world(std::move(options));
  for (int i = 0; i < 3; ++i) world.create(node(fmt::format("n{}", i), "4"));
  for (int i = 0; i < 12; ++i) world.create(pod(fmt::format("p{}", i)));
  world.run_for(Duration::minutes(5));
  world->faults().*GetParam().rate = 0;
  world.run_until_idle();
  for (int i = 0; i < 12; ++i) EXPECT_NE(world.node_of(fmt::format("p{}", i)), "") << i;
  EXPECT_EQ(world->history().counts().bound, 12u);
  EXPECT_EQ(world->scheduler().commands_under_way(), 0u);
  EXPECT_EQ(world->scheduler().bindings(), 0u);
  world.expect_sound();
}

INSTANTIATE_TEST_SUITE_P(Faults, WorldWithFaults,
                         ::testing::Values(FaultCase{"Errors", &Faults::errors},
                                           FaultCase{"Conflicts", &Faults::conflicts},
                                           FaultCase{"LostAnswers", &Faults::lost_answers},
                                           FaultCase{"LostRequests", &Faults::lost_requests},
                                           FaultCase{"DoubledAnswers", &Faults::doubled_answers},
                                           FaultCase{"LostWatches", &Faults::lost_watches},
                                           FaultCase{"ReorderedWatches", &Faults::reordered_watches}),
                         [](const auto& each) { return each.param.name; });

TEST(World, SettlesABindingWhoseAnswerIsLost) {
  WorldOptions options;
  options.faults.lost_answers = kAlways;
  TestWorld world(std::move(options));
  world.create(node("n1", "4"));
  world.create(pod("a"));
  world.run_until_idle();
  EXPECT_EQ(world.node_of("a"), "n1");
  EXPECT_EQ(world->history().counts().bound, 1u);
  EXPECT_EQ(world->scheduler().place_of(Symbol("default"), "a"), engine::PodPlace::kBound);
  world.expect_sound();
}

TEST(World, GoesOnAfterACrash) {
  TestWorld world;
  world.create(node("n1", "4"));
  world.create(pod("before"));
  world.run_until_idle();
  world->crash_scheduler();
  EXPECT_FALSE(world->is_scheduler_up());
  world.create(pod("during"));
  world.run_for(Duration::minutes(1));
  EXPECT_EQ(world.node_of("during"), "");
  world->start_scheduler();
  world.create(pod("after"));
  world.run_until_idle();
  EXPECT_EQ(world.node_of("during"), "n1");
  EXPECT_EQ(world.node_of("after"), "n1");
  EXPECT_EQ(world->history().counts().restarts, 1u);
  EXPECT_EQ(world->history().counts().wake_ups, 0u);
  world.expect_sound();
}

TEST(World, CarriesOutWhatACrashedSchedulerHadAskedFor) {
  WorldOptions options;
  options.faults.bind = Latency::fixed(Duration::seconds(10));
  TestWorld world(std::move(options));
  world.create(node("n1", "4"));
  world.create(pod("a"));
  world.run_for(Duration::seconds(1));
  world->crash_scheduler();
  EXPECT_EQ(world.node_of("a"), "");
  world.run_for(Duration::seconds(10));
  EXPECT_EQ(world.node_of("a"), "n1");
  world->start_scheduler();
  world.run_until_idle();
  EXPECT_EQ(world->scheduler().place_of(Symbol("default"), "a"), engine::PodPlace::kBound);
  world.expect_sound();
}

TEST(World, SeesWhatABrokenWatchMissedWhenItIsListedAnew) {
  WorldOptions options;
  options.faults.relist_after = Duration::seconds(30);
  TestWorld world(std::move(options));
  world.create(node("n1", "1"));
  world.create(pod("old"));
  world.run_until_idle();
  const Instant broken_at = world->now();
  world->break_watch(api::kind_of<api::Pod>());
  world.create(pod("new"));
  ASSERT_TRUE(world->remove(api::kind_of<api::Pod>(), "default", "old").has_value());
  world->run_until(broken_at + Duration::seconds(29));
  EXPECT_EQ(world.get_pod("old"), nullptr);
  EXPECT_EQ(world->scheduler().place_of(Symbol("default"), "new"), engine::PodPlace::kUnknown);
  EXPECT_EQ(world->scheduler().place_of(Symbol("default"), "old"), engine::PodPlace::kBound);
  world.run_until_idle();
  EXPECT_EQ(world.node_of("new"), "n1");
  EXPECT_GE(world->now(), broken_at + Duration::seconds(30));
  world.expect_sound();
}

TEST(World, SaysWhatItIsBusyWithWhenTimeRunsOut) {
  WorldOptions options;
  options.faults.errors = kAlways;
  TestWorld world(std::move(options));
  world.create(node("n1", "1"));
  world.create(pod("a"));
  const auto idle = world->run_until_idle(world->now() + Duration::milliseconds(2500));
  ASSERT_FALSE(idle.has_value());
  EXPECT_EQ(idle.error().message(), "still busy at 2.5s: 1 pod in backoff");
  EXPECT_EQ(world->elapsed(), Duration::milliseconds(2500));
}

TEST(World, WaitsForStatementsBeforeItIsIdleButNotForPodsThatRun) {
  TestWorld world;
  world.create(node("n1", "1"));
  world.create(short_pod("a", "1", "10h"));
  bool happened = false;
  world->at(world->now() + Duration::minutes(1), [&] { happened = true; });
  world.run_until_idle();
  EXPECT_TRUE(happened);
  EXPECT_EQ(world->elapsed(), Duration::minutes(1));
}

TEST(World, RunsUntilSomethingIsSo) {
  TestWorld world;
  world.create(node("n1", "1"));
  world.create(pod("a"));
  EXPECT_TRUE(world->run_until([&] { return !world.node_of("a").empty(); }, world->now() + Duration::minutes(1)));
  EXPECT_LT(world->elapsed(), Duration::seconds(1));
  EXPECT_FALSE(world->run_until([] { return false; }, world->now() + Duration::minutes(1)));
}

TEST(World, LetsPodsWaitForTheirTurnIfAttemptsTakeTime) {
  WorldOptions options;
  options.faults.attempt = Latency::fixed(Duration::seconds(1));
  TestWorld world(std::move(options));
  world.create(node("n1", "8"));
  for (int i = 0; i < 5; ++i) world.create(pod(fmt::format("p{}", i)));
  world.run_for(Duration::milliseconds(2500));
  EXPECT_EQ(world->history().counts().bound, 3u);
  world.run_until_idle();
  EXPECT_EQ(world->history().counts().bound, 5u);
  world.expect_sound();
}

TEST(World, AJumpOfTheClockEndsNoBackoffAndChangesNoTimeOfTheWorld) {
  WorldOptions options;
  options.faults.errors = kAlways;
  TestWorld world(std::move(options));
  world.create(node("n1", "1"));
  world.create(pod("a"));
  world.run_for(Duration::milliseconds(100));
  world->faults().errors = 0;
  world->jump_clock(Duration::minutes(1));
  world.run_until_idle();
  EXPECT_EQ(world.node_of("a"), "n1");
  EXPECT_GT(world->elapsed(), Duration::seconds(1)) << "the backoff lasts as long as without the jump";
  EXPECT_LT(world->elapsed(), Duration::seconds(5));
  for (const HistoryEvent& history_event : world->history().history_events()) EXPECT_LE(history_event.at, world->now());
}

TEST(World, DrainsANodeAsItsBudgetAllows) {
  TestWorld world;
  world.create(node("n1", "8"));
  api::PodDisruptionBudget budget;
  budget.metadata.name = "web";
  budget.metadata.name_space = Symbol("default");
  budget.spec.selector.emplace().match_labels[Symbol("app")] = Symbol("web");
  budget.spec.min_available = api::IntOrString{2, std::nullopt};
  world.create(api::AnyObject(std::make_shared<const api::PodDisruptionBudget>(budget)));
  for (int i = 0; i < 3; ++i) {
    world.create(any(PodBuilder(fmt::format("web{}", i)).uid("").label("app", "web").request("cpu", "1").build()));
  }
  world.create(pod("other"));
  world.run_until_idle();
  ASSERT_TRUE(world->drain("n1").has_value());
  world.run_for(Duration::minutes(2));
  EXPECT_TRUE(world->api().get<api::Node>(Symbol(), "n1")->spec.unschedulable);
  EXPECT_EQ(world.get_pod("other"), nullptr);
  EXPECT_EQ(world->api().count(api::kind_of<api::Pod>()), 2u);
  world.run_until_idle();
}

TEST(World, KeepsWhatAnUpdateDoesNotSay) {
  TestWorld world;
  world.create(node("n1", "8"));
  world.create(pod("a"));
  world.run_until_idle();
  api::Node labelled;
  labelled.metadata.name = "n1";
  labelled.metadata.labels = api::Labels{{"zone", Symbol("a")}};
  ASSERT_TRUE(world->apply(any(std::make_shared<const api::Node>(labelled))).has_value());
  const api::NodePtr n1 = world->api().get<api::Node>(Symbol(), "n1");
  EXPECT_EQ(n1->status.allocatable.find(Symbol("cpu"))->str(), "8");
  EXPECT_EQ(*n1->metadata.labels->find(Symbol("zone")), "a");
  ASSERT_TRUE(world->apply(any(PodBuilder("a").uid("").label("x", "y").request("cpu", "1").build())).has_value());
  EXPECT_EQ(world.node_of("a"), "n1");
  world.run_until_idle();
  world.expect_sound();
}

TEST(World, ScalesWhatCanBeScaled) {
  TestWorld world;
  api::ReplicaSet set;
  set.metadata.name = "web";
  set.metadata.name_space = Symbol("default");
  set.spec.replicas = 0;
  world.create(api::AnyObject(std::make_shared<const api::ReplicaSet>(set)));
  EXPECT_TRUE(world->scale("replicaset", "", "web", 3).has_value());
  EXPECT_EQ(world->api().get<api::ReplicaSet>(Symbol("default"), "web")->spec.replicas, 3);
  EXPECT_EQ(world->scale("replicasets", "", "none", 3).error().what(), "replicasets \"none\" not found");
  EXPECT_EQ(world->scale("Node", "", "n1", 3).error().what(), "a Node has no number of pods to set");
}

TEST(World, MakesTheNamespacesOfItsObjects) {
  TestWorld world;
  world.create(any(PodBuilder("a").uid("").name_space("team").build()));
  const auto made = world->api().get<api::Namespace>(Symbol(), "team");
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(*made->metadata.labels->find(Symbol("kubernetes.io/metadata.name")), "team");
  api::Namespace own;
  own.metadata.name = "team";
  own.metadata.labels = api::Labels{{"tier", Symbol("gold")}};
  world.create(api::AnyObject(std::make_shared<const api::Namespace>(own)));
  EXPECT_EQ(*world->api().get<api::Namespace>(Symbol(), "team")->metadata.labels->find(Symbol("tier")), "gold");
}

// --- The script
// --------------------------------------------------------------------------------------------------------

class ScriptedWorld : public ::testing::Test {
 protected:
  static WorldOptions scripted() {
    WorldOptions options;
    options.scripted = true;
    return options;
  }
  ScriptedWorld() : world_(scripted()) { world_.create(node("n1", "8")); }

  void rule(std::string_view pod, ScriptPoint point, ScriptRule::Act act, Duration duration = {}, int times = -1) {
    ScriptRule rule;
    rule.act = act;
    rule.message = "not today";
    rule.duration = duration;
    rule.times = times;
    world_->pod_script().set(pod, point, rule);
  }
  // The first one.
  const engine::AttemptRecord& attempt_of(std::string_view pod) {
    return world_->scheduler().attempts().of(world_.get_pod(pod)->metadata.uid).front();
  }
  engine::PodPlace place(std::string_view pod) { return world_->scheduler().place_of(Symbol("default"), pod); }

  TestWorld world_;
};

TEST_F(ScriptedWorld, LeavesPodsAloneThatItDoesNotMention) {
  rule("default/a", ScriptPoint::kFilter, ScriptRule::Act::kReject);
  world_.create(pod("a"));
  world_.create(pod("b"));  // of the same class
  world_.run_until_idle();
  EXPECT_EQ(world_.node_of("a"), "");
  EXPECT_EQ(world_.node_of("b"), "n1");
  EXPECT_EQ(place("a"), engine::PodPlace::kUnschedulable);
  EXPECT_EQ(attempt_of("a").detail().rejecting_plugins, std::vector{Symbol(kScriptPlugin)});
  ASSERT_FALSE(attempt_of("a").detail().rejections.empty());
  EXPECT_EQ(attempt_of("a").detail().rejections[0].reason, "not today");
  world_.expect_sound();
}

TEST_F(ScriptedWorld, NoticesARuleThatComesAfterAPodOfTheClass) {
  world_.create(pod("a"));
  world_.run_until_idle();
  rule("default/b", ScriptPoint::kFilter, ScriptRule::Act::kReject, {}, 1);
  world_.create(pod("b"));
  world_.run_until_idle();
  EXPECT_TRUE(world_->pod_script().empty());
  EXPECT_EQ(attempt_of("b").result, engine::AttemptResult::kUnschedulable);
  EXPECT_EQ(world_.node_of("b"), "n1");  // the rule counted once, and every event wakes pods that the script rejected
  EXPECT_EQ(world_->history().pod_timeline("default/b")->attempts, 2);
}

TEST_F(ScriptedWorld, HoldsAPodBeforeTheQueue) {
  rule("default/a", ScriptPoint::kPreEnqueue, ScriptRule::Act::kReject);
  world_.create(pod("a"));
  world_.run_until_idle();
  EXPECT_EQ(place("a"), engine::PodPlace::kGated);
  world_->pod_script().clear("default/a", ScriptPoint::kPreEnqueue);
  world_.create(node("n2"));
  world_.run_until_idle();
  EXPECT_NE(world_.node_of("a"), "");
}

TEST_F(ScriptedWorld, FailsAReservationAsOftenAsItSays) {
  rule("default/a", ScriptPoint::kReserve, ScriptRule::Act::kFail, {}, 2);
  world_.create(pod("a"));
  world_.run_until_idle();
  EXPECT_EQ(world_.node_of("a"), "n1");
  EXPECT_EQ(world_->history().pod_timeline("default/a")->attempts, 3);
  world_.expect_sound();
}

TEST_F(ScriptedWorld, LetsAPodWaitAtPermitUntilItIsAllowed) {
  rule("default/a", ScriptPoint::kPermit, ScriptRule::Act::kWait, Duration::minutes(1), 1);
  world_.create(pod("a"));
  world_.run_for(Duration::seconds(10));
  EXPECT_EQ(place("a"), engine::PodPlace::kWaiting);
  EXPECT_TRUE(world_->scheduler().allow(world_.get_pod("a")->metadata.uid, Symbol(kScriptPlugin), world_->now()));
  world_->nudge_scheduler();
  world_.run_until_idle();
  EXPECT_EQ(world_.node_of("a"), "n1");
  EXPECT_LT(world_->elapsed(), Duration::seconds(11));
}

TEST_F(ScriptedWorld, TakesItsTimeBeforeBinding) {
  rule("default/a", ScriptPoint::kPreBind, ScriptRule::Act::kWait, Duration::seconds(5));
  world_.create(pod("a"));
  world_.run_for(Duration::milliseconds(4900));
  EXPECT_EQ(place("a"), engine::PodPlace::kBinding);
  world_.run_until_idle();
  EXPECT_EQ(world_.node_of("a"), "n1");
  EXPECT_LT(world_->elapsed(), Duration::milliseconds(5100));
}

}  // namespace
}  // namespace berth::sim
