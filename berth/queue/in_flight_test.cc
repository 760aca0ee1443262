#include "berth/queue/in_flight.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/queue/metrics.h"
#include "berth/queue/ordered_in_flight.h"
#include "berth/queue/testing.h"

namespace berth::queue {
namespace {

using testing::at;
using testing::make_pod;
using testing::on;
using Lines = std::vector<std::string>;

struct Flights {
  explicit Flights(std::size_t max_events = 100) : in_flight(max_events, metrics) {}
  void record(const ClusterEvent& event) { in_flight.record(hints.match(event), {}); }
  Lines events_since(std::string_view uid) const {
    Lines labels;
    in_flight.for_each_event_since(uid, [&labels](const InFlight::Event& event) {
      labels.push_back(event.match->label.str());
      return true;
    });
    return labels;
  }

  PluginNames names;
  HintTable hints{{}, {}, names};
  CountingQueueMetrics metrics;
  OrderedInFlight in_flight;
};

TEST(InFlight, APodSeesTheEventsSinceItWasPopped) {
  Flights flights;
  ASSERT_TRUE(flights.in_flight.begin(make_pod("a")));
  flights.record(testing::node_add());
  ASSERT_TRUE(flights.in_flight.begin(make_pod("b")));
  flights.record(testing::volume_add());
  EXPECT_EQ(flights.events_since("a-uid"), (Lines{"NodeAdd", "PersistentVolumeAdd"}));
  EXPECT_EQ(flights.events_since("b-uid"), Lines{"PersistentVolumeAdd"});
  EXPECT_EQ(flights.events_since("unknown"), Lines{});
  EXPECT_EQ(flights.in_flight.log(),
            (Lines{"pod:default/a#a-uid", "event:NodeAdd", "pod:default/b#b-uid", "event:PersistentVolumeAdd"}));
}

TEST(InFlight, AWalkOverEventsCanStop) {
  Flights flights;
  ASSERT_TRUE(flights.in_flight.begin(make_pod("a")));
  for (int i = 0; i < 5; ++i) flights.record(testing::node_add());
  int seen = 0;
  flights.in_flight.for_each_event_since("a-uid", [&seen](const InFlight::Event&) { return ++seen < 3; });
  EXPECT_EQ(seen, 3);
}

TEST(InFlight, KeepsEventsOnlyAsFarBackAsTheOldestPodNeeds) {
  Flights flights;
  ASSERT_TRUE(flights.in_flight.begin(make_pod("a")));
  flights.record(testing::node_add());
  ASSERT_TRUE(flights.in_flight.begin(make_pod("b")));
  flights.record(testing::volume_add());
  ASSERT_TRUE(flights.in_flight.begin(make_pod("c")));

  ASSERT_TRUE(flights.in_flight.end("b-uid"));
  EXPECT_EQ(flights.in_flight.event_count(), 2u) << "a is older and needs both";
  ASSERT_TRUE(flights.in_flight.end("a-uid"));
  EXPECT_EQ(flights.in_flight.event_count(), 0u) << "c has seen none";
  EXPECT_EQ(flights.in_flight.log(), Lines{"pod:default/c#c-uid"});
  ASSERT_TRUE(flights.in_flight.end("c-uid"));
  EXPECT_TRUE(flights.in_flight.empty());
  for (const auto& [label, count] : flights.metrics.in_flight_events) EXPECT_EQ(count, 0) << label;
}

TEST(InFlight, APodIsInFlightOnce) {
  Flights flights;
  EXPECT_TRUE(flights.in_flight.begin(make_pod("a")));
  EXPECT_FALSE(flights.in_flight.begin(make_pod("a")));
  EXPECT_EQ(flights.in_flight.size(), 1u);
  EXPECT_EQ(flights.metrics.in_flight_events["PodPopped"], 1);
  EXPECT_TRUE(flights.in_flight.end("a-uid"));
  EXPECT_FALSE(flights.in_flight.end("a-uid"));
}

TEST(InFlight, FindsThePodAsItWasPopped) {
  Flights flights;
  const api::PodPtr a = make_pod("a"), b = make_pod("b");
  ASSERT_TRUE(flights.in_flight.begin(a));
  ASSERT_TRUE(flights.in_flight.begin(b));
  EXPECT_EQ(flights.in_flight.find("a-uid"), a);
  EXPECT_EQ(flights.in_flight.find("unknown"), nullptr);
  EXPECT_EQ(flights.in_flight.pods(), (std::vector<api::PodPtr>{a, b}));
}

TEST(InFlight, ClearEndsAllFlights) {
  Flights flights;
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(flights.in_flight.begin(make_pod(name)));
  flights.record(testing::node_add());
  flights.in_flight.clear();
  EXPECT_TRUE(flights.in_flight.empty());
  EXPECT_EQ(flights.in_flight.event_count(), 0u);
  for (const auto& [label, count] : flights.metrics.in_flight_events) EXPECT_EQ(count, 0) << label;
}

TEST(InFlight, DropsTheOldestEventsBeyondTheLimitAndKnowsWhoMissedThem) {
  Flights flights(3);
  ASSERT_TRUE(flights.in_flight.begin(make_pod("early")));
  flights.record(testing::node_add());
  ASSERT_TRUE(flights.in_flight.begin(make_pod("late")));
  for (int i = 0; i < 3; ++i) flights.record(testing::volume_add());
  EXPECT_EQ(flights.in_flight.event_count(), 3u);
  EXPECT_TRUE(flights.in_flight.missed_events("early-uid"));
  EXPECT_FALSE(flights.in_flight.missed_events("late-uid"));
  flights.record(testing::volume_add());
  EXPECT_TRUE(flights.in_flight.missed_events("late-uid"));
  EXPECT_FALSE(flights.in_flight.missed_events("unknown"));

  ASSERT_TRUE(flights.in_flight.begin(make_pod("new")));
  EXPECT_FALSE(flights.in_flight.missed_events("new-uid"));
}

TEST(InFlight, HoldsABoundedNumberOfEventsHoweverManyPass) {
  constexpr std::size_t kLimit = 1000;
  Flights flights(kLimit);
  ASSERT_TRUE(flights.in_flight.begin(make_pod("a")));
  std::size_t most = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    flights.record(i % 2 == 0 ? testing::node_add() : testing::volume_add());
    most = std::max(most, flights.in_flight.event_count());
  }
  EXPECT_EQ(most, kLimit);
  EXPECT_EQ(flights.metrics.in_flight_events["NodeAdd"] + flights.metrics.in_flight_events["PersistentVolumeAdd"],
            static_cast<std::int64_t>(kLimit));
}

TEST(InFlightDeathTest, RecordsNothingWhileNothingIsInFlight) {
  Flights flights;
  EXPECT_DEATH(flights.record(testing::node_add()), "event NodeAdd with nothing in flight");
}

// The same through the queue: a pod that stays in flight for long.
TEST(InFlight, APodThatMissedEventsGoesToBackoffWhateverItsHintsWouldHaveSaid) {
  QueueOptions options = testing::options_with({on("Fit", testing::node_add(), testing::always(HintAnswer::kSkip))});
  options.max_in_flight_events = 64;
  SchedulingQueue queue(std::move(options));
  for (const char* name : {"slow", "quick"}) {
    ASSERT_TRUE(queue.add(testing::make_pod(name), at(0)));
  }
  PoppedPod slow = queue.pop(at(0));
  for (int i = 0; i < 1'000'000; ++i) ASSERT_TRUE(queue.move_all(testing::node_add(), {}, at(0)));
  EXPECT_EQ(queue.in_flight().event_count(), 64u);

  PoppedPod quick = queue.pop(at(0));
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(queue.move_all(testing::node_add(), {}, at(0)));
  ASSERT_TRUE(testing::give_back(queue, std::move(quick), {"Fit"}, at(1)));
  EXPECT_EQ(testing::place_of(queue, "quick"), Place::kUnschedulable) << "it saw all 64, and none is for it";
  ASSERT_TRUE(testing::give_back(queue, std::move(slow), {"Fit"}, at(1)));
  EXPECT_EQ(testing::place_of(queue, "slow"), Place::kBackoff);
  EXPECT_EQ(queue.in_flight().event_count(), 0u);
}

}  // namespace
}  // namespace berth::queue
