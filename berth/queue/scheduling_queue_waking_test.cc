#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/queue/scheduling_queue.h"
#include "berth/queue/testing.h"

// What wakes an unschedulable pod: events and hints, activation, the leftover timeout; and what the queue says would.

namespace berth::queue {
namespace {

using testing::add_rejected;
using testing::always;
using testing::at;
using testing::at_ms;
using testing::give_back;
using testing::make_pod;
using testing::node_add;
using testing::on;
using testing::options_with;
using testing::own_pod_only;
using testing::place_of;
using testing::PodBuilder;
using testing::volume_add;
using Names = std::vector<std::string>;

const Symbol kDefault("default");
const ClusterEvent kPodLabel{resource::kPod, action::kUpdatePodLabel};
const ClusterEvent kPodToleration{resource::kPod, action::kUpdatePodToleration};

EventObjects changed(const api::PodPtr& before, const api::PodPtr& after) {
  return {api::AnyObject(before), api::AnyObject(after)};
}

TEST(Waking, AnEventWakesPodsWhoseRejectorSaysSo) {
  SchedulingQueue queue(options_with({on("Fit", node_add()), on("Volumes", node_add(), always(HintAnswer::kSkip)),
                                      on("Volumes", volume_add(), always(HintAnswer::kError))}));
  ASSERT_TRUE(add_rejected(queue, make_pod("by-fit"), {"Fit"}, at(0)));
  ASSERT_TRUE(add_rejected(queue, make_pod("by-volumes"), {"Volumes"}, at(0)));
  ASSERT_TRUE(add_rejected(queue, make_pod("by-nobody-who-listens"), {"Deaf"}, at(0)));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  EXPECT_EQ(place_of(queue, "by-fit"), Place::kBackoff);
  EXPECT_EQ(place_of(queue, "by-volumes"), Place::kUnschedulable);
  ASSERT_TRUE(queue.move_all(volume_add(), {}, at(0)));
  EXPECT_EQ(place_of(queue, "by-volumes"), Place::kBackoff) << "an error counts as Queue";
  EXPECT_EQ(place_of(queue, "by-nobody-who-listens"), Place::kUnschedulable);
}

TEST(Waking, AfterItsBackoffAWokenPodIsActiveAtOnce) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(add_rejected(queue, make_pod("a"), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(2)));
  EXPECT_EQ(place_of(queue, "a"), Place::kActive);
}

TEST(Waking, APendingPluginSkipsBackoff) {
  SchedulingQueue queue(options_with({on("Other", node_add()), on("Permit", node_add())}));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  ASSERT_TRUE(give_back(queue, queue.pop(at(0)), {"Other", "Permit"}, at(0), {"Permit"}));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  EXPECT_EQ(place_of(queue, "a"), Place::kActive);
}

TEST(Waking, AnEventOfNoInterestLeavesNoTrace) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  const PoppedPod popped = queue.pop(at(0));
  ASSERT_TRUE(queue.move_all(volume_add(), {}, at(0)));
  EXPECT_EQ(queue.move_request_cycle(), -1);
  EXPECT_EQ(queue.in_flight().event_count(), 0u);
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  EXPECT_EQ(queue.move_request_cycle(), 1);
  EXPECT_EQ(queue.in_flight().event_count(), 1u);
}

TEST(Waking, APreCheckFiltersThePodsAnEventMayWake) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(add_rejected(queue, make_pod("low", 1), {"Fit"}, at(0)));
  ASSERT_TRUE(add_rejected(queue, make_pod("high", 9), {"Fit"}, at(0)));
  const auto is_low = [](const api::Pod& pod) { return api::priority_of(pod) <= 1; };
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0), PreCheck(is_low)));
  EXPECT_EQ(place_of(queue, "low"), Place::kBackoff);
  EXPECT_EQ(place_of(queue, "high"), Place::kUnschedulable);
}

TEST(Waking, WhatHappenedDuringAFlightDecidesWhereThePodGoes) {
  SchedulingQueue queue(options_with({on("Fit", node_add()), on("Fit", volume_add(), always(HintAnswer::kSkip))}));
  for (const char* name : {"before", "skip", "queue"}) ASSERT_TRUE(queue.add(make_pod(name), at(0)));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  PoppedPod before = queue.pop_specific(*make_pod("before"), at(0));
  ASSERT_TRUE(give_back(queue, std::move(before), {"Fit"}, at(0)));
  EXPECT_EQ(place_of(queue, "before"), Place::kUnschedulable) << "the event was before its flight";
  PoppedPod skip = queue.pop_specific(*make_pod("skip"), at(0));
  ASSERT_TRUE(queue.move_all(volume_add(), {}, at(0)));
  ASSERT_TRUE(give_back(queue, std::move(skip), {"Fit"}, at(0)));
  EXPECT_EQ(place_of(queue, "skip"), Place::kUnschedulable);
  PoppedPod queued = queue.pop_specific(*make_pod("queue"), at(0));
  ASSERT_TRUE(queue.move_all(volume_add(), {}, at(0)));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  ASSERT_TRUE(give_back(queue, std::move(queued), {"Fit"}, at(0)));
  EXPECT_EQ(place_of(queue, "queue"), Place::kBackoff);
}

TEST(Waking, APendingPluginsEventDuringAFlightOutdoesEarlierOnes) {
  SchedulingQueue queue(options_with({on("Fit", node_add()), on("Permit", volume_add())}));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  PoppedPod popped = queue.pop(at(0));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  ASSERT_TRUE(queue.move_all(volume_add(), {}, at(0)));
  ASSERT_TRUE(give_back(queue, std::move(popped), {"Fit", "Permit"}, at(0), {"Permit"}));
  EXPECT_EQ(place_of(queue, "a"), Place::kActive);
}

TEST(Waking, APodThatComesBackAfterDoneBacksOff) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  PoppedPod popped = queue.pop(at(0));
  ASSERT_TRUE(queue.done("a-uid"));
  ASSERT_TRUE(give_back(queue, std::move(popped), {"Fit"}, at(0)));
  EXPECT_EQ(place_of(queue, "a"), Place::kBackoff) << "nobody knows what happened meanwhile";
}

TEST(Waking, APodsOwnUpdateWakesItIfItsRejectorSaysSo) {
  SchedulingQueue queue(options_with({on("Fit", kPodLabel, own_pod_only())}));
  const api::PodPtr pod = make_pod("a");
  ASSERT_TRUE(add_rejected(queue, pod, {"Fit"}, at(0)));
  const api::PodPtr tolerant = PodBuilder(*pod).tolerate("x").build();
  ASSERT_TRUE(queue.update(pod, tolerant, at(0)));
  EXPECT_EQ(place_of(queue, "a"), Place::kUnschedulable);
  EXPECT_EQ(queue.get(kDefault, "a")->pod, tolerant);
  ASSERT_TRUE(queue.update(tolerant, PodBuilder(*tolerant).label("x", "y").build(), at(0)));
  EXPECT_EQ(place_of(queue, "a"), Place::kBackoff);
}

TEST(Waking, TheFirstOfSeveralEventsOfAnUpdateThatMovesThePodIsTheLast) {
  CountingQueueMetrics metrics;
  SchedulingQueue queue(options_with({on("Fit", kPodLabel), on("Fit", kPodToleration)}, &metrics));
  const api::PodPtr pod = make_pod("a");
  ASSERT_TRUE(add_rejected(queue, pod, {"Fit"}, at(0)));
  ASSERT_TRUE(queue.update(pod, PodBuilder(*pod).label("x", "y").tolerate("z").build(), at(9)));
  EXPECT_EQ(place_of(queue, "a"), Place::kActive);
  EXPECT_EQ(metrics.incoming["active/UnschedulablePodUpdatePodLabel"], 1);
  EXPECT_EQ(metrics.incoming.count("active/UnschedulablePodUpdatePodToleration"), 0u);
  EXPECT_EQ(metrics.hints_asked, 1);
}

TEST(Waking, AnUpdateDuringAFlightIsAnEventOfThatFlight) {
  SchedulingQueue queue(options_with({on("Fit", kPodLabel, own_pod_only())}));
  const api::PodPtr pod = make_pod("a"), other = make_pod("other");
  ASSERT_TRUE(queue.add(pod, at(0)));
  ASSERT_TRUE(queue.add(other, at(1)));
  PoppedPod popped = queue.pop(at(1)), popped_other = queue.pop(at(1));
  const api::PodPtr labelled = PodBuilder(*pod).label("x", "y").build();
  ASSERT_TRUE(queue.update(pod, labelled, at(1)));
  EXPECT_EQ(place_of(queue, "a"), Place::kNone);
  popped->pod = labelled;
  ASSERT_TRUE(give_back(queue, std::move(popped), {"Fit"}, at(1)));
  ASSERT_TRUE(give_back(queue, std::move(popped_other), {"Fit"}, at(1)));
  EXPECT_EQ(place_of(queue, "a"), Place::kBackoff);
  EXPECT_EQ(place_of(queue, "other"), Place::kUnschedulable) << "the update was not its own";
}

TEST(Waking, AHintIsAskedOncePerClass) {
  CountingQueueMetrics metrics;
  SchedulingQueue queue(options_with(
      {on("Fit", node_add(), always(HintAnswer::kQueue)), on("Fit", volume_add(), always(HintAnswer::kSkip))},
      &metrics));
  const api::PodPtr web = PodBuilder("web-0").label("app", "web").build();
  const api::PodPtr db = PodBuilder("db-0").label("app", "db").build();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(add_rejected(queue, PodBuilder(fmt::format("web-{}", i), *web).build(), {"Fit"}, at(0)));
    ASSERT_TRUE(add_rejected(queue, PodBuilder(fmt::format("db-{}", i), *db).build(), {"Fit"}, at(0)));
  }
  ASSERT_EQ(metrics.hints_asked, 0);
  ASSERT_TRUE(queue.move_all(volume_add(), {}, at(0)));
  EXPECT_EQ(metrics.hints_asked, 2) << "nobody wakes, and one of each class was asked";
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  EXPECT_EQ(metrics.hints_asked, 4);
  EXPECT_EQ(queue.count(Place::kBackoff), 200u) << "all wake on the answer of one";
}

TEST(Waking, ThePodThatTheEventIsAboutIsAskedByItself) {
  for (const bool is_first : {true, false}) {
    CountingQueueMetrics metrics;
    SchedulingQueue queue(options_with({on("Fit", kPodLabel, own_pod_only())}, &metrics));
    const api::PodPtr like = PodBuilder("pod-0").label("app", "web").build();
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(add_rejected(queue, PodBuilder(fmt::format("pod-{}", i), *like).build(), {"Fit"}, at(0)));
    }
    const api::PodPtr own = PodBuilder(is_first ? "pod-0" : "pod-49", *like).build();
    const ClusterEvent event(resource::kUnschedulablePod, action::kUpdatePodLabel);
    ASSERT_TRUE(queue.move_all(event, changed(own, own), at(0)));
    EXPECT_EQ(metrics.hints_asked, 2) << "the pod itself, and one for all others";
    EXPECT_EQ(queue.count(Place::kBackoff), 1u);
    EXPECT_EQ(place_of(queue, own->metadata.name), Place::kBackoff);
  }
}

TEST(Waking, AHintOfPodScopeIsAskedForEveryPod) {
  CountingQueueMetrics metrics;
  const Hint even_names = [](const api::Pod& pod, const EventObjects&) {
    return (pod.metadata.name.back() - '0') % 2 == 0 ? HintAnswer::kQueue : HintAnswer::kSkip;
  };
  SchedulingQueue queue(options_with({on("Fit", node_add(), even_names, HintScope::kPod)}, &metrics));
  const api::PodPtr like = make_pod("pod-0");
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(add_rejected(queue, PodBuilder(fmt::format("pod-{}", i), *like).build(), {"Fit"}, at(0)));
  }
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  EXPECT_EQ(metrics.hints_asked, 10);
  EXPECT_EQ(queue.count(Place::kBackoff), 5u);
  for (const char* name : {"pod-0", "pod-4", "pod-8"}) EXPECT_EQ(place_of(queue, name), Place::kBackoff);
}

TEST(Waking, AnEventThatNoRejectorRegisteredForAsksNobody) {
  CountingQueueMetrics metrics;
  SchedulingQueue queue(options_with({on("Fit", node_add()), on("Volumes", volume_add())}, &metrics));
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(add_rejected(queue, make_pod(fmt::format("pod-{}", i)), {"Fit"}, at(0)));
  }
  ASSERT_TRUE(queue.move_all(volume_add(), {}, at(0)));
  EXPECT_EQ(metrics.hints_asked, 0);
  EXPECT_EQ(queue.count(Place::kUnschedulable), 100u);
}

TEST(Waking, APodOfAProfileWithoutHintsIsWokenByAnythingOfInterest) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(add_rejected(queue, PodBuilder("foreign").scheduler("nobody").build(), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  EXPECT_EQ(place_of(queue, "foreign"), Place::kBackoff);
}

TEST(Waking, AGatedPodHearsOnlyWhatItsGateRegisteredFor) {
  bool open = false;
  QueueOptions options = options_with({on("Fit", node_add()), on("Gate", volume_add())});
  options.pre_enqueue = {{testing::profile(), Symbol("Gate"), [&open](const api::Pod&) { return open; }}};
  SchedulingQueue queue(std::move(options));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  open = true;
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  EXPECT_EQ(place_of(queue, "a"), Place::kUnschedulable);
  ASSERT_TRUE(queue.move_all(volume_add(), {}, at(0)));
  EXPECT_EQ(place_of(queue, "a"), Place::kActive);
}

TEST(Waking, ActivateMakesPodsActiveWhateverTheyWaitFor) {
  bool open = true;
  QueueOptions options = options_with({on("Fit", node_add())});
  options.pre_enqueue = {{testing::profile(), Symbol("Gate"),
                          [&open](const api::Pod& pod) { return open || pod.metadata.name != "gated"; }}};
  SchedulingQueue queue(std::move(options));
  ASSERT_TRUE(add_rejected(queue, make_pod("parked"), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.add(make_pod("errored"), at(0)));
  ASSERT_TRUE(give_back(queue, queue.pop(at(0)), {}, at(0)));
  open = false;
  ASSERT_TRUE(queue.add(make_pod("gated"), at(0)));
  const std::vector<api::PodPtr> pods = {make_pod("parked"), make_pod("errored"), make_pod("gated"),
                                         make_pod("unknown")};
  ASSERT_TRUE(queue.activate(pods, at(0)));
  EXPECT_EQ(place_of(queue, "parked"), Place::kActive);
  EXPECT_EQ(place_of(queue, "errored"), Place::kActive);
  EXPECT_EQ(place_of(queue, "gated"), Place::kUnschedulable);
  EXPECT_EQ(place_of(queue, "unknown"), Place::kNone);
}

TEST(Waking, ActivatingAPodInFlightMakesItTryAgain) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  for (const char* name : {"a", "b"}) ASSERT_TRUE(queue.add(make_pod(name), at(0)));
  PoppedPod a = queue.pop(at(0)), b = queue.pop(at(0));
  const api::PodPtr pods[] = {make_pod("a")};
  ASSERT_TRUE(queue.activate(pods, at(0)));
  ASSERT_TRUE(give_back(queue, std::move(a), {"Fit"}, at(0)));
  ASSERT_TRUE(give_back(queue, std::move(b), {"Fit"}, at(0)));
  EXPECT_EQ(place_of(queue, "a"), Place::kBackoff);
  EXPECT_EQ(place_of(queue, "b"), Place::kUnschedulable) << "it was not meant";
}

TEST(Waking, AnAssignedPodWakesPodsThatWantToBeNearIt) {
  SchedulingQueue queue(options_with({on("InterPodAffinity", {resource::kPod, action::kAll}),
                                      on("PodTopologySpread", {resource::kPod, action::kAll}),
                                      on("Fit", {resource::kPod, action::kAll})}));
  ASSERT_TRUE(
      add_rejected(queue, PodBuilder("near-web").affinity_to("app", "web").build(), {"InterPodAffinity"}, at(0)));
  ASSERT_TRUE(add_rejected(queue, PodBuilder("near-db").affinity_to("app", "db").build(), {"InterPodAffinity"}, at(0)));
  ASSERT_TRUE(add_rejected(queue, make_pod("spread"), {"PodTopologySpread"}, at(0)));
  ASSERT_TRUE(
      add_rejected(queue, PodBuilder("spread-elsewhere").name_space("other").build(), {"PodTopologySpread"}, at(0)));
  ASSERT_TRUE(add_rejected(queue, make_pod("too-big"), {"Fit"}, at(0)));
  const api::PodPtr web = PodBuilder("web").label("app", "web").node("n1").build();
  ASSERT_TRUE(queue.assigned_pod_added(web, at(0)));
  EXPECT_EQ(place_of(queue, "near-web"), Place::kBackoff);
  EXPECT_EQ(place_of(queue, "near-db"), Place::kUnschedulable);
  EXPECT_EQ(place_of(queue, "spread"), Place::kBackoff);
  EXPECT_EQ(queue.get(Symbol("other"), "spread-elsewhere")->place, Place::kUnschedulable);
  EXPECT_EQ(place_of(queue, "too-big"), Place::kUnschedulable);

  const api::PodPtr db = PodBuilder(*web).label("app", "db").build();
  const ClusterEvent relabelled(resource::kAssignedPod, action::kUpdatePodLabel);
  ASSERT_TRUE(queue.assigned_pod_updated(web, db, relabelled, at(0)));
  EXPECT_EQ(place_of(queue, "near-db"), Place::kBackoff);
  EXPECT_EQ(place_of(queue, "too-big"), Place::kUnschedulable);
  const ClusterEvent smaller(resource::kAssignedPod, action::kUpdatePodScaleDown);
  ASSERT_TRUE(queue.assigned_pod_updated(db, db, smaller, at(0)));
  EXPECT_EQ(place_of(queue, "too-big"), Place::kBackoff) << "fewer requests may make room for anybody";
}

TEST(Waking, TheLeftoverTimeoutTriesAPodAgainWithoutAnyEvent) {
  CountingQueueMetrics metrics;
  SchedulingQueue queue(options_with({on("Fit", node_add())}, &metrics));
  ASSERT_TRUE(add_rejected(queue, make_pod("old", 1), {"Deaf"}, at(0)));
  ASSERT_TRUE(add_rejected(queue, make_pod("young", 9), {"Deaf"}, at(1)));
  EXPECT_EQ(queue.next_flush_at(), at(300) + Duration::nanoseconds(1));
  ASSERT_TRUE(queue.flush_unschedulable_leftover(at(300)));
  EXPECT_EQ(place_of(queue, "old"), Place::kUnschedulable) << "not before it has waited longer than the limit";
  ASSERT_TRUE(queue.flush_unschedulable_leftover(queue.next_flush_at()));
  EXPECT_EQ(place_of(queue, "old"), Place::kActive);
  EXPECT_TRUE(queue.get(kDefault, "old")->was_flushed);
  EXPECT_EQ(place_of(queue, "young"), Place::kUnschedulable);
  ASSERT_TRUE(queue.flush_unschedulable_leftover(at(302)));
  EXPECT_EQ(metrics.incoming["active/UnschedulableTimeout"], 2);
  PoppedPod young = queue.pop(at(302));
  EXPECT_EQ(young->pod->metadata.name, "young") << "by priority, as always";
  ASSERT_TRUE(give_back(queue, std::move(young), {"Deaf"}, at(302)));
  EXPECT_FALSE(queue.get(kDefault, "young")->was_flushed) << "a new try, a new wait";
}

TEST(WakeSet, NamesTheEventsThatWouldWakeAParkedPod) {
  SchedulingQueue queue(options_with({on("Fit", node_add()), on("Volumes", volume_add()), on("Fit", kPodLabel)}));
  ASSERT_TRUE(add_rejected(queue, make_pod("a"), {"Fit"}, at(7)));
  const std::optional<WakeSet> set = queue.wake_set(kDefault, "a");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->place, Place::kUnschedulable);
  ASSERT_EQ(set->triggers.size(), 2u);
  EXPECT_EQ(set->triggers[0].event, node_add());
  EXPECT_EQ(set->triggers[0].plugin, "Fit");
  EXPECT_EQ(set->triggers[1].event, kPodLabel);
  EXPECT_TRUE(set->gating_plugin.empty());
  EXPECT_FALSE(set->backoff_ends_at.is_set());
  EXPECT_EQ(set->forced_try_at, at(307));
}

TEST(WakeSet, APodThatNobodyListensForIsTriedAtATimeAllTheSame) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(add_rejected(queue, make_pod("a"), {"Deaf"}, at(0)));
  EXPECT_TRUE(queue.wake_set(kDefault, "a")->triggers.empty());
  const Instant forced = queue.wake_set(kDefault, "a")->forced_try_at;
  ASSERT_TRUE(queue.flush_unschedulable_leftover(forced));
  EXPECT_EQ(place_of(queue, "a"), Place::kUnschedulable);
  ASSERT_TRUE(queue.flush_unschedulable_leftover(forced + Duration::nanoseconds(1)));
  EXPECT_EQ(place_of(queue, "a"), Place::kActive);
}

TEST(WakeSet, NamesTheGateThatHoldsAPodBack) {
  QueueOptions options = options_with({on("Gate", volume_add())});
  options.pre_enqueue = {{testing::profile(), Symbol("Gate"), [](const api::Pod&) { return false; }}};
  SchedulingQueue queue(std::move(options));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  const std::optional<WakeSet> set = queue.wake_set(kDefault, "a");
  EXPECT_EQ(set->gating_plugin, "Gate");
  ASSERT_EQ(set->triggers.size(), 1u);
  EXPECT_EQ(set->triggers[0].event, volume_add());
  EXPECT_EQ(set->forced_try_at, at(300));
}

TEST(WakeSet, SaysWhenBackoffEnds) {
  for (const bool windows : {true, false}) {
    QueueOptions options = options_with({on("Fit", node_add())});
    options.pop_from_backoff = windows;
    SchedulingQueue queue(std::move(options));
    ASSERT_TRUE(add_rejected(queue, make_pod("a"), {"Fit"}, at_ms(300)));
    ASSERT_TRUE(queue.move_all(node_add(), {}, at_ms(400)));
    const std::optional<WakeSet> set = queue.wake_set(kDefault, "a");
    EXPECT_EQ(set->place, Place::kBackoff);
    EXPECT_EQ(set->backoff_ends_at, windows ? at(1) : at_ms(1300));
    EXPECT_FALSE(set->forced_try_at.is_set());
    const Duration slack = windows ? Duration::seconds(1) : Duration::nanoseconds(1);
    ASSERT_TRUE(queue.flush_backoff_completed(set->backoff_ends_at + slack - Duration::nanoseconds(1)));
    EXPECT_EQ(place_of(queue, "a"), Place::kBackoff);
    ASSERT_TRUE(queue.flush_backoff_completed(set->backoff_ends_at + slack));
    EXPECT_EQ(place_of(queue, "a"), Place::kActive);
  }
}

TEST(WakeSet, IsOfPlaceOnlyForAnActivePodAndNothingForAnUnknownOne) {
  SchedulingQueue queue(options_with({}));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  EXPECT_EQ(queue.wake_set(kDefault, "a")->place, Place::kActive);
  EXPECT_FALSE(queue.wake_set(kDefault, "b"));
  const PoppedPod popped = queue.pop(at(0));
  EXPECT_FALSE(queue.wake_set(kDefault, "a"));
}

}  // namespace
}  // namespace berth::queue
