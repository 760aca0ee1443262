#include "berth/report/timeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/report/testing.h"
#include "berth/report/waiting_times.h"
#include "berth/report/wake_counts.h"

namespace berth::report {
namespace {

using testing::at_ms;
using testing::epoch;
using testing::Teller;

// "1.5 kind: text"
std::vector<std::string> lines_of(const Timeline& timeline) {
  std::vector<std::string> lines;
  for (const TimelineLine& line : timeline.lines) {
    lines.push_back(fmt::format("{:g} {}: {}", line.at_seconds, line.kind.text(), line.text));
  }
  return lines;
}
std::vector<std::string> lines_of(const Teller& teller, std::int64_t end_ms) {
  return lines_of(timeline_of(teller.history, epoch(), at_ms(end_ms)));
}
using Lines = std::vector<std::string>;

TEST(Timeline, TellsTheStoryOfAPodThatWaitsForAnother) {
  Teller teller;
  teller.node("n1", 0);
  teller.pod("holder", 0);
  teller.placed_and_bound("holder", "n1", 1);
  teller.pod("waiter", 1000);
  teller.rejected("waiter", "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available.", 1001);
  teller.ended("holder", 40'000);
  teller.woken("waiter", queue::assigned_pod_delete(), 40'001);
  teller.placed_and_bound("waiter", "n1", 40'001);
  EXPECT_EQ(lines_of(teller, 45'000),
            (Lines{
                "0 node: node n1 added",
                "0 created: holder created, bound to n1 after 3ms",
                "1 created: waiter created",
                "1.001 rejected: waiter rejected: 0/1 nodes are available: 1 Insufficient cpu",
                "40 ended: holder ended",
                "40.003 bound: waiter bound to n1 after 39s, woken by AssignedPodDelete",
            }));
}

TEST(Timeline, PutsTheNodesAndPodsOfARolloutIntoOneLineEach) {
  Teller teller;
  for (int i = 1; i <= 5; ++i) teller.node(fmt::format("n{}", i), 0);
  for (int i = 1; i <= 12; ++i) {
    teller.pod(fmt::format("web-{}", i), i * 10, "Deployment/web");
    teller.placed_and_bound(fmt::format("web-{}", i), "n1", i * 10);
  }
  for (int i = 1; i <= 2; ++i) {
    teller.pod(fmt::format("single-{}", i), 5000);
    teller.placed_and_bound(fmt::format("single-{}", i), fmt::format("n{}", i), 5000);
  }
  EXPECT_EQ(lines_of(teller, 10'000),
            (Lines{
                "0 node: 5 nodes (n1, n2, n3 and 2 more) added",
                "0.01 created: 12 pods of Deployment/web created, all bound to n1 within 112ms",
                "5 created: single-1 and single-2 created, both bound within 2ms",
            }));
}

TEST(Timeline, PutsStaticPodsOfSeveralNodesIntoOneLine) {
  Teller teller;
  teller.pod("proxy-n1", 0, "Node/n1");
  teller.pod("proxy-n2", 0, "Node/n2");
  EXPECT_EQ(lines_of(teller, 10'000), (Lines{"0 created: 2 pods of the nodes themselves created"}));
}

TEST(Timeline, NamesTheVictimsOfAPreemptionOnce) {
  Teller teller;
  teller.pod("low", 0);
  teller.placed_and_bound("low", "n1", 0);
  teller.pod("urgent", 1000);
  teller.preempts("urgent", "n1", {"low"}, 1000);
  teller.rejected("urgent", "0/1 nodes are available: 1 Insufficient cpu.", 1000);
  teller.woken("urgent", queue::force_activate(), 1010);
  teller.placed_and_bound("urgent", "n1", 1010);
  EXPECT_EQ(lines_of(teller, 2000), (Lines{"0 created: low created, bound to n1 after 2ms", "1 created: urgent created",
                                           "1 rejected: urgent rejected: 0/1 nodes are available: 1 Insufficient cpu",
                                           "1 preemption: urgent preempts low on n1",
                                           "1.012 bound: urgent bound to n1 after 12ms, made active by a plugin"}));
}

TEST(Timeline, SaysThatTheSchedulerStartedAgainOnlyIfItWasDown) {
  Teller teller;
  teller.history.note(sim::HistoryEvent::Kind::kSchedulerUp, at_ms(0), "");
  teller.history.note(sim::HistoryEvent::Kind::kSchedulerDown, at_ms(5000), "");
  teller.history.note(sim::HistoryEvent::Kind::kSchedulerUp, at_ms(9000), "");
  EXPECT_EQ(lines_of(teller, 10'000),
            (Lines{"5 scheduler: the scheduler went down", "9 scheduler: the scheduler started again"}));
}

TEST(Timeline, MergesMoreTheLongerTheRunAndLeavesOutWhatMattersLeast) {
  Teller teller;
  for (int minute = 0; minute < 24 * 60; minute += 2) {
    const std::string name = fmt::format("job-{}", minute);
    teller.pod(name, minute * 60'000, "Job/report");
    teller.placed_and_bound(name, "n1", minute * 60'000);
  }
  teller.history.note(sim::HistoryEvent::Kind::kFault, at_ms(3600'000), "the API answers 5% of writes with errors");
  const Timeline day = timeline_of(teller.history, epoch(), at_ms(24 * 3600'000));
  EXPECT_EQ(lines_of(day),
            (Lines{"0 created: 720 pods of Job/report created over 23h58m, all bound to n1 at the first try",
                   "3600 fault: the API answers 5% of writes with errors"}));

  for (int i = 0; i < 100; ++i) {
    teller.pod(fmt::format("{}-odd", std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i)),
               24 * 3600'000);
  }
  const Timeline cut = timeline_of(teller.history, epoch(), at_ms(24 * 3600'000), 10);
  EXPECT_EQ(cut.lines.size(), 10u);
  EXPECT_EQ(cut.left_out, 92);
  EXPECT_EQ(lines_of(cut)[1], "3600 fault: the API answers 5% of writes with errors");
}

TEST(Timeline, ShortensOnlyMessagesAboutNodes) {
  EXPECT_EQ(short_message("0/5 nodes are available: 5 Insufficient cpu. no new claims to deallocate, preemption: ..."),
            "0/5 nodes are available: 5 Insufficient cpu");
  EXPECT_EQ(short_message("0/5 nodes are available: 5 Insufficient cpu."),
            "0/5 nodes are available: 5 Insufficient cpu");
  EXPECT_EQ(short_message("a plugin failed. badly"), "a plugin failed. badly");
}

TEST(Timeline, TellsOfRolloutsAndOfDrainsThatABudgetBlocks) {
  Teller teller;
  teller.pod("api-1", 0);
  teller.pod("api-2", 0);
  for (const char* what : {"started", "progress", "complete", "stuck"}) {
    teller.history.rollout(Symbol(what), fmt::format("rollout {}", what), at_ms(1000));
  }
  for (const char* name : {"api-1", "api-2"}) {
    api::Pod pod;
    pod.metadata.name = name;
    pod.metadata.name_space = Symbol("default");
    pod.metadata.uid = fmt::format("{}-uid", name);
    pod.spec.node_name = Symbol("n1");
    teller.history.eviction_blocked(pod, "the budget default/api", at_ms(2000));
  }
  teller.history.note(sim::HistoryEvent::Kind::kDrained, at_ms(3000), "all 3 pods were evicted after 5s", Symbol("n2"));
  std::vector<std::string> lines;
  for (const TimelineLine& line : timeline_of(teller.history, epoch(), at_ms(4000)).lines) {
    if (line.kind != "created") lines.push_back(fmt::format("{}: {}", line.kind.text(), line.text));
  }
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "rollout: rollout started", "rollout: rollout progress", "rollout: rollout complete",
                       "rolloutStuck: rollout stuck",
                       "drainBlocked: drain of n1 is blocked by the budget default/api: 2 pods (api-1 and api-2) stay",
                       "drain: drain of n2: all 3 pods were evicted after 5s"}));
}

TEST(WaitingTimes, AreThoseOfPodsThatWereBound) {
  Teller teller;
  for (int i = 1; i <= 100; ++i) {
    const std::string name = fmt::format("p{}", i);
    teller.pod(name, 0);
    if (i < 100) teller.placed_and_bound(name, "n1", i * 10);
  }
  const auto waiting = waiting_times_of(teller.history.pod_timelines());
  ASSERT_TRUE(waiting.has_value());
  EXPECT_EQ(waiting->pods, 99);
  EXPECT_DOUBLE_EQ(waiting->p50_seconds, 0.502);
  EXPECT_DOUBLE_EQ(waiting->p90_seconds, 0.902);
  EXPECT_DOUBLE_EQ(waiting->p99_seconds, 0.992);
  EXPECT_DOUBLE_EQ(waiting->max_seconds, 0.992);
  EXPECT_EQ(waiting->longest, "default/p99");
  std::vector<std::pair<double, std::int64_t>> buckets;
  for (const WaitingBucket& bucket : waiting->histogram) buckets.emplace_back(bucket.below_seconds, bucket.pods);
  EXPECT_EQ(buckets, (std::vector<std::pair<double, std::int64_t>>{{0.03, 2}, {0.1, 7}, {0.3, 20}, {1.0, 70}}));
}

TEST(WaitingTimes, AreNothingIfNoPodWasBound) {
  Teller teller;
  teller.pod("p", 0);
  EXPECT_FALSE(waiting_times_of(teller.history.pod_timelines()).has_value());
}

TEST(WakeCounts, TellUsefulFromWastedByEvent) {
  Teller teller;
  const queue::ClusterEvent node_add(queue::resource::kNode, queue::action::kAdd);
  for (const char* name : {"a", "b", "c"}) {
    teller.pod(name, 0);
    teller.rejected(name, "no", 1);
  }
  teller.woken("a", node_add, 1000);
  teller.placed_and_bound("a", "n1", 1000);
  teller.woken("b", node_add, 1000);
  teller.rejected("b", "no", 1001);
  teller.woken("b", queue::assigned_pod_delete(), 2000);
  teller.placed_and_bound("b", "n1", 2000);
  teller.moved("c", queue::QueueName::kActive, "UnschedulableTimeout", 300'000);
  teller.placed_and_bound("c", "n1", 300'000);
  const auto wakes = wake_counts_of(teller.history);
  ASSERT_TRUE(wakes.has_value());
  EXPECT_EQ(wakes->pods, 3);
  EXPECT_EQ(wakes->wasted, 1);
  EXPECT_EQ(wakes->flushed, 1);
  EXPECT_DOUBLE_EQ(wakes->tries_per_placement, 7.0 / 3);
  ASSERT_EQ(wakes->by_label.size(), 2u);
  EXPECT_EQ(wakes->by_label[0].label, "NodeAdd");
  EXPECT_EQ(wakes->by_label[0].pods, 2);
  EXPECT_EQ(wakes->by_label[0].useful, 1);
  EXPECT_EQ(wakes->by_label[0].wasted, 1);
  EXPECT_EQ(wakes->by_label[1].label, "AssignedPodDelete");
  EXPECT_EQ(wakes->by_label[1].useful, 1);
}

}  // namespace
}  // namespace berth::report
