#include "berth/queue/unschedulable_pods.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "berth/queue/testing.h"

namespace berth::queue {
namespace {

using testing::at;
using testing::PodBuilder;

struct Parking {
  QueuedPod& add(api::PodPtr pod, std::initializer_list<PluginId> rejectors, Instant waits_since = at(0)) {
    QueuedPod& parked = pods.emplace_back();
    parked.pod = std::move(pod);
    parked.waits_since = waits_since;
    for (const PluginId plugin : rejectors) parked.unschedulable_plugins.insert(plugin);
    index.link(parked);
    return parked;
  }
  std::vector<std::string> walk() const {
    std::vector<std::string> names;
    index.for_each([&names](const QueuedPod& pod) { names.push_back(pod.pod->metadata.name); });
    return names;
  }
  std::size_t class_count() const {
    std::size_t count = 0;
    for (const auto& group : index.groups()) {
      for (const UnschedulableClass* pods_of = group->first; pods_of != nullptr; pods_of = pods_of->after) ++count;
    }
    return count;
  }
  std::vector<std::string> waiting_longer(Duration limit, Instant now) const {
    std::vector<QueuedPod*> found;
    index.collect_waiting_longer(limit, now, found);
    std::vector<std::string> names;
    for (const QueuedPod* pod : found) names.push_back(pod->pod->metadata.name);
    return names;
  }

  std::deque<QueuedPod> pods;
  UnschedulablePods index;
};

TEST(UnschedulablePods, PodsOfOneTemplateAndTheSameRejectorsMakeOneClass) {
  Parking parking;
  const api::PodPtr first = PodBuilder("a").label("app", "web").build();
  parking.add(first, {1});
  parking.add(PodBuilder("b", *first).build(), {1});
  parking.add(PodBuilder("c", *first).build(), {1});
  EXPECT_EQ(parking.index.groups().size(), 1u);
  EXPECT_EQ(parking.class_count(), 1u);
  EXPECT_EQ(parking.index.size(), 3u);
  EXPECT_EQ(parking.walk(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(UnschedulablePods, WhatAHintMayLookAtDividesAClass) {
  Parking parking;
  const api::PodPtr first = PodBuilder("a").label("app", "web").build();
  parking.add(first, {1});
  parking.add(PodBuilder("b", *first).label("app", "db").build(), {1});
  parking.add(PodBuilder("c", *first).name_space("other").build(), {1});
  PodBuilder with_claims("d", *first);
  with_claims.pod().status.resource_claim_statuses =
      std::vector<api::PodResourceClaimStatus>{{Symbol("gpu"), Symbol("claim")}};
  parking.add(with_claims.build(), {1});
  parking.add(PodBuilder("e").label("app", "web").priority(3).build(), {1});
  EXPECT_EQ(parking.index.groups().size(), 1u);
  EXPECT_EQ(parking.class_count(), 5u);
}

TEST(UnschedulablePods, RejectorsGateAndProfileDivideGroups) {
  Parking parking;
  const api::PodPtr first = PodBuilder("a").build();
  parking.add(first, {1});
  parking.add(PodBuilder("b", *first).build(), {2});
  parking.add(PodBuilder("c", *first).build(), {1, 2});
  parking.add(PodBuilder("d").scheduler("other").build(), {1});
  QueuedPod& pending = parking.pods.emplace_back();
  pending.pod = PodBuilder("e", *first).build();
  pending.waits_since = at(0);
  pending.pending_plugins.insert(1);
  parking.index.link(pending);
  QueuedPod& gated = parking.pods.emplace_back();
  gated.pod = PodBuilder("f", *first).build();
  gated.waits_since = at(0);
  gated.unschedulable_plugins.insert(1);
  gated.gating_plugin = 1;
  parking.index.link(gated);
  EXPECT_EQ(parking.index.groups().size(), 6u);
  EXPECT_TRUE(parking.index.groups().back()->is_gated());
  EXPECT_TRUE(parking.index.groups()[4]->rejectors().contains(1));
}

TEST(UnschedulablePods, EmptyClassesAndGroupsGo) {
  Parking parking;
  QueuedPod& a = parking.add(PodBuilder("a").build(), {1});
  QueuedPod& b = parking.add(PodBuilder("b", *a.pod).build(), {1});
  QueuedPod& c = parking.add(PodBuilder("c").priority(2).build(), {2});
  parking.index.unlink(a);
  EXPECT_EQ(parking.walk(), (std::vector<std::string>{"b", "c"}));
  parking.index.unlink(b);
  EXPECT_EQ(parking.index.groups().size(), 1u);
  EXPECT_EQ(parking.class_count(), 1u);
  parking.index.unlink(c);
  EXPECT_TRUE(parking.index.groups().empty());
  EXPECT_EQ(parking.index.size(), 0u);
  EXPECT_EQ(a.unschedulable_class, nullptr);
}

TEST(UnschedulablePods, WalksInOrderOfParkingWithinAClass) {
  Parking parking;
  QueuedPod& a = parking.add(PodBuilder("a").build(), {1});
  parking.add(PodBuilder("b", *a.pod).build(), {1});
  parking.add(PodBuilder("c", *a.pod).build(), {1});
  parking.index.unlink(a);
  parking.index.link(a);
  EXPECT_EQ(parking.walk(), (std::vector<std::string>{"b", "c", "a"}));
}

TEST(UnschedulablePods, FindsThoseThatWaitedLongerThanTheLimitLongestFirst) {
  Parking parking;
  parking.add(PodBuilder("exactly").build(), {1}, at(5));
  parking.add(PodBuilder("longer").build(), {1}, at(4));
  parking.add(PodBuilder("longest").build(), {2}, at(1));
  parking.add(PodBuilder("new").build(), {1}, at(9));
  EXPECT_EQ(parking.waiting_longer(Duration::seconds(5), at(10)), (std::vector<std::string>{"longest", "longer"}));
  EXPECT_EQ(parking.waiting_longer(Duration::seconds(100), at(10)), std::vector<std::string>{});
  EXPECT_EQ(parking.index.longest_waits_since(), at(1));
  EXPECT_FALSE(Parking().index.longest_waits_since().is_set());
}

TEST(UnschedulablePodsDeathTest, APodIsLinkedOnceAndUnlinkedOnce) {
  Parking parking;
  QueuedPod& a = parking.add(PodBuilder("a").build(), {1});
  EXPECT_DEATH(parking.index.link(a), "default/a is unschedulable already");
  parking.index.unlink(a);
  EXPECT_DEATH(parking.index.unlink(a), "default/a is not unschedulable");
}

}  // namespace
}  // namespace berth::queue
