#include "berth/daemon/engine_step.h"

#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/engine/testing.h"

namespace berth::daemon {
namespace {

using engine::testing::node;
using engine::testing::pod;

class ManualClock final : public Clock {
 public:
  Instant now() const override { return time + per_reading * static_cast<std::int64_t>(++readings); }
  Instant wall_now() const override { return time + wall_offset; }

  Instant time = engine::testing::kStart;
  Duration wall_offset;
  Duration per_reading;  // work takes time
  mutable std::size_t readings = 0;
};

class EngineStepTest : public testing::Test {
 protected:
  explicit EngineStepTest(EngineLimits limits = {})
      : scheduler_(*engine::Scheduler::make({})),
        step_(
            *scheduler_, clock_,
            [this](EngineOutput output) {
              events_ += output.events.size();
              batches_.push_back(std::move(output.commands));
            },
            limits) {}

  template <typename... Messages>
  void turn(Messages... messages) {
    std::vector<EngineMessage> all;
    (all.emplace_back(std::move(messages)), ...);
    step_.run(all);
    EXPECT_TRUE(all.empty());
  }
  static Observe seen(api::PodPtr object) { return {api::AnyObject(std::move(object))}; }
  static Observe seen(api::NodePtr object) { return {api::AnyObject(std::move(object))}; }
  void add_pods(int count) {
    std::vector<EngineMessage> all;
    for (int i = 0; i < count; ++i) all.emplace_back(seen(pod("p" + std::to_string(i), "1m").build()));
    step_.run(all);
  }

  template <typename What>
  std::size_t sent() const {
    std::size_t count = 0;
    for (const auto& batch : batches_) {
      for (const engine::Command& command : batch) count += std::holds_alternative<What>(command.what) ? 1 : 0;
    }
    return count;
  }

  ManualClock clock_;
  std::vector<std::vector<engine::Command>> batches_;
  std::size_t events_ = 0;
  std::unique_ptr<engine::Scheduler> scheduler_;
  EngineStep step_;
};

TEST_F(EngineStepTest, TriesAPodInTheTurnInWhichItCame) {
  turn(seen(node("n1", "4")), Start{});
  turn(seen(pod("a").build()));
  EXPECT_EQ(sent<engine::BindPod>(), 1u);
  EXPECT_FALSE(step_.has_work());
}

TEST_F(EngineStepTest, TriesNoPodBeforeTheStart) {
  turn(seen(node("n1", "4")), seen(pod("a").build()));
  EXPECT_EQ(sent<engine::BindPod>(), 0u);
  EXPECT_FALSE(step_.has_work());
  turn(Start{});
  EXPECT_EQ(sent<engine::BindPod>(), 1u);
}

TEST_F(EngineStepTest, SendsTheCommandsOfATurnTogetherAndNothingIfThereAreNone) {
  turn(seen(node("n1", "4")), Start{});
  EXPECT_TRUE(batches_.empty());
  turn(seen(pod("a").build()), seen(pod("b").build()));
  EXPECT_EQ(batches_.size(), 1u);
}

TEST_F(EngineStepTest, TakesABurstInSeveralTurns) {
  turn(seen(node("n1", "4")), Start{});
  add_pods(100);
  EXPECT_EQ(sent<engine::BindPod>(), 32u);
  EXPECT_TRUE(step_.has_work());
  while (step_.has_work()) turn();
  EXPECT_EQ(sent<engine::BindPod>(), 100u);
}

TEST_F(EngineStepTest, EndsATurnWhenItHasTakenLongEnough) {
  turn(seen(node("n1", "4")), Start{});
  clock_.per_reading = Duration::milliseconds(1);
  add_pods(100);
  EXPECT_LE(sent<engine::BindPod>(), 3u);
  EXPECT_GE(sent<engine::BindPod>(), 1u);
}

TEST_F(EngineStepTest, AnswersAQuestionAfterWhatCameBeforeIt) {
  engine::PodPlace place = engine::PodPlace::kBound;
  turn(seen(pod("a").build()),
       Question{[&](engine::Scheduler& scheduler) { place = scheduler.place_of(Symbol("default"), "a"); }});
  EXPECT_EQ(place, engine::PodPlace::kActive);
}

TEST_F(EngineStepTest, TakesOverWholeLists) {
  turn(seen(node("n1", "4")), seen(node("n2", "4")));
  turn(ObserveList{&api::kind_of<api::Node>(), {api::AnyObject(node("n2", "4"))}});
  EXPECT_EQ(scheduler_->cache().nodes().node_count(), 1u);
  turn(ObserveDeleted{api::AnyObject(node("n2", "4"))});
  EXPECT_EQ(scheduler_->cache().nodes().node_count(), 0u);
}

class EngineStepLimitTest : public EngineStepTest {
 protected:
  EngineStepLimitTest()
      : EngineStepTest(
            {.tries = 32, .time = Duration::seconds(1), .binds_under_way = 5, .commands_under_way = kCommands}) {}
  static constexpr std::size_t kCommands = 8;

  // The command that binds the pod; 0 if none was sent.
  engine::CommandId bind_of(std::string_view name) const {
    for (const auto& batch : batches_) {
      for (const engine::Command& command : batch) {
        const auto* bind = std::get_if<engine::BindPod>(&command.what);
        if (bind != nullptr && bind->binding->metadata.name == name) return command.id;
      }
    }
    return 0;
  }
};

TEST_F(EngineStepLimitTest, WaitsWhileTooManyBindsHaveNoResult) {
  turn(seen(node("n1", "4")), Start{});
  add_pods(20);
  EXPECT_EQ(sent<engine::BindPod>(), 5u);
  EXPECT_FALSE(step_.has_work());
  turn(Complete{bind_of("p0"), {}});
  EXPECT_EQ(sent<engine::BindPod>(), 6u);
  EXPECT_FALSE(step_.has_work());
}

TEST_F(EngineStepLimitTest, BindsAllPodsAsResultsComeWhateverTheyAre) {
  turn(seen(node("n1", "4")), Start{});
  add_pods(20);
  using Kind = engine::Outcome::Kind;
  const Kind kinds[] = {Kind::kDone, Kind::kRefused, Kind::kConflict, Kind::kNotFound, Kind::kUnknown};
  // Turns may add batches while they are walked through.
  std::size_t binds = 0;
  for (std::size_t batch = 0; batch < batches_.size(); ++batch) {
    for (std::size_t each = 0; each < batches_[batch].size(); ++each) {
      const engine::Command command = batches_[batch][each];
      const bool is_bind = std::holds_alternative<engine::BindPod>(command.what);
      const Kind kind = is_bind ? kinds[binds++ % std::size(kinds)] : Kind::kRefused;
      turn(Complete{command.id, engine::testing::outcome_of(kind)});
    }
  }
  EXPECT_EQ(binds, 20u);
  EXPECT_EQ(scheduler_->binds_under_way(), 0u);
  EXPECT_EQ(scheduler_->queue().count(queue::Place::kActive), 0u);
}

TEST_F(EngineStepLimitTest, TriesAMoreImportantPodThatCameMeanwhileFirst) {
  turn(seen(node("n1", "4")), Start{});
  add_pods(20);
  turn(seen(pod("urgent", "1m").priority(1000).build()));
  EXPECT_EQ(bind_of("urgent"), 0u);
  turn(Complete{bind_of("p0"), {}});
  EXPECT_NE(bind_of("urgent"), 0u);
  EXPECT_EQ(sent<engine::BindPod>(), 6u);
}

TEST_F(EngineStepLimitTest, WaitsWhileTooManyCommandsHaveNoResult) {
  turn(Start{});
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(i);
    turn(seen(node("n" + number, "1")), seen(pod("victim" + number).on("n" + number).build()));
  }
  // Each preempts, and cannot go on before its victim has been told.
  for (int i = 0; i < 20; ++i) turn(seen(pod("p" + std::to_string(i)).priority(10).build()));
  EXPECT_EQ(scheduler_->preemptions(), kCommands);
  EXPECT_FALSE(step_.has_work());
}

TEST_F(EngineStepLimitTest, TriesOtherPodsHoweverManyStatusesAreUnderWay) {
  turn(Start{});  // without a node each attempt ends with a patch of the pod's status
  add_pods(20);
  EXPECT_EQ(sent<engine::PatchPodStatus>(), 20u);
  turn(seen(node("n1", "4")), seen(pod("fits").build()));
  EXPECT_NE(bind_of("fits"), 0u);
}

TEST_F(EngineStepTest, TriesNoPodAfterTheWorkHasEnded) {
  turn(seen(node("n1", "4")), Start{});
  turn(seen(pod("a").build()));
  turn(EndWork{}, seen(pod("late").build()));
  EXPECT_EQ(sent<engine::BindPod>(), 1u);
  EXPECT_FALSE(step_.has_work());
  turn(Complete{batches_[0][0].id, {}});
  EXPECT_EQ(events_, 1u);  // what was in flight goes on
}

TEST_F(EngineStepTest, WritesTheTimeOfTheWallIntoConditions) {
  turn(Start{});
  clock_.wall_offset = Duration::hours(24);  // somebody set the clock
  turn(seen(pod("a").build()));
  for (const engine::Command& command : batches_.at(0)) {
    const auto* patch = std::get_if<engine::PatchPodStatus>(&command.what);
    if (patch == nullptr) continue;
    EXPECT_EQ(patch->condition->last_transition_time.floor_to_second(), clock_.wall_now().floor_to_second());
  }
  EXPECT_EQ(sent<engine::PatchPodStatus>(), 1u);
}

}  // namespace
}  // namespace berth::daemon
