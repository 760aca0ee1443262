#include "berth/fuzz/livelock.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/fuzz/run.h"

namespace berth::fuzz {
namespace {

// The job's replacement pod always finds the other node of the zone.
const std::vector<std::string> kCircle = {
    "nodes 2 n zone=a", "job batch cpu=500m runs=1h terminates-in=6s priority=100 replicas=1", "run 1s",
    "pod loner cpu=250m priority=300 away=app=batch@zone", "run until idle within 1h"};

std::vector<std::string> circle_with(const std::string& line) {
  std::vector<std::string> lines = kCircle;
  lines.insert(lines.end() - 1, line);
  return lines;
}

TEST(Livelock, IsAPreemptorAndAControllerThatUndoEachOthersWork) {
  const SeedResult result = check(kCircle);
  EXPECT_FALSE(result.problem.has_value()) << result.problem->text;
  ASSERT_TRUE(result.livelock.has_value());
  EXPECT_NE(result.livelock->find("default/loner has preempted"), std::string::npos) << *result.livelock;
  EXPECT_NE(result.livelock->find("Job/batch"), std::string::npos) << *result.livelock;
}

TEST(Livelock, MayHaveBystandersThatWaitForSomethingElse) {
  const SeedResult result = check(circle_with("pod giant cpu=100"));
  EXPECT_FALSE(result.problem.has_value()) << result.problem->text;
  EXPECT_TRUE(result.livelock.has_value());
}

TEST(Livelock, IsNoExcuseForAnotherPodThatIsTriedForEver) {
  const SeedResult result = check(circle_with("fail stubborn at reserve \"no\""));
  EXPECT_TRUE(result.livelock.has_value());  // nobody has that name
  std::vector<std::string> lines = circle_with("fail stubborn at reserve \"no\"");
  lines.insert(lines.end() - 1, "pod stubborn");
  const SeedResult with_pod = check(lines);
  EXPECT_FALSE(with_pod.livelock.has_value());
  ASSERT_TRUE(with_pod.problem.has_value());
  EXPECT_EQ(with_pod.problem->kind, "never idle");
}

TEST(Livelock, IsNoExcuseForAnExpectationThatDoesNotHold) {
  std::vector<std::string> lines = kCircle;
  lines.emplace_back("expect pod loner bound");
  const SeedResult result = check(lines);
  ASSERT_TRUE(result.problem.has_value());
  EXPECT_EQ(result.problem->kind, "expect pod loner bound");
}

TEST(Livelock, HasToLastForAWhile) {
  std::vector<std::string> lines = kCircle;
  lines.back() = "run until idle within 30s";
  const SeedResult result = check(lines);
  EXPECT_FALSE(result.livelock.has_value());
  ASSERT_TRUE(result.problem.has_value());
  EXPECT_EQ(result.problem->kind, "never idle");
}

TEST(Livelock, IsNotEverythingThatNeverEnds) {
  const SeedResult result = check({"node n1", "faults errors=100%", "pod p", "run until idle within 1h"});
  EXPECT_FALSE(result.livelock.has_value());
  ASSERT_TRUE(result.problem.has_value());
  EXPECT_EQ(result.problem->kind, "never idle");
}

TEST(Livelock, IsTakenOutByDeletingItsWorkloads) {
  const std::vector<std::string> lines =
      without_workloads({"run until idle", "node n1", "run until idle within 2h", "expect invariants"},
                        {.workloads = {"Deployment/web", "Job/batch"}, .text = ""});
  const std::vector<std::string> expected = {"run until idle",           "node n1",
                                             "delete deployment web",    "delete job batch",
                                             "run until idle within 2h", "expect invariants"};
  EXPECT_EQ(lines, expected);
}

}  // namespace
}  // namespace berth::fuzz
