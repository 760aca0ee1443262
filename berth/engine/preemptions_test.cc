#include "berth/engine/preemptions.h"

#include <gtest/gtest.h>

#include "berth/engine/testing.h"

namespace berth::engine {
namespace {

using framework::Code;
using framework::Status;
using testing::node;
using testing::outcome_of;
using testing::pod;
using testing::PodBuilder;
using testing::refused;
using testing::Script;
using testing::scripted;
using testing::ScriptedWork;
using testing::Texts;
using testing::World;
using Kind = Outcome::Kind;

PodBuilder victim(std::string_view name, std::int32_t priority = 0) {
  return pod(name).priority(priority).on("n1");
}

// The API server takes every status, so that victims know why they have to go.
void patch_all(World& world) {
  while (world.count<PatchPodStatus>() > 0) world.obey(world.take<PatchPodStatus>());
}

Texts deleted_by(World& world) {
  Texts names;
  patch_all(world);
  while (world.count<DeletePod>() > 0) names.push_back(std::get<DeletePod>(world.take<DeletePod>().what).pod.name);
  return names;
}

TEST(Preemption, EvictsAndTakesTheRoom) {
  World world;
  world.add(node("n1", "1"));
  world.add(victim("v").build());
  world.add(pod("p").priority(10).build());
  world.run();
  EXPECT_EQ(world.scheduler().preemptions(), 1u);
  EXPECT_EQ(world.nominated_node("p"), "n1");
  EXPECT_EQ(world.last_attempt("p").detail().victims, Texts{"default/v"});
  EXPECT_EQ(world.last_attempt("p").node, "n1");
  // The failure's patch comes before those of the victims.
  const Command nominates = world.take<PatchPodStatus>();
  EXPECT_EQ(std::get<PatchPodStatus>(nominates.what).base->metadata.name, "p");
  EXPECT_EQ(std::get<PatchPodStatus>(nominates.what).nominated_node_name, Symbol("n1"));
  world.obey(nominates);
  const Command disrupts = world.take<PatchPodStatus>();
  const auto& condition = std::get<PatchPodStatus>(disrupts.what).condition;
  ASSERT_TRUE(condition.has_value());
  EXPECT_EQ(condition->type, "DisruptionTarget");
  EXPECT_EQ(condition->status, "True");
  EXPECT_EQ(condition->reason, "PreemptionByScheduler");
  EXPECT_EQ(condition->message, "default-scheduler: preempting to accommodate a higher priority pod");
  EXPECT_EQ(world.count<DeletePod>(), 0u) << "it has to be told first";
  world.obey(disrupts);
  EXPECT_EQ(world.place("p"), "unschedulable");
  EXPECT_EQ(world.events(), Texts{"FailedScheduling p: 0/1 nodes are available: 1 Insufficient cpu."});
  world.obey(world.take<DeletePod>());
  EXPECT_EQ(world.scheduler().preemptions(), 0u);
  EXPECT_EQ(world.events(), (Texts{"FailedScheduling p: 0/1 nodes are available: 1 Insufficient cpu.",
                                   "Preempted v: Preempted by pod p-uid on node n1"}));
  EXPECT_EQ(world.last_event().type, "Normal");
  EXPECT_EQ(world.last_event().action, "Preempting");
  ASSERT_TRUE(world.last_event().related.has_value());
  EXPECT_EQ(world.last_event().related->name, "p");
  world.answer_all();
  world.run_for(Duration::seconds(3));
  world.answer_all();
  EXPECT_EQ(world.node_of("p"), "n1");
  EXPECT_EQ(world.last_attempt("p").woken_by, "AssignedPodDelete");
  EXPECT_EQ(world.attempts("p"), 2);
}

TEST(Preemption, EvictsTheLastVictimWhenTheApiServerHasDoneWithTheOthers) {
  World world;
  world.add(node("n1", "3"));
  for (const std::string_view name : {"v1", "v2", "v3"}) world.add(victim(name).build());
  world.add(pod("p", "3").priority(10).build());
  world.run();
  patch_all(world);
  ASSERT_EQ(world.count<DeletePod>(), 2u);
  const Command first = world.take<DeletePod>();
  const Command second = world.take<DeletePod>();
  world.answer(second, {});
  EXPECT_EQ(world.count<DeletePod>(), 0u);
  world.answer(first, {});  // done, though neither has been seen to go
  patch_all(world);
  ASSERT_EQ(world.count<DeletePod>(), 1u);
  const Command last = world.take<DeletePod>();
  world.obey(last);
  EXPECT_EQ(world.scheduler().preemptions(), 1u);
  world.terminate(std::get<DeletePod>(first.what).pod.name);
  EXPECT_EQ(world.scheduler().preemptions(), 1u);
  world.remove(std::get<DeletePod>(second.what).pod.name);
  EXPECT_EQ(world.scheduler().preemptions(), 0u);
}

TEST(Preemption, HoldsThePreemptorBackAndMakesUpForWhatCameMeanwhile) {
  for (const bool quirk : {false, true}) {
    SCOPED_TRACE(quirk);
    Options options;
    options.quirks.preemption_end_wakes_nobody = quirk;
    World world(std::move(options));
    world.add(node("n1", "2"));
    world.add(victim("v1").build());
    world.add(victim("v2").build());
    world.add(pod("p", "2").priority(10).build());
    world.run();
    patch_all(world);
    const Command first = world.take<DeletePod>();
    const std::string first_name = std::get<DeletePod>(first.what).pod.name;
    world.remove(first_name);  // an event that would wake it
    EXPECT_EQ(world.place("p"), "gated");
    world.answer(first, {});
    EXPECT_EQ(world.place("p"), "gated");
    world.run_for(Duration::seconds(30));
    EXPECT_EQ(world.attempts("p"), 1);
    // The last one is gone, and there is no event about that yet.
    patch_all(world);
    const Command last = world.take<DeletePod>();
    world.answer(last, outcome_of(Kind::kNotFound));
    EXPECT_EQ(world.attempts("p"), quirk ? 1 : 2);
    if (quirk) {
      EXPECT_EQ(world.scheduler().preemptions(), 0u);
      EXPECT_EQ(world.place("p"), "gated");
      continue;
    }
    EXPECT_EQ(world.last_attempt("p").woken_by, "PreemptionEnded");
    EXPECT_EQ(world.scheduler().preemptions(), 1u) << "it preempts again what it has not seen go";
    world.remove(std::get<DeletePod>(last.what).pod.name);
    EXPECT_EQ(world.scheduler().preemptions(), 0u);
    world.run_for(Duration::seconds(5));
    world.answer_all();
    EXPECT_EQ(world.node_of("p"), "n1");
  }
}

TEST(Preemption, TriesThePreemptorAgainIfAnEvictionFails) {
  for (const Kind kind : {Kind::kRefused, Kind::kUnknown}) {
    World world;
    world.add(node("n1", "2"));
    world.add(victim("v1").build());
    world.add(victim("v2").build());
    world.add(pod("p", "2").priority(10).build());
    world.run();
    patch_all(world);
    world.answer(world.take<DeletePod>(), outcome_of(kind, "no"));
    EXPECT_EQ(world.attempts("p"), 1);
    EXPECT_EQ(world.count<DeletePod>(), 0u);
    world.run_for(Duration::seconds(1));
    EXPECT_EQ(world.attempts("p"), 2);
    EXPECT_EQ(world.last_attempt("p").woken_by, "PreemptionEnded");
    patch_all(world);
    EXPECT_EQ(world.count<DeletePod>(), 1u) << "which preempts again: the last victim was not evicted before";
    world.answer_all();
    world.run_for(Duration::seconds(5));
    world.answer_all();
    EXPECT_EQ(world.node_of("p"), "n1");
  }
}

TEST(Preemption, DoesNotDeleteAVictimThatCouldNotBeTold) {
  World world;
  world.add(node("n1", "1"));
  world.add(victim("v").build());
  world.add(pod("p").priority(10).build());
  world.run();
  world.obey(world.take<PatchPodStatus>());
  world.answer(world.take<PatchPodStatus>(), refused("no"));
  EXPECT_EQ(world.count<DeletePod>(), 0u);
  world.run_for(Duration::seconds(1));
  EXPECT_EQ(world.attempts("p"), 2) << "it is tried again, and preempts again";
  world.answer_all();
  world.run_for(Duration::seconds(5));
  world.answer_all();
  EXPECT_EQ(world.node_of("p"), "n1");
}

TEST(Preemption, LeavesAVictimAloneIfThePreemptorGoesBeforeItIsDeleted) {
  World world;
  world.add(node("n1", "1"));
  world.add(victim("v").build());
  world.add(pod("p").priority(10).build());
  world.run();
  world.remove("p");
  world.answer_all();
  EXPECT_NE(world.find("v"), nullptr);
}

TEST(Preemption, TellsAVictimOnlyOnceAndPublishesOnlyWhatWasDone) {
  World world;
  world.add(node("n1", "1"));
  world.add(victim("v").build());
  world.add(pod("p").priority(10).build());
  world.run();
  patch_all(world);
  world.answer(world.take<DeletePod>(), refused("no"));
  world.run_for(Duration::seconds(1));
  ASSERT_EQ(world.attempts("p"), 2);
  EXPECT_EQ(world.count<DeletePod>(), 1u) << "it says why it has to go already";
  for (const std::string& event : world.events()) EXPECT_FALSE(event.starts_with("Preempted")) << event;
  world.obey(world.take<DeletePod>());
  EXPECT_EQ(world.last_event().reason, "Preempted");
}

TEST(Preemption, DropsAnswersThatBelongToAnEarlierOne) {
  World world;
  world.add(node("n1", "2"));
  world.add(victim("v1").build());
  world.add(victim("v2").build());
  world.add(pod("p", "2").priority(10).build());
  world.run();
  patch_all(world);
  const Command first = world.take<DeletePod>();
  world.answer(first, refused("no"));
  world.answer(first, {});
  EXPECT_EQ(world.scheduler().preemptions(), 1u);
  world.answer_all();
}

TEST(Preemption, DoesNotEvictTwiceWhoIsLeavingAlready) {
  World world;
  world.add(node("n1", "2"));
  world.add(victim("leaving").terminating().build());
  world.add(victim("staying").build());
  world.add(pod("p", "2").priority(10).build());
  world.run();
  EXPECT_EQ(deleted_by(world), Texts{"staying"});
}

TEST(Preemption, IsOverAtOnceIfAllVictimsAreLeaving) {
  World world;
  world.add(node("n1", "1"));
  world.add(victim("leaving").terminating().build());
  world.add(pod("p").priority(10).build());
  world.run();
  EXPECT_EQ(world.count<DeletePod>(), 0u);
  EXPECT_EQ(world.scheduler().preemptions(), 0u);
  EXPECT_EQ(world.nominated_node("p"), "n1");
  world.remove("leaving");
  world.run_for(Duration::seconds(3));
  world.answer_all();
  EXPECT_EQ(world.node_of("p"), "n1");
}

TEST(Preemption, NoticesThatAVictimWentBeforeItWasEvicted) {
  World world;
  world.add(node("n1", "2"));
  world.add(victim("v1").build());
  world.add(victim("v2").build());
  world.add(pod("p", "2").priority(10).build());
  world.run();
  patch_all(world);
  const Command first = world.take<DeletePod>();
  const std::string other = std::get<DeletePod>(first.what).pod.name == "v1" ? "v2" : "v1";
  world.remove(other);
  world.obey(first);
  EXPECT_EQ(world.count<DeletePod>(), 0u);
  EXPECT_EQ(world.scheduler().preemptions(), 0u);
}

TEST(Preemption, EndsWhenThePreemptorGoesOrGetsANode) {
  for (const bool goes : {true, false}) {
    SCOPED_TRACE(goes);
    World world;
    world.add(node("n1", "2"));
    world.add(victim("v1").build());
    world.add(victim("v2").build());
    world.add(pod("p", "2").priority(10).build());
    world.run();
    patch_all(world);
    if (goes) {
      world.remove("p");
    } else {
      world.add(node("n2", "2"));
      world.change("p", [](api::Pod& bound) { bound.spec.node_name = Symbol("n2"); });
    }
    EXPECT_EQ(world.scheduler().preemptions(), 0u);
    world.answer_all();
    EXPECT_NE(world.find("v1") == nullptr, world.find("v2") == nullptr) << "the last victim stays";
  }
}

// --- Victims on their way --------------------------------------------------------------------------------------------

struct OnTheirWayCase {
  std::string_view what;
  bool waits_at_permit;  // else in PreBind
  std::string condition;
};

TEST(Preemption, StopsVictimsOnTheirWayInMemory) {
  const std::vector<OnTheirWayCase> cases = {
      {"waiting at Permit", true, "False SchedulerError waiting on permit for pod: preempted"},
      {"in PreBind", false, "False SchedulerError preempted by DefaultPreemption"},
  };
  for (const OnTheirWayCase& each : cases) {
    for (const bool quirk : {false, true}) {
      SCOPED_TRACE(std::string(each.what) + (quirk ? ", quirk" : ""));
      Script script;
      if (each.waits_at_permit) {
        script.permit = [] { return framework::Permitted{Status(Code::kWait), Duration::minutes(5)}; };
      } else {
        script.pre_bind = [] {
          auto work = std::make_unique<ScriptedWork>();
          work->on_poll = [] { return Status(Code::kWait); };
          work->limit = Duration::minutes(10);
          return framework::PreBinding{Status(), std::move(work), true};
        };
      }
      Options options = scripted(script);
      options.quirks.preemption_end_wakes_nobody = quirk;
      World world(std::move(options));
      world.add(node("n1", "1"));
      world.add(pod("v").build());
      world.answer_all();
      script.permit = {};
      script.pre_bind = {};
      world.add(pod("p").priority(10).build());
      world.run();
      EXPECT_EQ(world.count<DeletePod>(), 0u);
      EXPECT_EQ(world.scheduler().preemptions(), 0u);
      bool is_told = false;
      for (const std::string& event : world.events()) {
        is_told |= event == "Preempted v: Preempted by pod p-uid on node n1 (in kube-scheduler memory).";
      }
      EXPECT_TRUE(is_told);
      world.answer_all();
      EXPECT_EQ(world.condition("v"), each.condition);
      EXPECT_EQ(world.place("v"), "backoff");
      EXPECT_EQ(world.place("p"), quirk ? "gated" : "bound");
    }
  }
}

TEST(Preemption, EvictsThroughTheApiServerWhoIsBeingBound) {
  World world;
  world.add(node("n1", "1"));
  world.add(pod("v").build());
  world.run();
  const Command bind = world.take<BindPod>();
  world.add(pod("p").priority(10).build());
  world.run();
  patch_all(world);
  EXPECT_EQ(world.count<DeletePod>(), 1u);
  world.obey(bind);
  world.answer_all();
  world.run_for(Duration::seconds(3));
  world.answer_all();
  EXPECT_EQ(world.node_of("p"), "n1");
  EXPECT_EQ(world.find("v"), nullptr);
}

// --- Nominations -----------------------------------------------------------------------------------------------------

// Three lower pods are nominated to n1, and one of them does not fit beside the preemptor. Their victims are still
// there: the API server has not been heard of.
TEST(Preemption, TakesOnlyNominationsThatDoNotFitBesideThePreemptor) {
  for (const bool quirk : {false, true}) {
    SCOPED_TRACE(quirk);
    Options options;
    options.quirks.preemptor_strips_all_nominations = quirk;
    World world(std::move(options));
    world.add(node("n1", "3"));
    for (const std::string_view name : {"v1", "v2", "v3"}) world.add(victim(name).build());
    world.add(pod("mid1").priority(5).build());
    world.run();
    world.add(pod("mid2").priority(4).build());
    world.run();
    world.add(pod("mid3").priority(3).build());
    world.run();
    ASSERT_EQ(world.nominated_node("mid1"), "n1");
    ASSERT_EQ(world.nominated_node("mid2"), "n1");
    ASSERT_EQ(world.nominated_node("mid3"), "n1");
    world.add(pod("high").priority(10).build());
    world.run();
    ASSERT_EQ(world.nominated_node("high"), "n1");
    EXPECT_EQ(world.nominated_node("mid1"), quirk ? "" : "n1");
    EXPECT_EQ(world.nominated_node("mid2"), quirk ? "" : "n1");
    EXPECT_EQ(world.nominated_node("mid3"), "");
    world.answer_all();
    world.run_for(Duration::seconds(5));
    world.answer_all();
    EXPECT_EQ(world.node_of("high"), "n1");
    EXPECT_EQ(world.find("mid3")->status.nominated_node_name, "");
  }
}

TEST(Preemption, TakesANominationAlsoIfItHasNotBeenShownYet) {
  World world;
  world.add(node("n1", "1"));
  world.add(victim("v").build());
  world.add(pod("mid").priority(5).build());
  world.run();
  world.add(pod("high").priority(10).build());
  world.run();
  ASSERT_EQ(world.nominated_node("high"), "n1");
  ASSERT_EQ(world.nominated_node("mid"), "");
  std::vector<Symbol> told;
  while (world.count<PatchPodStatus>() > 0) {
    const Command patch = world.take<PatchPodStatus>();
    const auto& what = std::get<PatchPodStatus>(patch.what);
    if (what.base->metadata.name == "mid" && what.nominated_node_name) told.push_back(*what.nominated_node_name);
    world.obey(patch);
  }
  EXPECT_EQ(told, (std::vector<Symbol>{Symbol("n1"), Symbol()}));
  EXPECT_EQ(world.nominated_node("mid"), "");
}

TEST(Preemption, WakesWhoLosesANomination) {
  World world;
  world.add(node("n1", "1"));
  world.add(victim("v").build());
  world.add(pod("mid").priority(5).build());
  world.run();
  ASSERT_EQ(world.nominated_node("mid"), "n1");
  patch_all(world);
  // Until its victim has gone it is held back; then it waits.
  world.answer(world.take<DeletePod>(), {});
  world.terminate("v");
  ASSERT_EQ(world.scheduler().preemptions(), 0u);
  world.run();
  const std::int32_t before = world.attempts("mid");
  world.add(pod("high").priority(10).build());
  world.run();
  EXPECT_EQ(world.nominated_node("high"), "n1");
  EXPECT_EQ(world.nominated_node("mid"), "");
  EXPECT_GT(world.attempts("mid"), before);
  EXPECT_EQ(world.last_attempt("mid").woken_by, "NominationTaken");
}

// --- Disruption budgets ----------------------------------------------------------------------------------------------

api::PodDisruptionBudget budget(std::int32_t allowed) {
  api::PodDisruptionBudget made;
  made.metadata.name = "budget";
  made.metadata.name_space = Symbol("default");
  api::LabelSelector selector;
  selector.match_labels[Symbol("app")] = Symbol("a");
  made.spec.selector = selector;
  made.status.disruptions_allowed = allowed;
  return made;
}

// Each node holds a pod of "a", which has a budget for one, or one of "b", which has none. Two preemptors come before
// the budget's status shows what the first has done.
TEST(Preemption, CountsItsOwnEvictionsAgainstBudgets) {
  for (const bool quirk : {false, true}) {
    SCOPED_TRACE(quirk);
    Options options;
    options.quirks.budgets_ignore_own_evictions = quirk;
    World world(std::move(options));
    world.add_object(budget(1));
    for (const std::string_view name : {"n1", "n2", "n3"}) world.add(node(name, "1"));
    world.add(pod("a1").label("app", "a").on("n1").build());
    world.add(pod("a2").label("app", "a").on("n2").build());
    world.add(pod("b").label("app", "b").priority(1).on("n3").build());
    world.add(pod("p1").priority(10).build());
    world.run();
    world.add(pod("p2").priority(10).build());
    world.run();
    const Texts evicted = deleted_by(world);
    ASSERT_EQ(evicted.size(), 2u);
    EXPECT_EQ(evicted[0].substr(0, 1), "a");
    EXPECT_EQ(evicted[1].substr(0, 1), quirk ? "a" : "b");
  }
}

TEST(Preemption, BelievesABudgetAgainWhenItHasSeenThePodsGo) {
  World world;
  world.add_object(budget(1));
  for (const std::string_view name : {"n1", "n2", "n3"}) world.add(node(name, "1"));
  world.add(pod("a1").label("app", "a").on("n1").build());
  world.add(pod("a2").label("app", "a").on("n2").build());
  world.add(pod("b").label("app", "b").priority(1).on("n3").build());
  world.add(pod("p1").priority(10).build());
  world.answer_all();
  world.run_for(Duration::seconds(3));
  world.answer_all();
  ASSERT_NE(world.node_of("p1"), "");
  world.add_object(budget(1));  // the application has recovered
  world.add(pod("p2").priority(10).build());
  world.run();
  const Texts evicted = deleted_by(world);
  ASSERT_EQ(evicted.size(), 1u);
  EXPECT_EQ(evicted[0].substr(0, 1), "a");
}

TEST(Preemption, GivesTheBudgetBackIfTheEvictionIsRefused) {
  World world;
  world.add_object(budget(1));
  for (const std::string_view name : {"n1", "n2"}) world.add(node(name, "1"));
  world.add(pod("a1").label("app", "a").on("n1").build());
  world.add(pod("b").label("app", "b").priority(1).on("n2").build());
  world.add(pod("p1").priority(10).build());
  world.run();
  patch_all(world);
  world.answer(world.take<DeletePod>(), refused("no"));
  world.run_for(Duration::seconds(1));
  EXPECT_EQ(deleted_by(world), Texts{"a1"}) << "tried again, and no budget is violated";
}

}  // namespace
}  // namespace berth::engine
