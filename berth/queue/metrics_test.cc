#include "berth/queue/metrics.h"

#include <gtest/gtest.h>

#include "berth/queue/testing.h"

namespace berth::queue {
namespace {

using testing::at;
using testing::at_ms;
using testing::make_pod;
using testing::on;
using testing::PodBuilder;

using Counts = std::map<std::string, std::int64_t>;

// Entries that have come back to zero say nothing.
Counts without_zeros(Counts counts) {
  std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
  return counts;
}

TEST(QueueMetrics, QueuesHaveTheNamesOfKubeScheduler) {
  EXPECT_EQ(to_string(QueueName::kActive), "active");
  EXPECT_EQ(to_string(QueueName::kBackoff), "backoff");
  EXPECT_EQ(to_string(QueueName::kUnschedulable), "unschedulable");
  EXPECT_EQ(to_string(QueueName::kGated), "gated");
}

TEST(CountingQueueMetrics, AddsUp) {
  CountingQueueMetrics metrics;
  metrics.count_incoming(QueueName::kActive, Symbol("NodeAdd"), QueuedPod());
  metrics.count_incoming(QueueName::kActive, Symbol("NodeAdd"), QueuedPod());
  metrics.add_pending(QueueName::kGated, 2);
  metrics.add_pending(QueueName::kGated, -1);
  metrics.add_unschedulable(Symbol("Fit"), Symbol("p"), 1);
  metrics.add_in_flight_events(Symbol("NodeAdd"), 3);
  metrics.hint_ends(Symbol("Fit"), Symbol("NodeAdd"), HintAnswer::kSkip);
  EXPECT_EQ(metrics.incoming, (Counts{{"active/NodeAdd", 2}}));
  EXPECT_EQ(metrics.pending, (Counts{{"gated", 1}}));
  EXPECT_EQ(metrics.unschedulable, (Counts{{"Fit/p", 1}}));
  EXPECT_EQ(metrics.in_flight_events, (Counts{{"NodeAdd", 3}}));
  EXPECT_EQ(metrics.hints_asked, 1);
}

TEST(QueueMetrics, FollowAPodThroughItsPlaces) {
  CountingQueueMetrics metrics;
  SchedulingQueue queue(testing::options_with({on("Fit", testing::node_add())}, &metrics));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  EXPECT_EQ(without_zeros(metrics.pending), (Counts{{"active", 1}}));

  PoppedPod popped = queue.pop(at(0));
  EXPECT_EQ(without_zeros(metrics.pending), Counts{});
  EXPECT_EQ(without_zeros(metrics.in_flight_events), (Counts{{"PodPopped", 1}}));

  ASSERT_TRUE(testing::give_back(queue, std::move(popped), {"Fit"}, at(0)));
  EXPECT_EQ(without_zeros(metrics.pending), (Counts{{"unschedulable", 1}}));
  EXPECT_EQ(without_zeros(metrics.unschedulable), (Counts{{"Fit/default-scheduler", 1}}));
  EXPECT_EQ(without_zeros(metrics.in_flight_events), Counts{});

  ASSERT_TRUE(queue.move_all(testing::node_add(), {}, at(0)));
  EXPECT_EQ(without_zeros(metrics.pending), (Counts{{"backoff", 1}}));
  EXPECT_EQ(metrics.unschedulable["Fit/default-scheduler"], 1) << "it is still waiting because of Fit";

  ASSERT_TRUE(queue.flush_backoff_completed(at(5)));
  EXPECT_EQ(without_zeros(metrics.pending), (Counts{{"active", 1}}));

  popped = queue.pop(at(5));
  EXPECT_EQ(without_zeros(metrics.pending), Counts{});
  EXPECT_EQ(without_zeros(metrics.unschedulable), Counts{});
  ASSERT_TRUE(queue.done(popped->uid()));
  EXPECT_EQ(metrics.incoming, (Counts{{"active/UnschedulablePodAdd", 1},
                                      {"unschedulable/ScheduleAttemptFailure", 1},
                                      {"backoff/NodeAdd", 1},
                                      {"active/BackoffComplete", 1}}));
}

TEST(QueueMetrics, TellGatedPodsFromUnschedulableOnes) {
  CountingQueueMetrics metrics;
  bool open = false;
  QueueOptions options = testing::options_with({on("Gate", testing::volume_add())}, &metrics);
  options.pre_enqueue = {{testing::profile(), Symbol("Gate"), [&open](const api::Pod&) { return open; }}};
  SchedulingQueue queue(std::move(options));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  ASSERT_TRUE(queue.add(make_pod("b"), at(0)));
  EXPECT_EQ(without_zeros(metrics.pending), (Counts{{"gated", 2}}));
  EXPECT_EQ(metrics.unschedulable["Gate/default-scheduler"], 2);

  ASSERT_TRUE(queue.move_all(testing::volume_add(), {}, at(1)));
  EXPECT_EQ(without_zeros(metrics.pending), (Counts{{"gated", 2}}));
  EXPECT_EQ(metrics.unschedulable["Gate/default-scheduler"], 2) << "counted once, however often it is rejected";

  open = true;
  ASSERT_TRUE(queue.move_all(testing::volume_add(), {}, at(2)));
  EXPECT_EQ(without_zeros(metrics.pending), (Counts{{"active", 2}}));

  ASSERT_TRUE(queue.remove(*make_pod("a")));
  EXPECT_EQ(testing::drain(queue, at(2)), std::vector<std::string>{"b"});
  EXPECT_EQ(without_zeros(metrics.pending), Counts{});
  EXPECT_EQ(without_zeros(metrics.unschedulable), Counts{});
}

TEST(QueueMetrics, CountATryTakenEarlyFromBackoffAsArrivingInTheActiveQueue) {
  CountingQueueMetrics metrics;
  SchedulingQueue queue(testing::options_with({on("Fit", testing::node_add())}, &metrics));
  ASSERT_TRUE(testing::add_rejected(queue, make_pod("a"), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.move_all(testing::node_add(), {}, at(0)));
  ASSERT_NE(queue.pop(at(0)), nullptr);
  EXPECT_EQ(metrics.incoming["active/PopFromBackoffQ"], 1);
  EXPECT_EQ(without_zeros(metrics.pending), Counts{});
}

TEST(QueueMetrics, CloseEmptiesTheRecordOfFlights) {
  CountingQueueMetrics metrics;
  SchedulingQueue queue(testing::options_with({on("Fit", testing::node_add())}, &metrics));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  const PoppedPod popped = queue.pop(at(0));
  ASSERT_TRUE(queue.move_all(testing::node_add(), {}, at(0)));
  EXPECT_EQ(without_zeros(metrics.in_flight_events), (Counts{{"PodPopped", 1}, {"NodeAdd", 1}}));
  ASSERT_TRUE(queue.close());
  EXPECT_EQ(without_zeros(metrics.in_flight_events), Counts{});
}

// A world measures how long hints and PreEnqueue plugins take: it is told before and after each.
class CallRecorder final : public QueueMetrics {
 public:
  void hint_begins() override { calls.push_back("hint begins"); }
  void hint_ends(Symbol plugin, Symbol event, HintAnswer answer) override {
    calls.push_back(fmt::format("hint ends {} {} {}", plugin.text(), event.text(), static_cast<int>(answer)));
  }
  void gating_begins() override { calls.push_back("gating begins"); }
  void gating_ends(Symbol profile, bool admitted) override {
    calls.push_back(fmt::format("gating ends {} {}", profile.text(), admitted));
  }
  void pre_enqueue_begins() override { calls.push_back("gate begins"); }
  void pre_enqueue_ends(Symbol plugin, Symbol profile, bool admitted) override {
    calls.push_back(fmt::format("gate ends {} {} {}", plugin.text(), profile.text(), admitted));
  }
  std::vector<std::string> calls;
};

TEST(QueueMetrics, SurroundEveryHintAndEveryPreEnqueueCall) {
  CallRecorder recorder;
  QueueOptions options =
      testing::options_with({on("Fit", testing::node_add(), [&recorder](const api::Pod&, const EventObjects&) {
        recorder.calls.push_back("hint");
        return HintAnswer::kSkip;
      })});
  options.metrics = &recorder;
  options.pre_enqueue = {{testing::profile(), Symbol("Gate"), [&recorder](const api::Pod&) {
                            recorder.calls.push_back("gate");
                            return true;
                          }}};
  SchedulingQueue queue(std::move(options));
  ASSERT_TRUE(testing::add_rejected(queue, make_pod("a"), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.move_all(testing::node_add(), {}, at(0)));
  EXPECT_EQ(recorder.calls,
            (std::vector<std::string>{"gating begins", "gate begins", "gate", "gate ends Gate default-scheduler true",
                                      "gating ends default-scheduler true", "hint begins", "hint",
                                      "hint ends Fit NodeAdd 0"}));
}

}  // namespace
}  // namespace berth::queue
