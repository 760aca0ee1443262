#include "berth/report/trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "berth/report/testing.h"

namespace berth::report {
namespace {

using testing::at_ms;
using testing::epoch;
using testing::Teller;

Teller example() {
  Teller teller;
  teller.node("n1", 0);
  teller.pod("holder", 0);
  teller.placed_and_bound("holder", "n1", 1);
  teller.pod("waiter", 1000);
  teller.rejected("waiter", "no \"room\"", 1001);
  teller.ended("holder", 40'000);
  teller.woken("waiter", queue::assigned_pod_delete(), 40'000);
  teller.placed_and_bound("waiter", "n1", 40'000);
  return teller;
}

std::string trace_of(const Teller& teller, std::size_t max_pods = kMaxPodTracks) {
  std::ostringstream out;
  write_trace(teller.history, {.epoch = epoch(), .end = at_ms(45'000), .max_pods = max_pods}, out);
  return out.str();
}

// Events that have all of these pieces.
std::size_t count(const std::string& trace, const std::vector<std::string_view>& pieces) {
  std::size_t found = 0;
  std::istringstream lines(trace);
  for (std::string line; std::getline(lines, line);) {
    bool has_all = true;
    for (const std::string_view piece : pieces) has_all &= line.find(piece) != std::string::npos;
    found += has_all ? 1 : 0;
  }
  return found;
}

TEST(Trace, IsValidJsonWithBalancedSlices) {
  simdjson::dom::parser parser;
  const std::string text = trace_of(example());
  simdjson::dom::element trace;
  ASSERT_EQ(parser.parse(text).get(trace), simdjson::SUCCESS);
  simdjson::dom::array events;
  ASSERT_EQ(trace["traceEvents"].get(events), simdjson::SUCCESS);
  std::map<std::pair<std::int64_t, std::int64_t>, int> open;
  for (const simdjson::dom::element event : events) {
    std::string_view phase;
    std::int64_t process = 0, track = 0;
    ASSERT_EQ(event["ph"].get(phase), simdjson::SUCCESS);
    ASSERT_EQ(event["pid"].get(process), simdjson::SUCCESS);
    ASSERT_EQ(event["tid"].get(track), simdjson::SUCCESS);
    int& depth = open[{process, track}];
    if (phase == "B") ++depth;
    if (phase == "E") {
      --depth;
    }
    EXPECT_GE(depth, 0);
  }
  for (const auto& [key, depth] : open) EXPECT_EQ(depth, 0);
}

TEST(Trace, HasATrackPerPodWithTheTimeInEachPlace) {
  const std::string trace = trace_of(example());
  EXPECT_EQ(count(trace, {"thread_name", "\"name\":\"default/waiter\""}), 1u);
  EXPECT_EQ(count(trace, {"\"ph\":\"B\"", "\"tid\":2", "\"name\":\"active\"", "\"ts\":1000000"}), 1u);
  EXPECT_EQ(count(trace, {"\"ph\":\"B\"", "\"tid\":2", "\"name\":\"unschedulable\"", "\"ts\":1001000"}), 1u);
  EXPECT_EQ(count(trace, {"\"ph\":\"B\"", "\"tid\":2", "\"name\":\"binding\"", "\"ts\":40000000"}), 1u);
  EXPECT_EQ(count(trace, {"\"ph\":\"B\"", "\"tid\":2", "\"name\":\"running\"", "\"ts\":40002000"}), 1u);
  EXPECT_EQ(count(trace, {"\"ph\":\"X\"", "try: rejected", "\"message\":\"no \\\"room\\\"\""}), 1u);
}

TEST(Trace, DrawsTheArrowFromEventOverWakeUpAndTryToBinding) {
  const std::string trace = trace_of(example());
  EXPECT_EQ(count(trace, {"\"ph\":\"X\"", "\"pid\":1", "\"name\":\"AssignedPodDelete\""}), 1u);
  EXPECT_EQ(count(trace, {"\"ph\":\"s\"", "\"pid\":1", "\"ts\":40000000"}), 1u);
  EXPECT_EQ(count(trace, {"\"ph\":\"t\"", "\"pid\":3", "\"tid\":2", "\"ts\":40000000"}), 2u);
  EXPECT_EQ(count(trace, {"\"ph\":\"f\"", "\"pid\":3", "\"tid\":2", "\"ts\":40002000", "\"bp\":\"e\""}), 1u);
}

TEST(Trace, CountsTheQueuesOnceForEveryTimeAtWhichTheyChange) {
  const std::string trace = trace_of(example());
  EXPECT_EQ(count(trace, {"\"ph\":\"C\"", "\"name\":\"unschedulable\"", "\"pods\":1"}), 1u);
  EXPECT_EQ(count(trace, {"\"ph\":\"C\"", "\"name\":\"unschedulable\"", "\"pods\":0"}), 1u);
  EXPECT_EQ(count(trace, {"\"ph\":\"C\"", "\"name\":\"running\"", "\"pods\":1", "\"ts\":3000"}), 1u);
}

TEST(Trace, NamesTheLimitOfPods) {
  Teller teller = example();
  for (int i = 0; i < 3; ++i) teller.pod(fmt::format("p{}", i), 41'000);
  const std::string trace = trace_of(teller, 2);
  EXPECT_EQ(count(trace, {"pods (the first 2 of 5)"}), 1u);
  EXPECT_EQ(count(trace, {"default/p0"}), 0u);
}

TEST(Trace, IsTheSameForTheSameHistory) {
  EXPECT_EQ(trace_of(example()), trace_of(example()));
}

}  // namespace
}  // namespace berth::report
