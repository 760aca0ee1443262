#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/queue/scheduling_queue.h"
#include "berth/queue/testing.h"

// Upstream's bugs, each in two tests or two halves of one: what Berth does, and what kube-scheduler v1.36.3 does, which
// Berth does too when the quirk is on. The table is in docs/conformance.md. Q-07's own test is in nominator_test.cc,
// those of older releases are in release_test.cc.

namespace berth::queue {
namespace {

using testing::add_rejected;
using testing::always;
using testing::at;
using testing::give_back;
using testing::make_pod;
using testing::node_add;
using testing::on;
using testing::options_with;
using testing::place_of;
using testing::PodBuilder;
using testing::volume_add;

const Symbol kDefault("default");

// A queue with one quirk on or all off, where "Fit" listens to node additions and "Gate", which also gates, to volumes.
struct Quirky {
  explicit Quirky(Quirks quirks, bool pop_from_backoff = true) : queue(options(quirks, pop_from_backoff)) {}
  QueueOptions options(Quirks quirks, bool pop_from_backoff) {
    QueueOptions options =
        options_with({on("Fit", node_add()), on("Fit", {resource::kPod, action::kUpdatePodLabel}),
                      on("Fit", {resource::kPod, action::kUpdatePodToleration}, always(HintAnswer::kSkip)),
                      on("Gate", volume_add())},
                     &metrics);
    options.pre_enqueue = {{testing::profile(), Symbol("Gate"), [this](const api::Pod&) { return open; }}};
    options.pop_from_backoff = pop_from_backoff;
    options.quirks = quirks;
    return options;
  }
  const QueuedPod& pod(std::string_view name) const { return *queue.get(kDefault, name); }

  CountingQueueMetrics metrics;
  bool open = true;
  SchedulingQueue queue;
};

const Instant kLongAfter = at(1000);  // more than 5 minutes after at(0)

TEST(Quirks, Q02TheLeftoverTimeoutMarksOnlyPodsThatItMoves) {
  for (const bool quirk : {false, true}) {
    Quirky quirky({.leftover_flush_skips_gated = quirk});
    quirky.open = false;
    ASSERT_TRUE(quirky.queue.add(make_pod("gated"), at(0)));
    ASSERT_TRUE(quirky.queue.flush_unschedulable_leftover(kLongAfter));
    EXPECT_TRUE(quirky.pod("gated").is_gated());
    EXPECT_EQ(quirky.pod("gated").was_flushed, quirk);
  }
}

TEST(Quirks, Q03TheLeftoverTimeoutAsksTheGateAgain) {
  for (const bool quirk : {false, true}) {
    Quirky quirky({.leftover_flush_skips_gated = quirk});
    quirky.open = false;
    ASSERT_TRUE(quirky.queue.add(make_pod("gated"), at(0)));
    quirky.open = true;  // and nobody saw it
    ASSERT_TRUE(quirky.queue.flush_unschedulable_leftover(kLongAfter));
    EXPECT_EQ(place_of(quirky.queue, "gated"), quirk ? Place::kUnschedulable : Place::kActive);
  }
}

TEST(Quirks, Q03APodThatIsStillGatedWaitsAnew) {
  Quirky quirky({});
  quirky.open = false;
  ASSERT_TRUE(quirky.queue.add(make_pod("gated"), at(0)));
  EXPECT_EQ(quirky.queue.wake_set(kDefault, "gated")->forced_try_at, at(300));
  ASSERT_TRUE(quirky.queue.flush_unschedulable_leftover(kLongAfter));
  EXPECT_EQ(quirky.queue.wake_set(kDefault, "gated")->forced_try_at, at(1300));
  EXPECT_EQ(quirky.queue.next_flush_at(), at(1300) + Duration::nanoseconds(1));
  EXPECT_EQ(quirky.metrics.pending["gated"], 1);
}

TEST(Quirks, Q04DeletingAPodTakesItsRejectorsOutOfTheGauge) {
  for (const bool quirk : {false, true}) {
    Quirky quirky({.delete_leaks_unschedulable_gauge = quirk});
    ASSERT_TRUE(add_rejected(quirky.queue, make_pod("backoff"), {"Fit"}, at(0)));
    ASSERT_TRUE(quirky.queue.move_all(node_add(), {}, at(0)));
    ASSERT_EQ(place_of(quirky.queue, "backoff"), Place::kBackoff);
    ASSERT_TRUE(quirky.queue.remove(*make_pod("backoff")));
    EXPECT_EQ(quirky.metrics.unschedulable["Fit/default-scheduler"], quirk ? 1 : 0);

    ASSERT_TRUE(add_rejected(quirky.queue, make_pod("parked"), {"Fit"}, at(0)));
    ASSERT_TRUE(quirky.queue.remove(*make_pod("parked")));
    EXPECT_EQ(quirky.metrics.unschedulable["Fit/default-scheduler"], quirk ? 1 : 0)
        << "unschedulable pods never leaked";
  }
}

// An update that changes the label (Fit says Queue) and the tolerations (Fit says Skip), with the pod backing off.
Place after_update_with_two_events(Quirky& quirky) {
  const api::PodPtr pod = make_pod("a");
  EXPECT_TRUE(add_rejected(quirky.queue, pod, {"Fit"}, at(0)));
  EXPECT_TRUE(quirky.queue.update(pod, PodBuilder(*pod).label("app", "web").tolerate("x").build(), at(0)));
  return place_of(quirky.queue, "a");
}

TEST(Quirks, Q06AnUpdateThatMovedThePodToBackoffStopsThere) {
  Quirky quirky({}, false);
  EXPECT_EQ(after_update_with_two_events(quirky), Place::kBackoff);
  EXPECT_EQ(quirky.queue.count(Place::kUnschedulable), 0u);
  EXPECT_EQ(quirky.metrics.pending["backoff"], 1);
}

// Upstream's pod is then in both places, which conformance cannot compare (the oracle gives such updates one event).
TEST(Quirks, Q06EvenWithTheQuirkAPodIsInOnePlace) {
  Quirky quirky({.update_goes_on_after_backoff = true}, false);
  after_update_with_two_events(quirky);
  EXPECT_EQ(quirky.queue.count(Place::kBackoff) + quirky.queue.count(Place::kUnschedulable), 1u);
}

TEST(Quirks, Q08APodThatIsGatedWhenItComesIsNominatedAllTheSame) {
  for (const bool quirk : {false, true}) {
    Quirky quirky({.gated_add_is_not_nominated = quirk});
    quirky.open = false;
    ASSERT_TRUE(quirky.queue.add(PodBuilder("gated").nominated("n1").build(), at(0)));
    EXPECT_EQ(quirky.queue.nominator().node_of("gated-uid"), Symbol(quirk ? "" : "n1"));
  }
}

TEST(Quirks, Q08AlsoIfItComesByAnUpdate) {
  for (const bool quirk : {false, true}) {
    Quirky quirky({.gated_add_is_not_nominated = quirk});
    quirky.open = false;
    ASSERT_TRUE(quirky.queue.update(make_pod("gated"), PodBuilder("gated").nominated("n1").build(), at(0)));
    EXPECT_EQ(quirky.queue.nominator().node_of("gated-uid"), Symbol(quirk ? "" : "n1"));
  }
}

TEST(Quirks, Q09TheTimeoutOfOnePodIsNoNewsForThoseInFlight) {
  for (const bool quirk : {false, true}) {
    Quirky quirky({.leftover_flush_wakes_in_flight = quirk});
    ASSERT_TRUE(add_rejected(quirky.queue, make_pod("old"), {"Fit"}, at(0)));
    ASSERT_TRUE(quirky.queue.add(make_pod("flying"), at(0)));
    PoppedPod flying = quirky.queue.pop(at(0));
    ASSERT_TRUE(quirky.queue.flush_unschedulable_leftover(kLongAfter));
    ASSERT_EQ(place_of(quirky.queue, "old"), Place::kActive);
    ASSERT_TRUE(give_back(quirky.queue, std::move(flying), {"Fit"}, kLongAfter));
    EXPECT_EQ(place_of(quirky.queue, "flying"), quirk ? Place::kBackoff : Place::kUnschedulable);
  }
}

TEST(Quirks, Q10AnUpdateOfAPodInFlightReachesItsNomination) {
  for (const bool quirk : {false, true}) {
    Quirky quirky({.in_flight_update_keeps_nomination = quirk});
    const api::PodPtr before = PodBuilder("a").nominated("n1").build();
    ASSERT_TRUE(quirky.queue.add(before, at(0)));
    const PoppedPod popped = quirky.queue.pop(at(0));
    ASSERT_TRUE(quirky.queue.update(before, PodBuilder(*before).nominated("n2").build(), at(0)));
    EXPECT_EQ(quirky.queue.nominator().node_of("a-uid"), Symbol(quirk ? "n1" : "n2"));
  }
}

TEST(Quirks, Q19AGatedSuccessorIsNotDropped) {
  for (const bool quirk : {false, true}) {
    Quirky quirky({.add_over_queued_pod = quirk});
    ASSERT_TRUE(quirky.queue.add(make_pod("a"), at(0)));
    quirky.open = false;
    const api::PodPtr successor = PodBuilder("a").uid("a-2").build();
    ASSERT_TRUE(quirky.queue.add(successor, at(1)));
    EXPECT_EQ(quirky.pod("a").uid(), quirk ? "a-uid" : "a-2");
    EXPECT_EQ(place_of(quirky.queue, "a"), quirk ? Place::kActive : Place::kUnschedulable);
    EXPECT_EQ(quirky.metrics.pending["active"], quirk ? 1 : 0);
  }
}

TEST(Quirks, Q24AddingOverAGatedPodKeepsTheGaugesRight) {
  for (const bool quirk : {false, true}) {
    Quirky quirky({.add_over_queued_pod = quirk});
    quirky.open = false;
    ASSERT_TRUE(quirky.queue.add(make_pod("a"), at(0)));
    quirky.open = true;
    ASSERT_TRUE(quirky.queue.add(PodBuilder("a").uid("a-2").build(), at(1)));
    EXPECT_EQ(place_of(quirky.queue, "a"), Place::kActive);
    EXPECT_EQ(quirky.metrics.pending["gated"], quirk ? 1 : 0);
    EXPECT_EQ(quirky.metrics.pending["unschedulable"], quirk ? -1 : 0);
    EXPECT_EQ(quirky.metrics.pending["active"], 1);
  }
}

TEST(Quirks, Q24AddingTheSamePodTwiceReplacesItUpstream) {
  Quirky quirky({.add_over_queued_pod = true});
  ASSERT_TRUE(add_rejected(quirky.queue, make_pod("a"), {"Fit"}, at(0)));
  ASSERT_TRUE(quirky.queue.add(make_pod("a"), at(1)));
  EXPECT_EQ(place_of(quirky.queue, "a"), Place::kActive);
  EXPECT_EQ(quirky.pod("a").attempts, 0);
}

TEST(Quirks, ANominatedPodInFlightIsItself) {
  for (const bool quirk : {false, true}) {
    Quirky quirky({.nominated_in_flight_is_a_stub = quirk});
    const api::PodPtr pod = PodBuilder("a").priority(9).nominated("n1").build();
    ASSERT_TRUE(quirky.queue.add(pod, at(0)));
    const PoppedPod popped = quirky.queue.pop(at(0));
    const std::vector<NominatedPod> nominated = quirky.queue.nominated_pods_for_node(Symbol("n1"));
    ASSERT_EQ(nominated.size(), 1u);
    EXPECT_EQ(nominated[0].pod, quirk ? nullptr : pod);
    EXPECT_EQ(nominated[0].nomination.uid, "a-uid");
  }
}

TEST(Quirks, AClosedQueueTakesNothingMore) {
  for (const bool quirk : {false, true}) {
    Quirky quirky({.works_when_closed = quirk});
    ASSERT_TRUE(quirky.queue.close());
    EXPECT_EQ(quirky.queue.add(make_pod("a"), at(0)).has_value(), quirk);
    EXPECT_EQ(place_of(quirky.queue, "a"), quirk ? Place::kActive : Place::kNone);
  }
}

TEST(Quirks, WithoutHintsAnUpdateOfAPodInFlightDoesNotQueueItTwice) {
  for (const bool quirk : {false, true}) {
    CountingQueueMetrics metrics;
    QueueOptions options = options_with({on("Fit", node_add())}, &metrics);
    options.queueing_hints = false;
    options.quirks.update_requeues_pod_in_flight = quirk;
    SchedulingQueue queue(std::move(options));
    const api::PodPtr before = make_pod("a"), after = PodBuilder("a").label("app", "web").build();
    ASSERT_TRUE(queue.add(before, at(0)));
    PoppedPod popped = queue.pop(at(0));
    ASSERT_TRUE(queue.update(before, after, at(0)));
    EXPECT_EQ(place_of(queue, "a"), quirk ? Place::kActive : Place::kNone);
    popped->pod = after;
    const auto given_back = give_back(queue, std::move(popped), {"Fit"}, at(0));
    EXPECT_EQ(given_back.has_value(), !quirk);
    EXPECT_EQ(place_of(queue, "a"), quirk ? Place::kActive : Place::kBackoff) << "the update is worth another attempt";
  }
}

TEST(Quirks, AreOffByDefault) {
  EXPECT_FALSE(Quirks().leftover_flush_skips_gated);
  EXPECT_FALSE(Quirks::none().add_over_queued_pod);
  const Quirks upstream = Quirks::upstream();
  EXPECT_TRUE(upstream.leftover_flush_skips_gated && upstream.delete_leaks_unschedulable_gauge &&
              upstream.update_goes_on_after_backoff && upstream.cleared_nomination_stays &&
              upstream.gated_add_is_not_nominated && upstream.leftover_flush_wakes_in_flight &&
              upstream.in_flight_update_keeps_nomination && upstream.add_over_queued_pod &&
              upstream.nominated_in_flight_is_a_stub && upstream.works_when_closed &&
              upstream.update_requeues_pod_in_flight);
}

}  // namespace
}  // namespace berth::queue
