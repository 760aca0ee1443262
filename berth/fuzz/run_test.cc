#include "berth/fuzz/run.h"

#include <gtest/gtest.h>

#include "berth/fuzz/generator.h"

namespace berth::fuzz {
namespace {

TEST(Check, FindsNothingWrongWithASimpleScenario) {
  const SeedResult result = check({"node n1 cpu=2", "pod a cpu=1", "run until idle", "expect pod a on n1"});
  EXPECT_FALSE(result.problem.has_value()) << result.problem->text;
  EXPECT_EQ(result.precision.placed, 1u);
  EXPECT_EQ(result.precision.attempts, 1u);
}

TEST(Check, NamesAScenarioThatDoesNotParse) {
  const SeedResult result = check({"frobnicate n1"});
  ASSERT_TRUE(result.problem.has_value());
  EXPECT_EQ(result.problem->kind, "parse");
}

TEST(Check, ForgivesStatementsThatComeTooLate) {
  const SeedResult result = check({"node n1", "delete pod nobody", "run until idle"});
  EXPECT_FALSE(result.problem.has_value());
}

TEST(Check, NamesAnExpectationThatDoesNotHold) {
  const SeedResult result = check({"node n1", "pod a cpu=1", "run until idle", "expect bound = 2"});
  ASSERT_TRUE(result.problem.has_value());
  EXPECT_EQ(result.problem->kind, "expect bound = 2");
}

TEST(Check, CountsTheWakeUpsThatKubeSchedulerLoses) {
  const SeedResult result = check({"node n1 cpu=4", "node n2 cpu=1", "pod filler cpu=1 node=n2",
                                   "pod leaving cpu=1 label.app=a node=n1 terminates-in=10s", "run 1s",
                                   "pod waiting cpu=1 label.app=a spread=node:1", "run 1s", "delete pod leaving",
                                   "run 5s", "expect pod waiting on n1", "expect lost-wake-ups = 0"},
                                  {.runs_twice = true, .compares_upstream = true});
  EXPECT_FALSE(result.problem.has_value()) << result.problem->text;
  EXPECT_EQ(result.precision.lost, 0u);
  ASSERT_TRUE(result.upstream.has_value());
  EXPECT_EQ(result.upstream->lost, 1u);
}

TEST(Check, RunsASeedTheSameWayEachTime) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<std::string> lines = generate(seed).lines;
    EXPECT_EQ(check(lines).digest, check(lines).digest) << "seed " << seed;
  }
}

TEST(Check, TellsHistoriesApart) {
  EXPECT_NE(check({"node n1", "pod a", "run until idle"}).digest, check({"node n1", "pod b", "run until idle"}).digest);
}

}  // namespace
}  // namespace berth::fuzz
