// The table of what releases do differently, one row a test. Each asks the queue, not the table in release.cc. Rows
// that say what a release did by mistake name the quirk and show both sides.
#include "berth/queue/release.h"

#include <gtest/gtest.h>

#include "berth/queue/counted_in_flight.h"
#include "berth/queue/scheduling_queue.h"
#include "berth/queue/testing.h"

namespace berth::queue {
namespace {

using testing::always;
using testing::at;
using testing::at_ms;
using testing::give_back;
using testing::make_pod;
using testing::node_add;
using testing::on;
using testing::place_of;
using testing::PodBuilder;
using testing::volume_add;

constexpr Release kReleases[] = {Release::kV1_17, Release::kV1_20, Release::kV1_28, Release::kV1_36};

// A queue of that release: "Fit" registers for node additions, and hints are on wherever there are any. For v1.36 pods
// are not popped out of backoff, so that there, too, one can wait for it.
QueueOptions options_of(Release release, std::vector<HintRegistration> hints = {on("Fit", node_add())}) {
  QueueOptions options = testing::options_with(std::move(hints));
  options.compatibility = release;
  options.pop_from_backoff = false;
  return options;
}

struct Releases {
  explicit Releases(QueueOptions options) : queue(std::move(options)) {}
  explicit Releases(Release release) : Releases(options_of(release)) {}

  void add(const api::PodPtr& pod, Instant now) { ASSERT_TRUE(queue.add(pod, now)); }
  // Pops whatever is next and gives it back.
  void fail(Instant now, std::initializer_list<std::string_view> rejectors) {
    PoppedPod popped = queue.pop(now);
    ASSERT_NE(popped, nullptr);
    ASSERT_TRUE(give_back(queue, std::move(popped), rejectors, now));
  }
  void move(const ClusterEvent& event, Instant now) { ASSERT_TRUE(queue.move_all(event, {}, now)); }
  void flush_backoff(Instant now) { ASSERT_TRUE(queue.flush_backoff_completed(now)); }
  Place place(std::string_view name) const { return place_of(queue, name); }

  SchedulingQueue queue;
};

TEST(Release, NamesAreThoseOfTheOption) {
  for (const Release release : kReleases) EXPECT_EQ(parse_release(to_string(release)), release);
  EXPECT_EQ(parse_release("v1.17.17"), Release::kV1_17);
  EXPECT_EQ(parse_release("v1.28.1"), Release::kV1_28);
  EXPECT_EQ(parse_release("v1.2"), std::nullopt);
  EXPECT_EQ(parse_release("v1.280"), std::nullopt);
  EXPECT_EQ(parse_release("v1.21.0"), std::nullopt);
  EXPECT_EQ(parse_release("latest"), std::nullopt);
}

// --- Backoff store and formula -------------------------------------------------------------------------------------

TEST(Release, V1_17KeepsBackoffByNameAndForgetsItAfterTwiceTheMaximum) {
  Releases old(Release::kV1_17);
  old.add(make_pod("a"), at(0));
  old.fail(at(0), {"Fit"});
  ASSERT_EQ(old.queue.backoff_records().all().at("default/a").failures, 1);
  // Its object goes and comes back; the record of the name is still there (20 s are twice the maximum).
  old.move(node_add(), at(5));
  old.fail(at(20), {"Fit"});
  EXPECT_EQ(old.queue.backoff_records().all().at("default/a").failures, 2);
  // Nothing was added to it for more than 20 s: the next failure of any pod drops it, and it starts again.
  old.move(node_add(), at(30));
  old.fail(at_ms(40'001), {"Fit"});
  EXPECT_EQ(old.queue.backoff_records().all().at("default/a").failures, 1);
}

TEST(Release, V1_17DoesNotCountAFailureWhileTheRecordedBackoffLasts) {
  Releases old(Release::kV1_17);
  old.add(make_pod("a"), at(0));
  old.fail(at(0), {"Fit"});
  const api::PodPtr pod = old.queue.get(Symbol("default"), "a")->pod;
  old.move(node_add(), at_ms(500));
  ASSERT_EQ(old.place("a"), Place::kBackoff);
  // An update makes a pod in backoff active, so it is tried early; that does not prolong its backoff.
  ASSERT_TRUE(old.queue.update(pod, PodBuilder(*pod).label("x", "y").build(), at_ms(600)));
  old.fail(at_ms(600), {"Fit"});
  EXPECT_EQ(old.queue.backoff_records().all().at("default/a").failures, 1);
  EXPECT_EQ(old.queue.backoff_ends_at(*old.queue.get(Symbol("default"), "a")), at(1));
}

TEST(Release, V1_17ForgetsBackoffWhenAnUnschedulablePodChanges) {
  Releases old(Release::kV1_17);
  const api::PodPtr pod = make_pod("a");
  old.add(pod, at(0));
  old.fail(at(0), {"Fit"});
  ASSERT_TRUE(old.queue.update(pod, PodBuilder(*pod).label("x", "y").build(), at(0)));
  EXPECT_TRUE(old.queue.backoff_records().all().empty());
  EXPECT_EQ(old.place("a"), Place::kActive);
}

TEST(Release, V1_17LeavesTheRecordOfADeletedActivePodOnlyWithTheQuirk) {
  for (const bool quirk : {false, true}) {
    QueueOptions options = options_of(Release::kV1_17);
    options.quirks.delete_keeps_backoff_record = quirk;
    Releases old(std::move(options));
    const api::PodPtr pod = make_pod("a");
    old.add(pod, at(0));
    old.fail(at(0), {"Fit"});
    old.move(node_add(), at(2));
    ASSERT_EQ(old.place("a"), Place::kActive);
    ASSERT_TRUE(old.queue.remove(*pod));
    EXPECT_EQ(old.queue.backoff_records().all().contains("default/a"), quirk);
  }
}

TEST(Release, V1_20AndV1_28ComputeBackoffFromAttemptsEvenForAPodNeverTried) {
  for (const Release release : {Release::kV1_20, Release::kV1_28}) {
    Releases old(release);
    old.add(make_pod("a"), at(0));
    EXPECT_EQ(old.queue.backoff_ends_at(*old.queue.get(Symbol("default"), "a")), at(1));
    const std::int64_t expected[] = {1, 2, 4, 8, 10, 10};
    for (int i = 0; i < 6; ++i) {
      old.fail(at(100 * i), {"Fit"});
      EXPECT_EQ(old.queue.backoff_ends_at(*old.queue.get(Symbol("default"), "a")), at(100 * i + expected[i])) << i;
      old.move(node_add(), at(100 * i + 50));
    }
    EXPECT_TRUE(old.queue.backoff_records().all().empty());
  }
}

TEST(Release, V1_36ComputesBackoffFromFailures) {
  Releases now(Release::kV1_36);
  now.add(make_pod("a"), at(0));
  EXPECT_FALSE(now.queue.backoff_ends_at(*now.queue.get(Symbol("default"), "a")).is_set());
}

TEST(Release, GatedPodsDoNotBackOffBeforeV1_36) {
  for (const Release release : {Release::kV1_28, Release::kV1_36}) {
    bool is_open = true;
    QueueOptions options = options_of(release, {on("Gate", node_add()), on("Fit", node_add())});
    options.pre_enqueue = {{testing::profile(), Symbol("Gate"), [&is_open](const api::Pod&) { return is_open; }}};
    Releases queue(std::move(options));
    const std::vector<api::PodPtr> pods = {make_pod("a")};
    queue.add(pods[0], at(0));
    queue.fail(at(0), {"Fit"});
    is_open = false;
    ASSERT_TRUE(queue.queue.activate(pods, at_ms(200)));
    ASSERT_TRUE(queue.queue.get(Symbol("default"), "a")->is_gated());
    is_open = true;
    queue.move(node_add(), at_ms(500));
    EXPECT_EQ(queue.place("a"), release == Release::kV1_28 ? Place::kActive : Place::kBackoff) << to_string(release);
  }
}

// --- Still backing off ---------------------------------------------------------------------------------------------

TEST(Release, APodIsDueInTheVeryInstantItsBackoffEndsBeforeV1_36) {
  for (const Release release : kReleases) {
    Releases queue(release);
    queue.add(make_pod("a"), at(0));
    queue.fail(at(0), {"Fit"});
    queue.move(node_add(), at_ms(500));
    ASSERT_EQ(queue.place("a"), Place::kBackoff) << to_string(release);
    const bool is_new = release == Release::kV1_36;
    EXPECT_EQ(queue.queue.next_flush_at(), at(1) + Duration::nanoseconds(is_new ? 1 : 0)) << to_string(release);
    queue.flush_backoff(at(1));
    EXPECT_EQ(queue.place("a"), is_new ? Place::kBackoff : Place::kActive) << to_string(release);
    queue.flush_backoff(at(1) + Duration::nanoseconds(1));
    EXPECT_EQ(queue.place("a"), Place::kActive) << to_string(release);
  }
}

TEST(Release, OnlyV1_36PopsFromBackoffEarly) {
  for (const Release release : kReleases) {
    QueueOptions options = options_of(release);
    options.pop_from_backoff = true;
    Releases queue(std::move(options));
    queue.add(make_pod("a"), at(0));
    queue.fail(at(0), {"Fit"});
    queue.move(node_add(), at_ms(500));
    ASSERT_EQ(queue.place("a"), Place::kBackoff) << to_string(release);
    EXPECT_EQ(queue.queue.pop(at_ms(600)) != nullptr, release == Release::kV1_36) << to_string(release);
  }
}

// --- Unschedulable timeout -----------------------------------------------------------------------------------------

TEST(Release, TheUnschedulableTimeoutIsSixtySecondsUntilItBecameAnOption) {
  for (const Release release : kReleases) {
    Releases queue(release);
    queue.add(make_pod("a"), at(0));
    queue.fail(at(0), {"Fit"});
    const bool is_constant = release == Release::kV1_17 || release == Release::kV1_20;
    ASSERT_TRUE(queue.queue.flush_unschedulable_leftover(at(60)));
    EXPECT_EQ(queue.place("a"), Place::kUnschedulable) << to_string(release);
    ASSERT_TRUE(queue.queue.flush_unschedulable_leftover(at_ms(60'001)));
    EXPECT_EQ(queue.place("a"), is_constant ? Place::kActive : Place::kUnschedulable) << to_string(release);
    ASSERT_TRUE(queue.queue.flush_unschedulable_leftover(at_ms(300'001)));
    EXPECT_EQ(queue.place("a"), Place::kActive) << to_string(release);
  }
}

// --- Requeue after failure -----------------------------------------------------------------------------------------

TEST(Release, AMoveDuringTheTrySendsAFailedPodToBackoff) {
  for (const Release release : kReleases) {
    for (const bool hints : {false, true}) {
      QueueOptions options = options_of(release);
      options.queueing_hints = hints;
      Releases queue(std::move(options));
      queue.add(make_pod("a"), at(0));
      PoppedPod popped = queue.queue.pop(at(0));
      queue.move(node_add(), at(0));
      ASSERT_TRUE(give_back(queue.queue, std::move(popped), {"Fit"}, at(0)));
      EXPECT_EQ(queue.place("a"), Place::kBackoff) << to_string(release) << " hints " << hints;
    }
  }
}

TEST(Release, WithoutHintsEventsThatThePodsRejectorsIgnoreCountToo) {
  for (const Release release : kReleases) {
    Releases queue(release);
    queue.add(make_pod("a"), at(0));
    PoppedPod popped = queue.queue.pop(at(0));
    queue.move(volume_add(), at(0));
    ASSERT_TRUE(give_back(queue.queue, std::move(popped), {"Fit"}, at(0)));
    const bool has_hints = release == Release::kV1_28 || release == Release::kV1_36;
    EXPECT_EQ(queue.place("a"), has_hints ? Place::kUnschedulable : Place::kBackoff) << to_string(release);
  }
}

TEST(Release, AnErrorMayHaveToWaitForAnEventBeforeV1_36) {
  for (const Release release : kReleases) {
    Releases queue(release);
    queue.add(make_pod("a"), at(0));
    queue.fail(at(0), {});
    EXPECT_EQ(queue.place("a"), release == Release::kV1_36 ? Place::kErrorBackoff : Place::kUnschedulable)
        << to_string(release);
  }
}

TEST(Release, V1_28LosesEventsInFlightOnlyWithTheQuirk) {
  for (const bool quirk : {false, true}) {
    QueueOptions options = options_of(Release::kV1_28);
    options.quirks.in_flight_events_get_lost = quirk;
    Releases queue(std::move(options));
    queue.add(make_pod("first", 9), at(0));
    queue.add(make_pod("second"), at(0));
    PoppedPod first = queue.queue.pop(at(0));
    queue.move(node_add(), at(0));
    // The second one remembers this event as the last before it; it goes with the end of the first one's flight.
    PoppedPod second = queue.queue.pop(at(0));
    queue.move(node_add(), at(0));
    ASSERT_TRUE(queue.queue.done("first-uid"));
    ASSERT_TRUE(give_back(queue.queue, std::move(second), {"Fit"}, at(0)));
    EXPECT_EQ(queue.place("second"), quirk ? Place::kUnschedulable : Place::kBackoff);
  }
}

// --- Hint results --------------------------------------------------------------------------------------------------

TEST(Release, OnlyAHintOfV1_28SkipsBackoffByItself) {
  for (const Release release : {Release::kV1_28, Release::kV1_36}) {
    Releases queue(options_of(release, {on("Fit", node_add(), always(HintAnswer::kQueue)),
                                        on("Fit", node_add(), always(HintAnswer::kQueueImmediately))}));
    queue.add(make_pod("a"), at(0));
    queue.fail(at(0), {"Fit"});
    queue.move(node_add(), at_ms(100));
    EXPECT_EQ(queue.place("a"), release == Release::kV1_28 ? Place::kActive : Place::kBackoff) << to_string(release);
  }
}

// --- Events --------------------------------------------------------------------------------------------------------

TEST(Release, AnEventWakesEverybodyBeforePluginsRegistered) {
  for (const Release release : kReleases) {
    Releases queue(options_of(release, {on("Fit", node_add()), on("Other", volume_add())}));
    queue.add(make_pod("a"), at(0));
    queue.fail(at(0), {"Fit"});
    queue.move(volume_add(), at(5));
    const bool wakes_all = release == Release::kV1_17 || release == Release::kV1_20;
    EXPECT_EQ(queue.place("a"), wakes_all ? Place::kActive : Place::kUnschedulable) << to_string(release);
  }
}

TEST(Release, AnEventNobodyRegisteredForIsAMoveBeforeV1_36) {
  for (const Release release : kReleases) {
    Releases queue(release);
    queue.add(make_pod("a"), at(0));
    queue.queue.pop(at(0));
    queue.move(volume_add(), at(0));
    EXPECT_EQ(queue.queue.move_request_cycle(), release == Release::kV1_36 ? -1 : 1) << to_string(release);
  }
}

TEST(Release, V1_28MatchesEventsByAnySharedAction) {
  const ClusterEvent registered(resource::kNode, action::kAdd | action::kUpdateNodeLabel);
  const ClusterEvent happened(resource::kNode, action::kAllOfV1_28 & ~(action::kAdd | action::kDelete));
  EXPECT_TRUE(matches(registered, happened, EventMatching::kSharedAction));
  EXPECT_FALSE(matches(registered, happened, EventMatching::kWithinRegistered));
  const ClusterEvent any(resource::kAny, action::kAdd);
  EXPECT_FALSE(matches(any, node_add(), EventMatching::kSharedAction));
  EXPECT_TRUE(matches(any, node_add(), EventMatching::kWithinRegistered));
  EXPECT_TRUE(ClusterEvent(resource::kAny, action::kAllOfV1_28).is_wildcard(EventMatching::kSharedAction));
  EXPECT_FALSE(ClusterEvent(resource::kAny, action::kAllOfV1_28).is_wildcard(EventMatching::kWithinRegistered));
}

TEST(Release, EveryParkedPodHasAWakeSet) {
  for (const Release release : kReleases) {
    Releases queue(release);
    queue.add(make_pod("a"), at(0));
    queue.fail(at(0), {"Fit"});
    const auto wake_set = queue.queue.wake_set(Symbol("default"), "a");
    ASSERT_TRUE(wake_set);
    EXPECT_EQ(wake_set->triggers.size(), 1u) << to_string(release);
    const bool is_constant = release == Release::kV1_17 || release == Release::kV1_20;
    EXPECT_EQ(wake_set->forced_try_at, at(is_constant ? 60 : 300)) << to_string(release);
  }
}

// --- Updates -------------------------------------------------------------------------------------------------------

TEST(Release, AnUpdateEndedBackoffInV1_17AndV1_20) {
  for (const Release release : kReleases) {
    Releases queue(release);
    const api::PodPtr pod = make_pod("a");
    queue.add(pod, at(0));
    queue.fail(at(0), {"Fit"});
    queue.move(node_add(), at_ms(100));
    ASSERT_EQ(queue.place("a"), Place::kBackoff);
    // Even if nothing but its status changes.
    ASSERT_TRUE(queue.queue.update(pod, PodBuilder(*pod).nominated("n1").build(), at_ms(200)));
    const bool ends = release == Release::kV1_17 || release == Release::kV1_20;
    EXPECT_EQ(queue.place("a"), ends ? Place::kActive : Place::kBackoff) << to_string(release);
  }
}

TEST(Release, AChangeOfAnUnschedulablePodMakesItActiveOrSendsItToBackoffOrIsAskedAbout) {
  const struct {
    Release release;
    Place expected;
  } kCases[] = {{Release::kV1_17, Place::kActive},
                {Release::kV1_20, Place::kActive},
                {Release::kV1_28, Place::kBackoff},
                {Release::kV1_36, Place::kUnschedulable}};
  for (const auto& [release, expected] : kCases) {
    Releases queue(release);
    const api::PodPtr pod = make_pod("a");
    queue.add(pod, at(0));
    queue.fail(at(0), {"Fit"});
    ASSERT_TRUE(queue.queue.update(pod, PodBuilder(*pod).nominated("n1").build(), at_ms(100)));
    EXPECT_EQ(queue.place("a"), Place::kUnschedulable) << to_string(release) << ", only the status changed";
    ASSERT_TRUE(queue.queue.update(pod, PodBuilder(*pod).label("x", "y").build(), at_ms(200)));
    EXPECT_EQ(queue.place("a"), expected) << to_string(release);
  }
}

TEST(Release, AFinalizerIsAChangeOnlyInV1_17AndV1_20) {
  for (const Release release : kReleases) {
    Releases queue(release);
    const api::PodPtr pod = make_pod("a");
    queue.add(pod, at(0));
    queue.fail(at(0), {"Fit"});
    PodBuilder changed(*pod);
    changed.pod().metadata.finalizers = std::vector<Symbol>{Symbol("example/finalizer")};
    ASSERT_TRUE(queue.queue.update(pod, changed.build(), at(50)));
    const bool counts = release == Release::kV1_17 || release == Release::kV1_20;
    EXPECT_EQ(queue.place("a"), counts ? Place::kActive : Place::kUnschedulable) << to_string(release);
  }
}

TEST(Release, AnUpdateDuringTheTryQueuesThePodTwiceOnlyWithTheQuirk) {
  for (const Release release : {Release::kV1_17, Release::kV1_20, Release::kV1_28}) {
    for (const bool quirk : {false, true}) {
      QueueOptions options = options_of(release);
      options.quirks.update_requeues_pod_in_flight = quirk;
      Releases queue(std::move(options));
      const api::PodPtr pod = make_pod("a");
      queue.add(pod, at(0));
      PoppedPod popped = queue.queue.pop(at(0));
      ASSERT_TRUE(queue.queue.update(pod, PodBuilder(*pod).label("x", "y").build(), at(0)));
      EXPECT_EQ(queue.place("a"), quirk ? Place::kActive : Place::kNone) << to_string(release);
      const auto returned = give_back(queue.queue, std::move(popped), {"Fit"}, at(0));
      EXPECT_EQ(returned.has_value(), !quirk) << to_string(release);
      // It has changed, so it is worth another attempt.
      EXPECT_EQ(queue.place("a"), quirk ? Place::kActive : Place::kBackoff) << to_string(release);
    }
  }
}

// --- PreEnqueue ----------------------------------------------------------------------------------------------------

TEST(Release, PreEnqueueExistsSinceV1_28) {
  for (const Release release : kReleases) {
    QueueOptions options = options_of(release);
    options.pre_enqueue = {{testing::profile(), Symbol("Gate"), [](const api::Pod&) { return false; }}};
    Releases queue(std::move(options));
    queue.add(make_pod("a"), at(0));
    const bool is_asked = release == Release::kV1_28 || release == Release::kV1_36;
    EXPECT_EQ(queue.place("a"), is_asked ? Place::kUnschedulable : Place::kActive) << to_string(release);
  }
}

TEST(Release, V1_28AsksGatesInTheirOrderAndV1_36TheOneThatHoldsThePodFirst) {
  for (const Release release : {Release::kV1_28, Release::kV1_36}) {
    bool first_is_open = true;
    QueueOptions options = options_of(release, {on("Second", node_add())});
    options.pre_enqueue = {
        {testing::profile(), Symbol("First"), [&first_is_open](const api::Pod&) { return first_is_open; }},
        {testing::profile(), Symbol("Second"), [](const api::Pod&) { return false; }}};
    Releases queue(std::move(options));
    queue.add(make_pod("a"), at(0));
    first_is_open = false;
    queue.move(node_add(), at(1));
    const QueuedPod* pod = queue.queue.get(Symbol("default"), "a");
    EXPECT_EQ(queue.queue.plugin_name(pod->gating_plugin).text(), release == Release::kV1_28 ? "First" : "Second");
  }
}

TEST(Release, V1_28TellsGatedPodsAboutAllEventsOfTheirRejectors) {
  for (const Release release : {Release::kV1_28, Release::kV1_36}) {
    bool is_open = true;
    QueueOptions options = options_of(release, {on("Fit", node_add()), on("Gate", volume_add())});
    options.pre_enqueue = {{testing::profile(), Symbol("Gate"), [&is_open](const api::Pod&) { return is_open; }}};
    Releases queue(std::move(options));
    queue.add(make_pod("a"), at(0));
    queue.fail(at(0), {"Fit"});
    is_open = false;
    queue.move(node_add(), at(5));
    ASSERT_EQ(queue.place("a"), Place::kUnschedulable);
    is_open = true;
    queue.move(node_add(), at(10));
    EXPECT_EQ(queue.place("a"), release == Release::kV1_28 ? Place::kActive : Place::kUnschedulable);
  }
}

// --- Activate ------------------------------------------------------------------------------------------------------

TEST(Release, ActivateExistsSinceV1_28AndReachesPodsInFlightInV1_36) {
  for (const Release release : kReleases) {
    Releases queue(release);
    const std::vector<api::PodPtr> pods = {make_pod("a")};
    queue.add(pods[0], at(0));
    queue.fail(at(0), {"Fit"});
    const bool exists = release == Release::kV1_28 || release == Release::kV1_36;
    EXPECT_EQ(queue.queue.activate(pods, at(0)).has_value(), exists) << to_string(release);
    EXPECT_EQ(queue.place("a"), exists ? Place::kActive : Place::kUnschedulable) << to_string(release);
    if (!exists) continue;
    PoppedPod popped = queue.queue.pop(at(0));
    ASSERT_TRUE(queue.queue.activate(pods, at(0)));
    ASSERT_TRUE(give_back(queue.queue, std::move(popped), {"Fit"}, at(0)));
    EXPECT_EQ(queue.place("a"), release == Release::kV1_36 ? Place::kBackoff : Place::kUnschedulable);
  }
}

// --- Pop on close, nominations, counting ---------------------------------------------------------------------------

TEST(Release, PopOnAClosedQueueWasAnErrorInV1_17AndV1_20) {
  EXPECT_EQ(rules_for(Release::kV1_17).closed_pop_error, "scheduling queue is closed");
  EXPECT_EQ(rules_for(Release::kV1_20).closed_pop_error, "scheduling queue is closed");
  EXPECT_EQ(rules_for(Release::kV1_28).closed_pop_error, "");
  EXPECT_EQ(rules_for(Release::kV1_36).closed_pop_error, "");
}

TEST(Release, ComingBackReadsTheNominationFromTheStatusAgainBeforeV1_36) {
  for (const Release release : kReleases) {
    Releases queue(release);
    const api::PodPtr pod = make_pod("a");
    queue.add(pod, at(0));
    queue.queue.nominate(*pod, {.mode = Nominating::Mode::kOverride, .node_name = Symbol("n1")});
    queue.fail(at(0), {"Fit"});
    const bool is_kept = release == Release::kV1_36;
    EXPECT_EQ(queue.queue.nominator().node_of("a-uid").text(), is_kept ? "n1" : "") << to_string(release);
  }
}

TEST(Release, WhoCanBeNominatedDependsOnThePodLister) {
  const struct {
    Release release;
    bool unknown_pod, assigned_pod;
  } kCases[] = {{Release::kV1_17, true, true},
                {Release::kV1_20, false, true},
                {Release::kV1_28, false, false},
                {Release::kV1_36, false, false}};
  for (const auto& [release, unknown_pod, assigned_pod] : kCases) {
    QueueOptions options = options_of(release);
    options.find_pod = [](Symbol, std::string_view name) -> api::PodPtr {
      return name == "assigned" ? PodBuilder("assigned").node("n9").build() : nullptr;
    };
    Releases queue(std::move(options));
    for (const char* name : {"unknown", "assigned"}) {
      queue.queue.nominate(*make_pod(name), {.mode = Nominating::Mode::kOverride, .node_name = Symbol("n1")});
    }
    EXPECT_EQ(!queue.queue.nominator().node_of("unknown-uid").empty(), unknown_pod) << to_string(release);
    EXPECT_EQ(!queue.queue.nominator().node_of("assigned-uid").empty(), assigned_pod) << to_string(release);
  }
}

TEST(Release, ANominationHoldsThePodItselfBeforeV1_36) {
  for (const Release release : kReleases) {
    Releases queue(release);
    PodBuilder builder("a");
    builder.pod().metadata.resource_version = "1";
    const api::PodPtr nominated = builder.build();
    builder.pod().metadata.resource_version = "2";
    queue.add(builder.build(), at(0));
    queue.queue.nominate(*nominated, {.mode = Nominating::Mode::kOverride, .node_name = Symbol("n1")});
    const auto pods = queue.queue.nominated_pods_for_node(Symbol("n1"));
    ASSERT_EQ(pods.size(), 1u);
    ASSERT_NE(pods[0].pod, nullptr);
    EXPECT_EQ(pods[0].pod->metadata.resource_version, release == Release::kV1_36 ? "2" : "1") << to_string(release);
  }
}

TEST(Release, AReplacedPodKeepsItsNominationInV1_28OnlyWithTheQuirk) {
  for (const bool quirk : {false, true}) {
    QueueOptions options = options_of(Release::kV1_28);
    options.quirks.replacement_keeps_nomination = quirk;
    Releases queue(std::move(options));
    const api::PodPtr pod = PodBuilder("a").nominated("n1").build();
    queue.add(pod, at(0));
    ASSERT_TRUE(queue.queue.update(pod, PodBuilder("a").uid("successor").build(), at(0)));
    EXPECT_EQ(queue.queue.nominator().for_node(Symbol("n1")).size(), quirk ? 1u : 0u);
  }
}

TEST(Release, NewPodsAreCountedUnderTheReleasesOwnNameAndUpdatesNotAtAllBeforeV1_36) {
  for (const Release release : kReleases) {
    CountingQueueMetrics metrics;
    QueueOptions options = options_of(release);
    options.metrics = &metrics;
    Releases queue(std::move(options));
    queue.add(make_pod("a"), at(0));
    ASSERT_TRUE(queue.queue.update(make_pod("b"), make_pod("b"), at(0)));
    const bool is_new = release == Release::kV1_36;
    EXPECT_EQ(metrics.incoming[is_new ? "active/UnschedulablePodAdd" : "active/PodAdd"], 1) << to_string(release);
    EXPECT_EQ(metrics.incoming["active/UnschedulablePodUpdate"], is_new ? 1 : 0) << to_string(release);
  }
}

TEST(Release, AGateThatRejectsTwiceIsCountedTwiceInV1_28OnlyWithTheQuirk) {
  for (const bool quirk : {false, true}) {
    CountingQueueMetrics metrics;
    QueueOptions options = options_of(Release::kV1_28, {on("Gate", node_add())});
    options.metrics = &metrics;
    options.quirks.gate_counts_every_rejection = quirk;
    options.pre_enqueue = {{testing::profile(), Symbol("Gate"), [](const api::Pod&) { return false; }}};
    Releases queue(std::move(options));
    queue.add(make_pod("a"), at(0));
    queue.move(node_add(), at(1));
    EXPECT_EQ(metrics.unschedulable["Gate/default-scheduler"], quirk ? 2 : 1);
  }
}

TEST(Release, TheFirstTryCountsFromArrivalInV1_17AndV1_20) {
  for (const Release release : kReleases) {
    bool is_open = false;
    QueueOptions options = options_of(release, {on("Gate", node_add())});
    options.pre_enqueue = {{testing::profile(), Symbol("Gate"), [&is_open](const api::Pod&) { return is_open; }}};
    Releases queue(std::move(options));
    queue.add(make_pod("a"), at(0));
    is_open = true;
    queue.move(node_add(), at(5));
    const bool is_old = release == Release::kV1_17 || release == Release::kV1_20;
    EXPECT_EQ(queue.queue.get(Symbol("default"), "a")->initial_attempt_timestamp, at(is_old ? 0 : 5))
        << to_string(release);
  }
}

TEST(Release, EachReleaseHasItsOwnWordsForAPodThatIsThereAlready) {
  EXPECT_EQ(rules_for(Release::kV1_17).already_present(Place::kActive, "ns/a"),
            "pod is already present in the activeQ");
  EXPECT_EQ(rules_for(Release::kV1_17).already_present(Place::kUnschedulable, "ns/a"),
            "pod is already present in unschedulableQ");
  EXPECT_EQ(rules_for(Release::kV1_20).already_present(Place::kActive, "ns/a"),
            "pod: ns/a is already present in the active queue");
  EXPECT_EQ(rules_for(Release::kV1_20).already_present(Place::kBackoff, "ns/a"),
            "pod ns/a is already present in the backoff queue");
  EXPECT_EQ(rules_for(Release::kV1_28).already_present(Place::kUnschedulable, "ns/a"),
            "Pod ns/a is already present in unschedulable queue");
  EXPECT_EQ(rules_for(Release::kV1_36).already_present(Place::kErrorBackoff, "ns/a"),
            "Pod ns/a is already present in the backoff queue");
}

TEST(Release, CloseEndsFlightsInV1_36) {
  for (const Release release : {Release::kV1_28, Release::kV1_36}) {
    Releases queue(release);
    queue.add(make_pod("a"), at(0));
    const PoppedPod popped = queue.queue.pop(at(0));
    ASSERT_TRUE(queue.queue.close());
    EXPECT_EQ(queue.queue.in_flight().empty(), release == Release::kV1_36) << to_string(release);
  }
}

TEST(Release, QueuedPodsCostTheSameUnderAllRules) {
  EXPECT_LE(sizeof(QueuedPod), 128u);
}

}  // namespace
}  // namespace berth::queue
