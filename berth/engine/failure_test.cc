#include "berth/engine/failure.h"

#include <gtest/gtest.h>

#include "berth/engine/testing.h"

namespace berth::engine {
namespace {

using testing::node;
using testing::pod;
using testing::Texts;
using testing::World;

const std::string kTooSmall =
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 "
    "Preemption is not helpful for scheduling.";

TEST(Failure, PatchesTheConditionAndTellsTheUser) {
  World world;
  world.add(node("n1", "1"));
  auto big = pod("a", "2");
  big.pod().metadata.generation = 7;
  world.add(big.build());
  world.run();
  EXPECT_EQ(world.events(), (Texts{"FailedScheduling a: " + kTooSmall}));
  EXPECT_EQ(world.last_event().type, "Warning");
  EXPECT_EQ(world.last_event().action, "Scheduling");
  EXPECT_EQ(world.last_event().reporting_controller, "default-scheduler");
  const Command patch = world.take<PatchPodStatus>();
  const auto& what = std::get<PatchPodStatus>(patch.what);
  ASSERT_TRUE(what.condition.has_value());
  EXPECT_EQ(what.condition->type, "PodScheduled");
  EXPECT_EQ(what.condition->status, "False");
  EXPECT_EQ(what.condition->reason, "Unschedulable");
  EXPECT_EQ(what.condition->message, kTooSmall);
  EXPECT_EQ(what.condition->observed_generation, 7);
  EXPECT_EQ(what.condition->last_transition_time, world.now());
  EXPECT_FALSE(what.condition->last_probe_time.is_set());
  EXPECT_FALSE(what.nominated_node_name.has_value());
}

TEST(Failure, PatchesAgainOnlyWhatHasChanged) {
  World world;
  world.add(node("n1", "1"));
  world.add(pod("a", "2").build());
  world.answer_all();
  const Instant first = world.now();
  // The same again: an event, and no patch.
  world.run_for(Duration::seconds(5));
  world.scheduler().activate({world.find("a")}, world.now());
  world.run();
  EXPECT_EQ(world.attempts("a"), 2);
  EXPECT_EQ(world.events().size(), 2u);
  EXPECT_EQ(world.count<PatchPodStatus>(), 0u);
  // Another message: the condition was False before and is so since then.
  world.run_for(Duration::seconds(20));
  world.add(node("n2", "1"));
  world.scheduler().activate({world.find("a")}, world.now());
  world.run();
  EXPECT_EQ(world.attempts("a"), 3);
  const Command patch = world.take<PatchPodStatus>();
  EXPECT_EQ(std::get<PatchPodStatus>(patch.what).condition->last_transition_time, first);
  world.obey(patch);
}

TEST(Failure, StartsATransitionWhereTheConditionWasTrue) {
  World world;
  world.add(node("n1", "1"));
  auto waiting = pod("a", "2");
  api::PodCondition condition;
  condition.type = Symbol("PodScheduled");
  condition.status = Symbol("True");
  condition.last_transition_time = Instant::from_unix_seconds(5);
  waiting.pod().status.conditions.push_back(condition);
  world.add(waiting.build());
  world.run();
  const Command patch = world.take<PatchPodStatus>();
  EXPECT_EQ(std::get<PatchPodStatus>(patch.what).condition->last_transition_time, world.now());
}

TEST(Failure, CutsNotesThatAreTooLongForAnEvent) {
  const std::string exactly(kMaxNoteBytes, 'x');
  EXPECT_EQ(truncated_note(exactly), exactly);
  EXPECT_EQ(truncated_note(exactly + "y"), std::string(kMaxNoteBytes - 4, 'x') + " ...");
  EXPECT_EQ(truncated_note("short"), "short");
  // "é" has two bytes: it is dropped where only its first half would fit.
  const std::string odd = std::string(kMaxNoteBytes - 5, 'x') + "\xC3\xA9" + "yyyyy";
  EXPECT_EQ(truncated_note(odd), std::string(kMaxNoteBytes - 5, 'x') + " ...");
  const std::string even = std::string(kMaxNoteBytes - 6, 'x') + "\xC3\xA9" + "yyyyy";
  EXPECT_EQ(truncated_note(even), std::string(kMaxNoteBytes - 6, 'x') + "\xC3\xA9" + " ...");
}

TEST(Failure, KeepsLongMessagesWholeInTheCondition) {
  World world;
  // Forty reasons: each node lacks all of the resources but one, and has too little of that.
  for (int i = 0; i < 40; ++i) {
    world.add(testing::NodeBuilder("n" + std::to_string(i))
                  .allocatable("cpu", "4")
                  .allocatable("example.com/resource-with-a-long-name-" + std::to_string(i), "1")
                  .build());
  }
  auto greedy = pod("a");
  for (int i = 0; i < 40; ++i) greedy.request("example.com/resource-with-a-long-name-" + std::to_string(i), "2");
  world.add(greedy.build());
  world.answer_all();
  const std::string note = world.last_event().note;
  EXPECT_EQ(note.size(), kMaxNoteBytes);
  EXPECT_TRUE(note.ends_with(" ..."));
  EXPECT_GT(world.condition("a").size(), kMaxNoteBytes + 500);
  EXPECT_TRUE(world.condition("a").ends_with("Preemption is not helpful for scheduling.")) << world.condition("a");
}

struct NominationCase {
  std::string_view what;
  bool may_preempt;
  std::string_view after;  // in the API server
};

TEST(Failure, ClearsANominationOrKeepsItAsPostFilterSays) {
  const std::vector<NominationCase> cases = {
      {"nobody to preempt: taken away", true, ""},
      {"not allowed to preempt: untouched", false, "n1"},
  };
  for (const NominationCase& each : cases) {
    SCOPED_TRACE(each.what);
    World world;
    world.add(node("n1", "1"));
    auto nominee = pod("a", "2");
    nominee.pod().status.nominated_node_name = Symbol("n1");
    if (!each.may_preempt) nominee.spec().preemption_policy = Symbol("Never");
    world.add(nominee.build());
    world.answer_all();
    EXPECT_EQ(world.find("a")->status.nominated_node_name, each.after);
    EXPECT_EQ(world.nominated_node("a"), each.after);
  }
}

TEST(Failure, TakesANominationBackWithTheErrorOfALaterStep) {
  World world;
  world.add(node("n1", "1"));
  auto nominee = pod("a");
  nominee.pod().status.nominated_node_name = Symbol("n1");
  world.add(nominee.build());
  world.run();
  world.answer(world.take<BindPod>(), testing::refused("no"));
  const Command patch = world.take<PatchPodStatus>();
  EXPECT_EQ(std::get<PatchPodStatus>(patch.what).nominated_node_name, Symbol());
  EXPECT_EQ(std::get<PatchPodStatus>(patch.what).condition->reason, "SchedulerError");
  world.obey(patch);
  EXPECT_EQ(world.find("a")->status.nominated_node_name, "");
}

TEST(Failure, NamesEachReasonOnceWithItsCount) {
  const Failure failure = Failure::rejected_by(Symbol("P"), {"b", "a", "b"});
  EXPECT_TRUE(failure.is_rejection);
  EXPECT_EQ(failure.message, "0/1 nodes are available: 1 a, 2 b.");
  EXPECT_EQ(failure.unschedulable_plugins, std::vector<Symbol>{Symbol("P")});
  EXPECT_EQ(failure.nominated_node, Symbol());
  EXPECT_TRUE(Failure::rejected_by(Symbol(), {"removed"}).unschedulable_plugins.empty());
}

TEST(Failure, PutsTheNewestStateOfThePodBackIntoTheQueue) {
  World world;
  world.add(node("n1", "1"));
  world.add(pod("a").build());
  world.run();
  world.change("a", [](api::Pod& changed) { changed.metadata.generation = 3; });
  world.answer(world.take<BindPod>(), testing::refused("no"));
  const queue::QueuedPod* queued = world.scheduler().queue().get(Symbol("default"), "a");
  ASSERT_NE(queued, nullptr);
  EXPECT_EQ(queued->pod->metadata.generation, 3);
  world.answer_all();
}

}  // namespace
}  // namespace berth::engine
