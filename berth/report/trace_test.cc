#include "berth/report/trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
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

// Many things in one instant: several events, pods that several of them wake, tries that fail, a scheduler that goes.
Teller busy() {
  Teller teller;
  for (int i = 0; i < 4; ++i) teller.node(fmt::format("n{}", i), 0);
  for (int i = 0; i < 12; ++i) {
    teller.pod(fmt::format("p{}", i), i / 3);
    teller.rejected(fmt::format("p{}", i), "no", i / 3);
  }
  for (int round = 0; round < 5; ++round) {
    const int ms = 100 * (round + 1);
    for (int i = 0; i < 12; ++i) {
      const std::string name = fmt::format("p{}", i);
      teller.woken(name, i % 2 == 0 ? queue::assigned_pod_delete() : queue::assigned_pod_add(), ms);
      if (i != round) {
        teller.rejected(name, "no", ms + i % 2);
      } else {
        teller.placed_and_bound(name, "n1", ms);
      }
    }
  }
  teller.woken("p11", queue::assigned_pod_delete(), 700);
  teller.history.note(sim::HistoryEvent::Kind::kSchedulerDown, at_ms(700), "");
  teller.history.note(sim::HistoryEvent::Kind::kSchedulerUp, at_ms(800), "");
  teller.ended("p0", 800);
  return teller;
}

// An event of a trace, as a viewer reads it.
struct Event {
  std::string phase, name;
  std::pair<std::int64_t, std::int64_t> track;
  double at = 0;
  double length = 0;
  std::int64_t arrow = 0;
};

std::vector<Event> read_events(const std::string& text) {
  simdjson::dom::parser parser;
  simdjson::dom::element trace;
  simdjson::dom::array events;
  EXPECT_EQ(parser.parse(text).get(trace), simdjson::SUCCESS);
  EXPECT_EQ(trace["traceEvents"].get(events), simdjson::SUCCESS);
  std::vector<Event> result;
  for (const simdjson::dom::element each : events) {
    Event event;
    std::string_view phase, name;
    EXPECT_EQ(each["ph"].get(phase), simdjson::SUCCESS);
    EXPECT_EQ(each["pid"].get(event.track.first), simdjson::SUCCESS);
    EXPECT_EQ(each["tid"].get(event.track.second), simdjson::SUCCESS);
    EXPECT_EQ(each["ts"].get(event.at) == simdjson::SUCCESS, phase != "M") << phase;
    EXPECT_EQ(each["dur"].get(event.length) == simdjson::SUCCESS, phase == "X") << phase;
    EXPECT_EQ(each["id"].get(event.arrow) == simdjson::SUCCESS, phase == "s" || phase == "t" || phase == "f") << phase;
    EXPECT_EQ(each["name"].get(name) == simdjson::SUCCESS, phase != "E") << phase;
    event.phase = phase;
    event.name = name;
    result.push_back(event);
  }
  return result;
}

// The rules of the trace event format as Perfetto applies them: events are taken in order of their time, those of one
// time in the order of the file; slices of a track lie inside each other or apart; an arrow begins before it goes on,
// ends once, and each of its points lies in a slice; every track has a name.
void expect_well_formed(const std::string& text) {
  std::vector<Event> events = read_events(text);
  std::set<std::pair<std::int64_t, std::int64_t>> named;
  std::set<std::int64_t> named_processes;
  for (const Event& event : events) {
    if (event.phase == "M" && event.name == "thread_name") named.insert(event.track);
    if (event.phase == "M" && event.name == "process_name") named_processes.insert(event.track.first);
  }
  std::erase_if(events, [](const Event& event) { return event.phase == "M"; });
  // Insertion keeps the order among equals.
  std::vector<Event> ordered;
  for (Event& event : events) {
    const auto place = std::ranges::upper_bound(ordered, event.at, {}, &Event::at);
    ordered.insert(place, std::move(event));
  }
  struct Slice {
    double end;  // infinite while nobody knows
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Slice>> open;
  std::map<std::int64_t, bool> arrows;  // whether they have ended
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  for (const Event& event : ordered) {
    SCOPED_TRACE(fmt::format("{} {} at {}", event.phase, event.name, event.at));
    EXPECT_TRUE(named_processes.contains(event.track.first));
    EXPECT_TRUE(event.phase == "C" || named.contains(event.track));
    std::vector<Slice>& slices = open[event.track];
    while (!slices.empty() && slices.back().end <= event.at) slices.pop_back();
    if (event.phase == "B") {
      EXPECT_TRUE(slices.empty()) << "phases of a track follow each other";
      slices.push_back({kUnknown});
    } else if (event.phase == "E") {
      ASSERT_FALSE(slices.empty());
      EXPECT_EQ(slices.back().end, kUnknown) << "a slice goes on beyond the one around it";
      slices.pop_back();
    } else if (event.phase == "X") {
      EXPECT_GT(event.length, 0);
      if (!slices.empty()) {
        EXPECT_LE(event.at + event.length, slices.back().end);
      }
      slices.push_back({event.at + event.length});
    } else if (event.phase == "s") {
      EXPECT_FALSE(slices.empty());
      EXPECT_TRUE(arrows.emplace(event.arrow, false).second) << "an arrow begins once";
    } else if (event.phase == "t" || event.phase == "f") {
      EXPECT_FALSE(slices.empty());
      const auto arrow = arrows.find(event.arrow);
      ASSERT_NE(arrow, arrows.end()) << "an arrow goes on before it begins";
      EXPECT_FALSE(arrow->second) << "an arrow goes on after its end";
      arrow->second = event.phase == "f";
    } else {
      EXPECT_TRUE(event.phase == "i" || event.phase == "C");
    }
  }
  for (const auto& [track, slices] : open) {
    for (const Slice& slice : slices) EXPECT_NE(slice.end, kUnknown) << "a slice without an end";
  }
}

TEST(Trace, KeepsTheRulesOfTheFormat) {
  expect_well_formed(trace_of(example()));
  expect_well_formed(trace_of(busy()));
  expect_well_formed(trace_of(busy(), 5));
  expect_well_formed(trace_of(Teller()));
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
