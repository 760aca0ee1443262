#include "berth/sim/history.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "berth/sim/testing.h"

namespace berth::sim {
namespace {

using queue::QueueName;
using testing::PodBuilder;
using Kind = HistoryEvent::Kind;

const Instant kStart = Instant::from_unix_seconds(1000);

class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() : pod_(PodBuilder("a").build()) { history_.created(*pod_, "", kStart); }

  void move(QueueName queue, std::string_view label, int second) {
    queue::QueuedPod queued;
    queued.pod = pod_;
    history_.pod_moved(queued, queue, Symbol(label), at(second));
  }
  void attempt(engine::AttemptResult result, int second) {
    engine::AttemptRecord record;
    record.result = result;
    history_.attempt_ended(*pod_, record, at(second));
  }
  void node_added(int second) { history_.event_happened({queue::resource::kNode, queue::action::kAdd}, at(second)); }
  static Instant at(int second) { return kStart + Duration::seconds(second); }
  const PodTimeline& pod_timeline() { return *history_.pod_timeline("default/a"); }

  api::PodPtr pod_;
  History history_;
};

TEST_F(HistoryTest, CountsAWakeUpWhoseTryFailedAsWasted) {
  move(QueueName::kActive, "UnschedulablePodAdd", 0);
  attempt(engine::AttemptResult::kUnschedulable, 0);
  move(QueueName::kUnschedulable, "ScheduleAttemptFailure", 0);
  node_added(5);
  move(QueueName::kActive, "NodeAdd", 5);
  attempt(engine::AttemptResult::kUnschedulable, 5);
  EXPECT_EQ(pod_timeline().attempts, 2);
  EXPECT_EQ(pod_timeline().wake_ups, 1);
  EXPECT_EQ(pod_timeline().wasted, 1);
  EXPECT_EQ(pod_timeline().woken_by, "NodeAdd");
  EXPECT_EQ(history_.counts().wake_ups_by_label.at("NodeAdd"), 1u);
}

TEST_F(HistoryTest, ATryThatFailsAfterAFirstAddIsNotAWastedWakeUp) {
  move(QueueName::kActive, "UnschedulablePodAdd", 0);
  attempt(engine::AttemptResult::kUnschedulable, 0);
  EXPECT_EQ(history_.counts().wake_ups, 0u);
  EXPECT_EQ(history_.counts().wasted_wake_ups, 0u);
}

TEST_F(HistoryTest, TheLeftoverTimeoutIsNoWakeUp) {
  move(QueueName::kUnschedulable, "ScheduleAttemptFailure", 0);
  move(QueueName::kActive, "UnschedulableTimeout", 300);
  EXPECT_EQ(history_.counts().wake_ups, 0u);
  EXPECT_EQ(history_.counts().flushed, 1u);
  EXPECT_TRUE(pod_timeline().rescued_by_flush);
}

TEST_F(HistoryTest, AGatedPodIsNotWoken) {
  move(QueueName::kGated, "UnschedulablePodAdd", 0);
  move(QueueName::kActive, "NodeAdd", 1);
  EXPECT_EQ(history_.counts().wake_ups, 0u);
}

TEST_F(HistoryTest, LeadsFromEventToMoveToAttemptToBinding) {
  move(QueueName::kUnschedulable, "ScheduleAttemptFailure", 0);
  node_added(5);
  move(QueueName::kActive, "NodeAdd", 5);
  attempt(engine::AttemptResult::kPlaced, 5);
  const api::PodPtr bound = PodBuilder("a").on("n1").build();
  history_.bound_in_api(*bound, at(6));

  const auto& all = history_.history_events();
  const HistoryEvent& binding = all.back();
  ASSERT_EQ(binding.kind, Kind::kBound);
  const HistoryEvent& placing = all[binding.cause];
  ASSERT_EQ(placing.kind, Kind::kPlaced);
  const HistoryEvent& moving = all[placing.cause];
  ASSERT_EQ(moving.kind, Kind::kMoved);
  EXPECT_EQ(moving.text, "active");
  EXPECT_EQ(all[moving.cause].kind, Kind::kClusterEvent);
  EXPECT_EQ(all[moving.cause].label, "NodeAdd");
}

TEST_F(HistoryTest, DoesNotKeepEventsThatMovedNobody) {
  const std::size_t before = history_.history_events().size();
  for (int i = 0; i < 100; ++i) node_added(i);
  EXPECT_EQ(history_.history_events().size(), before);
}

TEST_F(HistoryTest, APodOfTheSameNameHasAStoryOfItsOwn) {
  history_.pod_gone(*pod_, false, at(3));
  const api::PodPtr next = PodBuilder("a").uid("second").build();
  history_.created(*next, "Job/a", at(4));
  EXPECT_EQ(history_.pod_timelines().size(), 2u);
  EXPECT_EQ(pod_timeline().group, "Job/a");
  EXPECT_EQ(history_.timeline_of_uid("a-uid")->gone_at, at(3));
}

TEST_F(HistoryTest, SaysWhenItWasCut) {
  History small(2);
  for (int i = 0; i < 3; ++i) small.note(Kind::kStatement, at(i), "x");
  EXPECT_EQ(small.history_events().size(), 2u);
  EXPECT_TRUE(small.was_cut());
}

}  // namespace
}  // namespace berth::sim
