#include "berth/daemon/event_series.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "berth/api/names.h"

namespace berth::daemon {
namespace {

const Rng kRng(7);
constexpr Instant kStart = Instant::from_unix_seconds(1'800'000'000);

api::Event event_about(std::string_view pod, Instant made_at = kStart) {
  api::Event event;
  event.metadata.name = event_name(pod, made_at, kRng);
  event.metadata.name_space = Symbol("default");
  event.event_time.at = made_at;
  event.type = Symbol("Warning");
  event.action = Symbol("Scheduling");
  event.reason = Symbol("FailedScheduling");
  event.reporting_controller = Symbol("default-scheduler");
  event.reporting_instance = Symbol("default-scheduler-host");
  event.regarding.kind = Symbol("Pod");
  event.regarding.name_space = Symbol("default");
  event.regarding.name = pod;
  event.regarding.uid = "uid";
  event.regarding.resource_version = "1";
  event.note = "no room";
  return event;
}

TEST(EventName, IsTheObjectAndTheTimeInHexadecimal) {
  EXPECT_EQ(event_name("web", Instant::from_unix_nanoseconds(0x18a2b3c4d5e6f708), kRng), "web.18a2b3c4d5e6f708");
}

TEST(EventName, IsAUuidWhereTheObjectsNameDoesNotFit) {
  const std::string long_name(250, 'x');
  const std::string name = event_name(long_name, kStart, kRng);
  ASSERT_EQ(name.size(), 36u);
  EXPECT_EQ(name[14], '4');
  EXPECT_NE(std::string_view("89ab").find(name[19]), std::string_view::npos);
  EXPECT_TRUE(api::dns_subdomain_errors(name).empty());
  EXPECT_EQ(name, event_name(long_name, kStart, kRng));
  EXPECT_NE(name, event_name(long_name, kStart + Duration::nanoseconds(1), kRng));
  EXPECT_NE(name, event_name(long_name, kStart, Rng(8)));
}

TEST(EventSeries, MakesTheSecondOccurrenceASeriesOfTheFirstObject) {
  EventSeries series({}, kRng);
  EXPECT_TRUE(series.observe(event_about("web"), kStart, kStart).is_new);
  const Instant later = kStart + Duration::seconds(5);
  const auto second = series.observe(event_about("web", later), later, later);
  EXPECT_FALSE(second.is_new);
  ASSERT_NE(second.repeated, nullptr);
  EXPECT_EQ(second.repeated->event.metadata.name, event_name("web", kStart, kRng));
  EXPECT_EQ(second.repeated->event.event_time.at, kStart);
  EXPECT_EQ(second.repeated->event.series->count, 2);
  EXPECT_EQ(second.repeated->event.series->last_observed_time.at, later);
  EXPECT_EQ(series.single_count(), 0u);
}

TEST(EventSeries, OnlyCountsFromTheThirdOn) {
  EventSeries series({}, kRng);
  series.observe(event_about("web"), kStart, kStart);
  const auto repeated = series.observe(event_about("web"), kStart, kStart).repeated;
  for (int i = 0; i < 5; ++i) {
    const auto again = series.observe(event_about("web"), kStart, kStart);
    EXPECT_FALSE(again.is_new);
    EXPECT_EQ(again.repeated, nullptr);
  }
  EXPECT_EQ(repeated->event.series->count, 7);
}

TEST(EventSeries, TellsEventsApartByEverythingButTheNote) {
  const std::pair<std::string_view, void (*)(api::Event&)> changes[] = {
      {"type", [](api::Event& e) { e.type = Symbol("Normal"); }},
      {"action", [](api::Event& e) { e.action = Symbol("Binding"); }},
      {"reason", [](api::Event& e) { e.reason = Symbol("Scheduled"); }},
      {"controller", [](api::Event& e) { e.reporting_controller = Symbol("other"); }},
      {"instance", [](api::Event& e) { e.reporting_instance = Symbol("other-host"); }},
      {"name", [](api::Event& e) { e.regarding.name = "db"; }},
      {"namespace", [](api::Event& e) { e.regarding.name_space = Symbol("shop"); }},
      {"uid", [](api::Event& e) { e.regarding.uid = "other"; }},
      {"resourceVersion", [](api::Event& e) { e.regarding.resource_version = "2"; }},
      {"related", [](api::Event& e) { e.related = e.regarding; }},
  };
  for (const auto& [what, change] : changes) {
    EventSeries series({}, kRng);
    series.observe(event_about("web"), kStart, kStart);
    api::Event other = event_about("web");
    change(other);
    EXPECT_TRUE(series.observe(other, kStart, kStart).is_new) << what;
  }
  EventSeries series({}, kRng);
  series.observe(event_about("web"), kStart, kStart);
  api::Event other = event_about("web");
  other.note = "still no room";
  EXPECT_FALSE(series.observe(other, kStart, kStart).is_new);
}

TEST(EventSeries, FinishesWhatWasNotSeenForSixMinutes) {
  EventSeries series({}, kRng);
  series.observe(event_about("single"), kStart, kStart);
  series.observe(event_about("idle"), kStart, kStart);
  series.observe(event_about("idle"), kStart, kStart);
  series.observe(event_about("busy"), kStart, kStart);
  series.observe(event_about("busy"), kStart, kStart);
  EXPECT_TRUE(series.finish_idle(kStart + kSeriesIdle).empty());
  const Instant later = kStart + kSeriesIdle + Duration::seconds(1);
  series.observe(event_about("busy"), later, later);
  const auto finished = series.finish_idle(later);
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0]->event.regarding.name, "idle");
  EXPECT_EQ(series.single_count(), 0u);
  ASSERT_EQ(series.active().size(), 1u);
  EXPECT_EQ(series.active()[0]->event.regarding.name, "busy");
  EXPECT_TRUE(series.observe(event_about("idle"), later, later).is_new);
}

TEST(EventSeries, ForgetsTheOldestSingleEventBeyondItsLimit) {
  EventSeries series({.max_single = 3, .max_repeated = 3}, kRng);
  for (const char* pod : {"a", "b", "c", "d"}) series.observe(event_about(pod), kStart, kStart);
  EXPECT_EQ(series.single_count(), 3u);
  EXPECT_FALSE(series.observe(event_about("b"), kStart, kStart).is_new);
  EXPECT_TRUE(series.observe(event_about("a"), kStart, kStart).is_new);
}

TEST(EventSeries, FinishesTheSeriesThatWasNotSeenForLongestBeyondItsLimit) {
  EventSeries series({.max_single = 10, .max_repeated = 2}, kRng);
  for (const char* pod : {"a", "b"}) {
    series.observe(event_about(pod), kStart, kStart);
    series.observe(event_about(pod), kStart, kStart);
  }
  series.observe(event_about("a"), kStart, kStart);
  series.observe(event_about("c"), kStart, kStart);
  const auto observed = series.observe(event_about("c"), kStart, kStart);
  ASSERT_NE(observed.finished, nullptr);
  EXPECT_EQ(observed.finished->event.regarding.name, "b");
  EXPECT_EQ(series.repeated_count(), 2u);
}

TEST(EventSeries, StaysWithinItsLimitsWhateverComes) {
  EventSeries series({.max_single = 50, .max_repeated = 20}, kRng);
  Rng rng(3);
  Instant now = kStart;
  for (int i = 0; i < 20'000; ++i) {
    now = now + Duration::milliseconds(rng.in_range(0, 2'000));
    series.observe(event_about(fmt::format("p{}", rng.below(200))), now, now);
    if (i % 200 == 0) (void)series.finish_idle(now);
    ASSERT_LE(series.single_count(), 50u);
    ASSERT_LE(series.repeated_count(), 20u);
    ASSERT_EQ(series.active().size(), series.repeated_count());
  }
}

}  // namespace
}  // namespace berth::daemon
