// The checker for lost wake-ups (sim/wakeup_checker.h), on scenarios in which kube-scheduler's bugs lose some.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "berth/scenario/quirk_names.h"
#include "berth/scenario/runner.h"

namespace berth::scenario {
namespace {

RunResult run_checked(std::string_view text, std::string_view quirks = "none") {
  const auto scenario = parse(text);
  EXPECT_TRUE(scenario.has_value()) << scenario.error().front().message();
  const auto parsed = parse_quirks(quirks);
  EXPECT_TRUE(parsed.has_value());
  RunOptions options;
  options.check_wakeups = true;
  options.quirks = *parsed;
  auto result = run(*scenario, options);
  EXPECT_TRUE(result.has_value());
  return *std::move(result);
}

// A pod that is being deleted is not counted any more: the waiting one fits ten seconds before it is gone.
constexpr std::string_view kLeavingPod = R"(
node n1 cpu=4
node n2 cpu=1
pod filler cpu=1 node=n2
pod leaving cpu=1 label.app=a node=n1 terminates-in=10s
run 1s
pod waiting cpu=1 label.app=a spread=node:1
run 1s
expect pod waiting unschedulable by PodTopologySpread
delete pod leaving
run 5s
)";

TEST(WakeUpCheck, TellsOfAPodThatShouldHaveBeenWoken) {
  const RunResult result = run_checked(kLeavingPod, "spread-ignores-terminating-pods");
  ASSERT_EQ(result.failures.size(), 1u);
  const Failure& failure = result.failures.front();
  EXPECT_EQ(failure.kind, Failure::Kind::kInvariant);
  EXPECT_EQ(failure.expected, "pod default/waiting to be woken");
  EXPECT_TRUE(failure.actual.starts_with("it fits on n1 and is parked for NodeResourcesFit, PodTopologySpread; since "))
      << failure.actual;
  EXPECT_NE(failure.actual.find("AssignedPodTerminating at 2.001s"), std::string::npos) << failure.actual;
  EXPECT_EQ(result.world->history().counts().lost_wake_ups, 1u);
}

TEST(WakeUpCheck, SaysNothingIfThePodIsWoken) {
  const RunResult result = run_checked(kLeavingPod);
  EXPECT_TRUE(result.passed()) << to_text(result.failures.front());
  EXPECT_EQ(result.world->history().counts().lost_wake_ups, 0u);
}

TEST(WakeUpCheck, LetsPodsWaitThatAreHeldBack) {
  const RunResult result = run_checked(R"(
node n1 cpu=4
pod gated cpu=1 gate=quota
reject scripted at filter times 1
pod scripted cpu=1
reject refused at permit times 1
pod refused cpu=1
run 10s
expect pod gated gated by SchedulingGates
expect lost-wake-ups = 0
)");
  EXPECT_TRUE(result.passed()) << to_text(result.failures.front());
}

TEST(WakeUpCheck, LetsAPreemptorWaitForItsVictims) {
  const RunResult result = run_checked(R"(
node n1 cpu=2
pod small cpu=2 terminates-in=10s
run until idle
pod big cpu=2 priority=100
run 5s
expect pod big nominated to n1
run until idle
run 20s
expect pod big on n1
)");
  EXPECT_TRUE(result.passed()) << to_text(result.failures.front());
}

}  // namespace
}  // namespace berth::scenario
