#include "berth/queue/scheduling_queue.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/queue/testing.h"

// How pods come, are tried and come back. What wakes them is in scheduling_queue_waking_test.cc, calls that make no
// sense are in scheduling_queue_errors_test.cc, upstream's bugs in scheduling_queue_quirks_test.cc.

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
using testing::place_of;
using testing::PodBuilder;
using Names = std::vector<std::string>;

const Symbol kDefault("default");

TEST(SchedulingQueue, PopsByPriorityThenByTimeOfArrival) {
  SchedulingQueue queue(options_with({}));
  ASSERT_TRUE(queue.add(make_pod("low", 1), at(0)));
  ASSERT_TRUE(queue.add(make_pod("high-later", 9), at(2)));
  ASSERT_TRUE(queue.add(make_pod("high", 9), at(1)));
  ASSERT_TRUE(queue.add(make_pod("none"), at(0)));
  EXPECT_EQ(testing::drain(queue, at(3)), (Names{"high", "high-later", "low", "none"}));
}

TEST(SchedulingQueue, PopsInTheOrderOfACustomQueueSort) {
  QueueOptions options = options_with({});
  options.queue_sort = [](const QueuedPod& a, const QueuedPod& b) {
    return a.pod->metadata.name > b.pod->metadata.name;
  };
  SchedulingQueue queue(std::move(options));
  for (const char* name : {"b", "c", "a"}) ASSERT_TRUE(queue.add(make_pod(name), at(0)));
  EXPECT_EQ(testing::drain(queue, at(0)), (Names{"c", "b", "a"}));
}

TEST(SchedulingQueue, EqualPodsComeOutInTheOrderOfTheHeapOfKubeScheduler) {
  SchedulingQueue queue(options_with({}));
  for (const char* name : {"0", "1", "2", "3", "4"}) ASSERT_TRUE(queue.add(make_pod(name), at(0)));
  EXPECT_EQ(testing::drain(queue, at(0)), (Names{"0", "4", "3", "2", "1"}));
}

TEST(SchedulingQueue, GivesTheSameOrderForTheSameCalls) {
  const auto run = [] {
    SchedulingQueue queue(options_with({on("Fit", node_add())}));
    Names order;
    for (int i = 0; i < 200; ++i) {
      EXPECT_TRUE(queue.add(make_pod(fmt::format("pod-{}", i * 7919 % 1000), i % 5), at(i % 3)));
      if (i % 3 != 0) continue;
      PoppedPod popped = queue.pop(at(3));
      order.push_back(popped->pod->metadata.name);
      if (i % 2 == 0) {
        EXPECT_TRUE(give_back(queue, std::move(popped), {"Fit"}, at(3)));
      } else {
        EXPECT_TRUE(give_back(queue, std::move(popped), {}, at(3)));
      }
      if (i % 30 == 0) {
        EXPECT_TRUE(queue.move_all(node_add(), {}, at(4)));
      }
    }
    EXPECT_TRUE(queue.flush_backoff_completed(at(100)));
    EXPECT_TRUE(queue.flush_unschedulable_leftover(at(1000)));
    EXPECT_TRUE(queue.flush_backoff_completed(at(1000)));
    const Names rest = testing::drain(queue, at(1000));
    order.insert(order.end(), rest.begin(), rest.end());
    return order;
  };
  const Names first = run();
  EXPECT_EQ(first.size(), 200u + 67u);
  EXPECT_EQ(run(), first);
}

TEST(SchedulingQueue, APoppedPodIsInFlightUntilDone) {
  SchedulingQueue queue(options_with({}));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  EXPECT_EQ(queue.scheduling_cycle(), 0);
  const PoppedPod popped = queue.pop(at(1));
  ASSERT_NE(popped, nullptr);
  EXPECT_EQ(popped->attempts, 1);
  EXPECT_EQ(popped->initial_attempt_timestamp, at(0));
  EXPECT_EQ(queue.scheduling_cycle(), 1);
  EXPECT_TRUE(queue.in_flight().contains("a-uid"));
  EXPECT_EQ(queue.get(kDefault, "a"), nullptr);
  EXPECT_EQ(queue.pop(at(1)), nullptr);
  ASSERT_TRUE(queue.done("a-uid"));
  EXPECT_TRUE(queue.in_flight().empty());
}

TEST(SchedulingQueue, ARejectedPodIsParkedAndKeepsItsHistory) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(add_rejected(queue, make_pod("a"), {"Fit"}, at(5)));
  const QueuedPod* pod = queue.get(kDefault, "a");
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->place, Place::kUnschedulable);
  EXPECT_EQ(pod->attempts, 1);
  EXPECT_EQ(pod->unschedulable_count, 1);
  EXPECT_EQ(pod->consecutive_errors, 0);
  EXPECT_EQ(pod->timestamp, at(5));
  EXPECT_EQ(queue.backoff_ends_at(*pod), at(6));
  EXPECT_TRUE(queue.in_flight().empty());
}

TEST(SchedulingQueue, APodThatFailedWithAnErrorBacksOffAndIsNeverPoppedEarly) {
  SchedulingQueue queue(options_with({}));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  ASSERT_TRUE(give_back(queue, queue.pop(at(0)), {}, at(0)));
  EXPECT_EQ(place_of(queue, "a"), Place::kErrorBackoff);
  EXPECT_EQ(queue.get(kDefault, "a")->consecutive_errors, 1);
  EXPECT_EQ(queue.pop(at(0)), nullptr);
  EXPECT_EQ(queue.next_flush_at(), at(2));
  ASSERT_TRUE(queue.flush_backoff_completed(at_ms(1999)));
  EXPECT_EQ(queue.pop(at_ms(1999)), nullptr);
  ASSERT_TRUE(queue.flush_backoff_completed(at(2)));
  EXPECT_EQ(testing::drain(queue, at(2)), Names{"a"});
}

TEST(SchedulingQueue, ErrorsAndRejectionsAreCountedApart) {
  SchedulingQueue queue(options_with({}));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  ASSERT_TRUE(give_back(queue, queue.pop(at(0)), {}, at(0)));
  ASSERT_TRUE(give_back(queue, queue.pop_specific(*make_pod("a"), at(0)), {}, at(0)));
  EXPECT_EQ(queue.get(kDefault, "a")->consecutive_errors, 2);
  ASSERT_TRUE(give_back(queue, queue.pop_specific(*make_pod("a"), at(0)), {"Fit"}, at(0)));
  EXPECT_EQ(queue.get(kDefault, "a")->consecutive_errors, 0);
  EXPECT_EQ(queue.get(kDefault, "a")->unschedulable_count, 1);
  EXPECT_EQ(queue.get(kDefault, "a")->attempts, 3);
}

TEST(SchedulingQueue, BackoffGrowsWithEveryRejection) {
  for (const bool windows : {true, false}) {
    QueueOptions options = options_with({on("Fit", node_add())});
    options.pop_from_backoff = windows;
    SchedulingQueue queue(std::move(options));
    ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
    Instant now = at(0);
    for (const std::int64_t seconds : {1, 2, 4, 8, 10, 10, 10}) {
      ASSERT_TRUE(give_back(queue, queue.pop(now), {"Fit"}, now));
      ASSERT_TRUE(queue.move_all(node_add(), {}, now));
      ASSERT_EQ(place_of(queue, "a"), Place::kBackoff);
      const Instant leaves = now + Duration::seconds(seconds) + Duration::nanoseconds(windows ? 1'000'000'000 : 1);
      EXPECT_EQ(queue.next_flush_at(), leaves);
      ASSERT_TRUE(queue.flush_backoff_completed(leaves - Duration::nanoseconds(1)));
      EXPECT_EQ(place_of(queue, "a"), Place::kBackoff) << seconds;
      ASSERT_TRUE(queue.flush_backoff_completed(leaves));
      EXPECT_EQ(place_of(queue, "a"), Place::kActive) << seconds;
      now = leaves.floor_to_second();
    }
  }
}

TEST(SchedulingQueue, ARetriedPodGoesBehindItsEquals) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(queue.add(make_pod("retried", 5), at(0)));
  ASSERT_TRUE(queue.add(make_pod("newer", 5), at(1)));
  ASSERT_TRUE(give_back(queue, queue.pop(at(2)), {"Fit"}, at(2)));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(100)));
  EXPECT_EQ(testing::drain(queue, at(100)), (Names{"newer", "retried"}));
}

TEST(SchedulingQueue, AHighPriorityInBackoffDoesNotBlockOthers) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(add_rejected(queue, make_pod("high", 9), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  ASSERT_TRUE(queue.add(make_pod("low", 1), at(0)));
  EXPECT_EQ(queue.pop(at(0))->pod->metadata.name, "low");
  EXPECT_EQ(queue.pop(at(0))->pod->metadata.name, "high") << "early, since nothing else is there";
}

TEST(SchedulingQueue, WithoutPopFromBackoffARejectedPodWaitsItOut) {
  QueueOptions options = options_with({on("Fit", node_add())});
  options.pop_from_backoff = false;
  SchedulingQueue queue(std::move(options));
  ASSERT_TRUE(add_rejected(queue, make_pod("a"), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  EXPECT_EQ(place_of(queue, "a"), Place::kBackoff);
  EXPECT_EQ(queue.pop(at(0)), nullptr);
}

TEST(SchedulingQueue, WithoutBackoffAFailedPodIsActiveAtOnce) {
  QueueOptions options = options_with({});
  options.maximum_backoff = Duration();
  SchedulingQueue queue(std::move(options));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  ASSERT_TRUE(give_back(queue, queue.pop(at(0)), {}, at(0)));
  EXPECT_EQ(place_of(queue, "a"), Place::kActive);
}

TEST(SchedulingQueue, PopSpecificTakesAPodFromWhereverItWaits) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(add_rejected(queue, make_pod("backoff"), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  ASSERT_TRUE(queue.add(make_pod("errored"), at(0)));
  ASSERT_TRUE(give_back(queue, queue.pop(at(0)), {}, at(0)));
  ASSERT_TRUE(queue.add(make_pod("parked"), at(0)));
  ASSERT_TRUE(give_back(queue, queue.pop(at(0)), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.add(make_pod("active"), at(0)));
  ASSERT_EQ(place_of(queue, "parked"), Place::kUnschedulable);
  ASSERT_EQ(place_of(queue, "errored"), Place::kErrorBackoff);
  ASSERT_EQ(place_of(queue, "backoff"), Place::kBackoff);
  for (const char* name : {"parked", "errored", "backoff", "active"}) {
    const std::int64_t cycle = queue.scheduling_cycle();
    const PoppedPod popped = queue.pop_specific(*make_pod(name), at(0));
    ASSERT_NE(popped, nullptr) << name;
    EXPECT_EQ(popped->pod->metadata.name, name);
    EXPECT_EQ(queue.scheduling_cycle(), cycle + 1);
    EXPECT_TRUE(queue.in_flight().contains(popped->uid()));
  }
  EXPECT_EQ(queue.pop_specific(*make_pod("active"), at(0)), nullptr) << "in flight already";
  EXPECT_EQ(queue.pop_specific(*make_pod("unknown"), at(0)), nullptr);
}

TEST(SchedulingQueue, AGatedPodIsNotActiveUntilItsGateOpens) {
  bool open = false;
  QueueOptions options = options_with({on("Gate", node_add())});
  options.pre_enqueue = {{testing::profile(), Symbol("Gate"), [&open](const api::Pod&) { return open; }}};
  SchedulingQueue queue(std::move(options));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  EXPECT_EQ(place_of(queue, "a"), Place::kUnschedulable);
  EXPECT_TRUE(queue.get(kDefault, "a")->is_gated());
  EXPECT_FALSE(queue.get(kDefault, "a")->initial_attempt_timestamp.is_set());
  EXPECT_EQ(queue.pop(at(0)), nullptr);
  EXPECT_EQ(queue.pop_specific(*make_pod("a"), at(0)), nullptr);
  EXPECT_EQ(place_of(queue, "a"), Place::kUnschedulable);

  open = true;
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(7)));
  EXPECT_EQ(place_of(queue, "a"), Place::kActive) << "it never failed, so it has no backoff to wait out";
  EXPECT_FALSE(queue.get(kDefault, "a")->is_gated());
  EXPECT_EQ(queue.get(kDefault, "a")->initial_attempt_timestamp, at(7));
}

TEST(SchedulingQueue, AsksThePluginThatHoldsAPodBackFirst) {
  Names asked;
  bool second_admits = false;
  QueueOptions options = options_with({on("Second", node_add())});
  options.pre_enqueue = {{testing::profile(), Symbol("First"),
                          [&asked](const api::Pod&) {
                            asked.push_back("First");
                            return true;
                          }},
                         {testing::profile(), Symbol("Second"),
                          [&](const api::Pod&) {
                            asked.push_back("Second");
                            return second_admits;
                          }},
                         {Symbol("another-profile"), Symbol("First"), [&asked](const api::Pod&) {
                            asked.push_back("of another profile");
                            return false;
                          }}};
  SchedulingQueue queue(std::move(options));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  EXPECT_EQ(asked, (Names{"First", "Second"}));
  asked.clear();
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  EXPECT_EQ(asked, Names{"Second"});
  asked.clear();
  second_admits = true;
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  EXPECT_EQ(asked, (Names{"Second", "First"}));
}

TEST(SchedulingQueue, AFailedPodIsAskedByItsGateBeforeItBacksOff) {
  bool open = true;
  QueueOptions options = options_with({});
  options.pre_enqueue = {{testing::profile(), Symbol("Gate"), [&open](const api::Pod&) { return open; }}};
  SchedulingQueue queue(std::move(options));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  open = false;
  ASSERT_TRUE(give_back(queue, queue.pop(at(0)), {}, at(0)));
  EXPECT_EQ(place_of(queue, "a"), Place::kUnschedulable);
  EXPECT_TRUE(queue.get(kDefault, "a")->is_gated());
}

TEST(SchedulingQueue, UpdatesAPodInItsPlace) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(add_rejected(queue, make_pod("backoff", 1), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  ASSERT_TRUE(queue.add(make_pod("other", 5), at(0)));
  ASSERT_TRUE(queue.add(make_pod("active", 1), at(0)));

  const api::PodPtr raised = make_pod("active", 9);
  ASSERT_TRUE(queue.update(make_pod("active", 1), raised, at(1)));
  EXPECT_EQ(queue.get(kDefault, "active")->pod, raised);
  const api::PodPtr changed = make_pod("backoff", 2);
  ASSERT_TRUE(queue.update(make_pod("backoff", 1), changed, at(1)));
  EXPECT_EQ(place_of(queue, "backoff"), Place::kBackoff);
  EXPECT_EQ(queue.get(kDefault, "backoff")->pod, changed);
  EXPECT_EQ(testing::drain(queue, at(1)), (Names{"active", "other", "backoff"}));
}

TEST(SchedulingQueue, AnUpdateOfAnUnknownPodAddsIt) {
  SchedulingQueue queue(options_with({}));
  ASSERT_TRUE(queue.update(make_pod("a"), PodBuilder("a").nominated("n1").build(), at(3)));
  EXPECT_EQ(place_of(queue, "a"), Place::kActive);
  EXPECT_EQ(queue.get(kDefault, "a")->timestamp, at(3));
  EXPECT_EQ(queue.nominator().node_of("a-uid"), Symbol("n1"));
}

TEST(SchedulingQueue, AnUpdateToASuccessorKeepsThePlaceAndTheHistory) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(add_rejected(queue, make_pod("a"), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.update(make_pod("a"), PodBuilder("a").uid("a-2").build(), at(1)));
  const QueuedPod* pod = queue.get(kDefault, "a");
  EXPECT_EQ(pod->uid(), "a-2");
  EXPECT_EQ(pod->attempts, 1);
  EXPECT_EQ(pod->timestamp, at(0));
}

TEST(SchedulingQueue, RemovesAPodFromWhereverItWaits) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(add_rejected(queue, make_pod("backoff"), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  ASSERT_TRUE(queue.add(make_pod("parked"), at(0)));
  ASSERT_TRUE(give_back(queue, queue.pop(at(0)), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.add(PodBuilder("active").nominated("n1").build(), at(0)));
  for (const char* name : {"backoff", "parked", "active"}) {
    ASSERT_TRUE(queue.remove(*make_pod(name))) << name;
    EXPECT_EQ(place_of(queue, name), Place::kNone);
  }
  EXPECT_TRUE(queue.nominator().node_of("active-uid").empty());
  EXPECT_TRUE(queue.pending_pods().empty());
  EXPECT_FALSE(queue.next_flush_at().is_set());
}

TEST(SchedulingQueue, RemovingAPodInFlightEndsItsNominationOnly) {
  SchedulingQueue queue(options_with({}));
  const api::PodPtr pod = PodBuilder("a").nominated("n1").build();
  ASSERT_TRUE(queue.add(pod, at(0)));
  const PoppedPod popped = queue.pop(at(0));
  ASSERT_TRUE(queue.remove(*pod));
  EXPECT_TRUE(queue.nominator().node_of("a-uid").empty());
  EXPECT_TRUE(queue.in_flight().contains("a-uid"));
  EXPECT_TRUE(queue.done("a-uid"));
}

TEST(SchedulingQueue, NominatedPodsAreListedWithTheVersionThatTheQueueHas) {
  SchedulingQueue queue(options_with({}));
  const api::PodPtr queued = PodBuilder("queued").nominated("n1").build();
  const api::PodPtr popped_pod = PodBuilder("popped").priority(9).nominated("n1").build();
  ASSERT_TRUE(queue.add(queued, at(0)));
  ASSERT_TRUE(queue.add(popped_pod, at(0)));
  const PoppedPod popped = queue.pop(at(0));
  ASSERT_EQ(popped->pod, popped_pod);
  queue.nominate(*make_pod("elsewhere"), {.mode = Nominating::Mode::kOverride, .node_name = Symbol("n1")});

  const std::vector<NominatedPod> nominated = queue.nominated_pods_for_node(Symbol("n1"));
  ASSERT_EQ(nominated.size(), 3u);
  EXPECT_EQ(nominated[0].pod, queued);
  EXPECT_EQ(nominated[1].pod, popped_pod) << "also while it is in flight";
  EXPECT_EQ(nominated[2].pod, nullptr) << "the queue does not have it";
  EXPECT_EQ(nominated[2].nomination.name, "elsewhere");

  queue.remove_nomination(*queued);
  EXPECT_EQ(queue.nominated_pods_for_node(Symbol("n1")).size(), 2u);
  queue.update_nominated(*popped_pod, *PodBuilder(*popped_pod).nominated("n2").build());
  EXPECT_EQ(queue.nominated_pods_for_node(Symbol("n2")).size(), 1u);
}

TEST(SchedulingQueue, ANominatedPodThatComesBackInAnotherVersionChangesTheNominations) {
  SchedulingQueue queue(options_with({}));
  ASSERT_TRUE(queue.add(PodBuilder("a").nominated("n1").build(), at(0)));
  PoppedPod popped = queue.pop(at(0));
  const std::uint64_t version = queue.nominator().version();
  const api::PodPtr newest = PodBuilder(*popped->pod).label("x", "y").build();
  popped->pod = newest;
  ASSERT_TRUE(queue.add_unschedulable_if_not_present(std::move(popped), queue.scheduling_cycle(), at(0)));
  EXPECT_NE(queue.nominator().version(), version);
  EXPECT_EQ(queue.nominated_pods_for_node(Symbol("n1")).at(0).pod, newest);
}

TEST(SchedulingQueue, ListsAndSummarizesWhatIsPending) {
  SchedulingQueue queue(options_with({on("Fit", node_add())}));
  ASSERT_TRUE(add_rejected(queue, make_pod("parked"), {"Fit"}, at(0)));
  ASSERT_TRUE(queue.add(make_pod("errored"), at(0)));
  ASSERT_TRUE(give_back(queue, queue.pop(at(0)), {}, at(0)));
  ASSERT_TRUE(queue.add(make_pod("b"), at(0)));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  std::string summary;
  Names names;
  for (const api::PodPtr& pod : queue.pending_pods(&summary)) names.push_back(pod->metadata.name);
  EXPECT_EQ(names, (Names{"a", "b", "errored", "parked"}));
  EXPECT_EQ(summary, "activeQ:2; backoffQ:1; unschedulablePods:1");
  EXPECT_EQ(queue.count(Place::kActive), 2u);
  EXPECT_EQ(queue.count(Place::kErrorBackoff), 1u);
  EXPECT_EQ(queue.count(Place::kBackoff), 0u);
  EXPECT_EQ(queue.count(Place::kUnschedulable), 1u);
  EXPECT_EQ(queue.count(Place::kNone), 0u);
}

TEST(SchedulingQueue, AClosedQueueCanStillBeDrained) {
  SchedulingQueue queue(options_with({}));
  ASSERT_TRUE(queue.add(make_pod("a"), at(0)));
  ASSERT_TRUE(queue.add(make_pod("b"), at(1)));
  const PoppedPod popped = queue.pop(at(1));
  ASSERT_TRUE(queue.close());
  EXPECT_TRUE(queue.is_closed());
  EXPECT_TRUE(queue.in_flight().empty()) << "all flights end";
  EXPECT_EQ(testing::drain(queue, at(1)), Names{"b"});
}

TEST(SchedulingQueue, AMemberOfAGroupBacksOffWhateverHappened) {
  QueueOptions options = options_with({on("Fit", node_add())});
  options.generic_workload = true;
  SchedulingQueue queue(std::move(options));
  PodBuilder member("member");
  member.spec().scheduling_group = api::PodSchedulingGroup{.pod_group_name = Symbol("group")};
  ASSERT_TRUE(add_rejected(queue, member.build(), {"Fit"}, at(0)));
  EXPECT_EQ(place_of(queue, "member"), Place::kBackoff);
}

TEST(SchedulingQueue, WithoutHintsTheCycleOfTheLastMoveDecides) {
  QueueOptions options = options_with({on("Fit", node_add())});
  options.queueing_hints = false;
  SchedulingQueue queue(std::move(options));
  ASSERT_TRUE(add_rejected(queue, make_pod("before"), {"Fit"}, at(0)));
  EXPECT_EQ(place_of(queue, "before"), Place::kUnschedulable);
  ASSERT_TRUE(queue.add(make_pod("during"), at(0)));
  PoppedPod popped = queue.pop(at(0));
  ASSERT_TRUE(queue.move_all(node_add(), {}, at(0)));
  ASSERT_TRUE(give_back(queue, std::move(popped), {"Fit"}, at(0)));
  EXPECT_EQ(place_of(queue, "during"), Place::kBackoff);
}

}  // namespace
}  // namespace berth::queue
