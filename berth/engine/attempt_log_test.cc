#include "berth/engine/attempt_log.h"

#include <gtest/gtest.h>

#include <vector>

namespace berth::engine {
namespace {

AttemptRecord record(std::int32_t number, AttemptResult result = AttemptResult::kUnschedulable) {
  AttemptRecord made;
  made.number = number;
  made.result = result;
  return made;
}

std::vector<std::int32_t> numbers(const AttemptLog& log, std::string_view uid) {
  std::vector<std::int32_t> found;
  for (const AttemptRecord& kept : log.of(uid)) found.push_back(kept.number);
  return found;
}

using Numbers = std::vector<std::int32_t>;

TEST(AttemptLog, KnowsNothingOfAPodThatWasNeverTried) {
  const AttemptLog log;
  EXPECT_TRUE(log.of("a").empty());
  EXPECT_EQ(log.last("a"), nullptr);
  EXPECT_EQ(log.pods(), 0u);
}

TEST(AttemptLog, KeepsTheLastFewTriesOfEachPodOldestFirst) {
  AttemptLog log({.records_per_pod = 3, .waiting_pods = 10});
  for (std::int32_t i = 1; i <= 5; ++i) log.add("a", record(i));
  log.add("b", record(1));
  EXPECT_EQ(numbers(log, "a"), (Numbers{3, 4, 5}));
  EXPECT_EQ(numbers(log, "b"), (Numbers{1}));
  ASSERT_NE(log.last("a"), nullptr);
  EXPECT_EQ(log.last("a")->number, 5);
}

TEST(AttemptLog, ReturnsTheRecordAsItIsKept) {
  AttemptLog log({.records_per_pod = 1, .waiting_pods = 10});
  log.add("a", record(1));
  log.add("a", record(2)).add_detail().message = "no room";
  ASSERT_NE(log.last("a"), nullptr);
  EXPECT_EQ(log.last("a")->number, 2);
  EXPECT_EQ(log.last("a")->detail().message, "no room");
}

TEST(AttemptLog, DropsThePodWhoseLastTryIsLongestAgo) {
  AttemptLog log({.records_per_pod = 8, .waiting_pods = 2});
  log.add("a", record(1));
  log.add("b", record(1));
  log.add("a", record(2));  // now b was tried longest ago
  log.add("c", record(1));
  EXPECT_EQ(log.pods(), 2u);
  EXPECT_EQ(numbers(log, "a"), (Numbers{1, 2}));
  EXPECT_TRUE(log.of("b").empty());
  EXPECT_EQ(numbers(log, "c"), (Numbers{1}));
}

TEST(AttemptLog, PodsThatArePlacedDoNotDriveOutThoseThatWait) {
  AttemptLog log({.records_per_pod = 8, .waiting_pods = 2, .placed_pods = 1});
  log.add("a", record(1));
  log.add("b", record(1));
  log.add("c", record(1, AttemptResult::kPlaced));
  log.add("a", record(2, AttemptResult::kPlaced));  // which drives out c
  EXPECT_EQ(numbers(log, "a"), (Numbers{1, 2}));
  EXPECT_EQ(numbers(log, "b"), (Numbers{1}));
  EXPECT_TRUE(log.of("c").empty());

  log.add("a", record(3));  // it was not bound
  log.add("d", record(1, AttemptResult::kPlaced));
  EXPECT_EQ(numbers(log, "a"), (Numbers{1, 2, 3}));
  EXPECT_EQ(log.pods(), 3u);
  log.forget("a");
  log.forget("d");
  EXPECT_EQ(log.pods(), 1u);
}

TEST(AttemptLog, ForgetsAPodAndMakesRoomForAnother) {
  AttemptLog log({.records_per_pod = 8, .waiting_pods = 2});
  log.add("a", record(1));
  log.add("b", record(1));
  log.forget("b");
  log.forget("unknown");
  EXPECT_EQ(log.pods(), 1u);
  EXPECT_EQ(log.last("b"), nullptr);
  log.add("c", record(1));
  EXPECT_EQ(numbers(log, "a"), (Numbers{1}));
  EXPECT_EQ(numbers(log, "c"), (Numbers{1}));
}

TEST(AttemptLog, KeepsTheNewestRecordEvenIfTheLimitsAreZero) {
  AttemptLog log({.records_per_pod = 0, .waiting_pods = 0});
  EXPECT_EQ(log.add("a", record(1)).number, 1);
  EXPECT_EQ(log.add("b", record(2)).number, 2);
  EXPECT_EQ(log.pods(), 1u);
  EXPECT_EQ(numbers(log, "b"), (Numbers{2}));
}

TEST(AttemptLog, NamesEveryResult) {
  EXPECT_EQ(to_string(AttemptResult::kPlaced), "placed");
  EXPECT_EQ(to_string(AttemptResult::kUnschedulable), "unschedulable");
  EXPECT_EQ(to_string(AttemptResult::kError), "error");
  EXPECT_EQ(to_string(AttemptResult::kSkipped), "skipped");
}

}  // namespace
}  // namespace berth::engine
