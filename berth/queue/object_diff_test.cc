#include "berth/queue/object_diff.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "berth/queue/testing.h"

namespace berth::queue {
namespace {

using testing::PodBuilder;
using Labels = std::vector<std::string>;

Labels labels_of(const std::vector<ClusterEvent>& events) {
  Labels labels;
  for (const ClusterEvent& event : events) labels.push_back(event.label().str());
  return labels;
}

Labels pod_changes(const api::PodPtr& old_pod, const api::PodPtr& new_pod) {
  return labels_of(pod_update_events(*old_pod, *new_pod));
}

// What a change of the waiting pod "a" of 2 cpu is called.
Labels change(const std::function<void(PodBuilder&)>& edit) {
  const api::PodPtr before = PodBuilder("a").request("cpu", "2").label("app", "web").tolerate("spot").build();
  PodBuilder builder(*before);
  edit(builder);
  return pod_changes(before, builder.build());
}

TEST(PodUpdateEvents, NothingInParticularIsAnUnspecificUpdate) {
  EXPECT_EQ(change([](PodBuilder&) {}), Labels{"UnschedulablePodUpdate"});
  EXPECT_EQ(change([](PodBuilder& pod) { pod.pod().metadata.resource_version = "2"; }),
            Labels{"UnschedulablePodUpdate"});
  EXPECT_EQ(change([](PodBuilder& pod) { pod.nominated("n1"); }), Labels{"UnschedulablePodUpdate"});
}

TEST(PodUpdateEvents, AreAboutAnAssignedPodIfTheNewVersionHasANode) {
  EXPECT_EQ(change([](PodBuilder& pod) { pod.node("n1"); }), Labels{"AssignedPodUpdate"});
  EXPECT_EQ(change([](PodBuilder& pod) { pod.node("n1").label("app", "db"); }), Labels{"AssignedPodUpdatePodLabel"});
}

TEST(PodUpdateEvents, SeeChangedLabels) {
  EXPECT_EQ(change([](PodBuilder& pod) { pod.label("app", "db"); }), Labels{"UnschedulablePodUpdatePodLabel"});
  EXPECT_EQ(change([](PodBuilder& pod) { pod.label("tier", "1"); }), Labels{"UnschedulablePodUpdatePodLabel"});
  EXPECT_EQ(change([](PodBuilder& pod) { pod.pod().metadata.labels = {}; }), Labels{"UnschedulablePodUpdatePodLabel"});
  EXPECT_EQ(change([](PodBuilder& pod) { pod.pod().metadata.labels = api::Labels{{"app", Symbol("web")}}; }),
            Labels{"UnschedulablePodUpdate"})
      << "equal labels that are not shared";
}

TEST(PodUpdateEvents, SeeSmallerRequestsOnly) {
  EXPECT_EQ(change([](PodBuilder& pod) { pod.request("cpu", "1999m"); }), Labels{"UnschedulablePodUpdatePodScaleDown"});
  EXPECT_EQ(change([](PodBuilder& pod) { pod.spec().containers[0].resources.requests.clear(); }),
            Labels{"UnschedulablePodUpdatePodScaleDown"});
  EXPECT_EQ(change([](PodBuilder& pod) { pod.request("cpu", "3"); }), Labels{"UnschedulablePodUpdate"});
  EXPECT_EQ(change([](PodBuilder& pod) { pod.request("cpu", "2000m"); }), Labels{"UnschedulablePodUpdate"});
  EXPECT_EQ(change([](PodBuilder& pod) { pod.request("memory", "1Gi"); }), Labels{"UnschedulablePodUpdate"});
  EXPECT_EQ(change([](PodBuilder& pod) { pod.request("cpu", "3").request("memory", "1Gi"); }),
            Labels{"UnschedulablePodUpdate"});
}

TEST(PodUpdateEvents, SeeTheLastGateGoButNotOneOfSeveral) {
  const api::PodPtr two = PodBuilder("a").gate("x").gate("y").build();
  const api::PodPtr one = PodBuilder(*two).no_gates().gate("y").build();
  const api::PodPtr none = PodBuilder(*two).no_gates().build();
  EXPECT_EQ(pod_changes(two, one), Labels{"UnschedulablePodUpdate"});
  EXPECT_EQ(pod_changes(one, none), Labels{"UnschedulablePodUpdatePodSchedulingGatesEliminated"});
  EXPECT_EQ(pod_changes(two, none), Labels{"UnschedulablePodUpdatePodSchedulingGatesEliminated"});
  EXPECT_EQ(pod_changes(none, one), Labels{"UnschedulablePodUpdate"});
}

TEST(PodUpdateEvents, CountTolerations) {
  EXPECT_EQ(change([](PodBuilder& pod) { pod.tolerate("gpu"); }), Labels{"UnschedulablePodUpdatePodToleration"});
  EXPECT_EQ(change([](PodBuilder& pod) { pod.spec().tolerations.clear(); }),
            Labels{"UnschedulablePodUpdatePodToleration"});
  EXPECT_EQ(change([](PodBuilder& pod) { pod.spec().tolerations[0].key = Symbol("gpu"); }),
            Labels{"UnschedulablePodUpdate"})
      << "only their number is compared";
}

TEST(PodUpdateEvents, SeeGeneratedClaims) {
  const std::vector<api::PodResourceClaimStatus> statuses = {{Symbol("gpu"), Symbol("claim-1")},
                                                             {Symbol("nic"), Symbol("claim-2")}};
  const api::PodPtr before = PodBuilder("a").build();
  PodBuilder generated(*before), swapped(*before), extended(*before);
  generated.pod().status.resource_claim_statuses = statuses;
  swapped.pod().status.resource_claim_statuses = std::vector{statuses[1], statuses[0]};
  extended.pod().status.extended_resource_claim_status =
      api::PodExtendedResourceClaimStatus{.request_mappings = {}, .resource_claim_name = Symbol("claim-3")};
  const Labels expected{"UnschedulablePodUpdatePodGeneratedResourceClaim"};
  EXPECT_EQ(pod_changes(before, generated.build()), expected);
  EXPECT_EQ(pod_changes(generated.build(), swapped.build()), expected) << "their order counts";
  EXPECT_EQ(pod_changes(before, extended.build()), expected);
  EXPECT_EQ(pod_changes(generated.build(), generated.build()), Labels{"UnschedulablePodUpdate"});
}

TEST(PodUpdateEvents, ComeInAFixedOrder) {
  const api::PodPtr before = PodBuilder("a").request("cpu", "2").gate("x").build();
  PodBuilder after(*before);
  after.label("app", "db").request("cpu", "1").no_gates().tolerate("gpu");
  after.pod().status.resource_claim_statuses = std::vector<api::PodResourceClaimStatus>{{Symbol("gpu"), Symbol("c")}};
  EXPECT_EQ(pod_changes(before, after.build()),
            (Labels{"UnschedulablePodUpdatePodLabel", "UnschedulablePodUpdatePodScaleDown",
                    "UnschedulablePodUpdatePodSchedulingGatesEliminated", "UnschedulablePodUpdatePodToleration",
                    "UnschedulablePodUpdatePodGeneratedResourceClaim"}));
}

api::Node node_with_everything() {
  api::Node node;
  node.metadata.name = "n1";
  node.metadata.labels = api::Labels{{"zone", Symbol("a")}};
  node.metadata.annotations = api::Annotations{{"note", "x"}};
  node.spec.taints = {{.key = Symbol("spot"), .value = {}, .effect = Symbol("NoSchedule"), .time_added = {}}};
  node.status.allocatable[Symbol("cpu")] = api::Quantity::from_units(4);
  node.status.conditions.resize(2);
  node.status.conditions[0].type = Symbol("Ready");
  node.status.conditions[0].status = Symbol("True");
  node.status.conditions[1].type = Symbol("DiskPressure");
  node.status.conditions[1].status = Symbol("False");
  node.status.declared_features = std::vector<Symbol>{Symbol("X")};
  return node;
}

Labels node_change(const std::function<void(api::Node&)>& edit) {
  const api::Node before = node_with_everything();
  api::Node after = before;
  edit(after);
  return labels_of(node_update_events(before, after));
}

TEST(NodeUpdateEvents, NothingOfInterestIsNoEvent) {
  EXPECT_EQ(node_change([](api::Node&) {}), Labels{});
  EXPECT_EQ(node_change([](api::Node& node) { node.metadata.resource_version = "2"; }), Labels{});
  EXPECT_EQ(node_change([](api::Node& node) { node.status.capacity[Symbol("cpu")] = api::Quantity::from_units(9); }),
            Labels{});
  EXPECT_EQ(node_change([](api::Node& node) {
              node.status.allocatable[Symbol("cpu")] = api::Quantity::parse("4000m").value();
            }),
            Labels{})
      << "the same amount, written differently";
}

TEST(NodeUpdateEvents, OneEventPerKindOfChange) {
  EXPECT_EQ(node_change([](api::Node& node) { node.status.allocatable[Symbol("cpu")] = api::Quantity::from_units(5); }),
            Labels{"NodeUpdateNodeAllocatable"});
  EXPECT_EQ(node_change([](api::Node& node) { node.metadata.labels = {}; }), Labels{"NodeUpdateNodeLabel"});
  EXPECT_EQ(node_change([](api::Node& node) { node.spec.taints.clear(); }), Labels{"NodeUpdateNodeTaint"});
  EXPECT_EQ(node_change([](api::Node& node) { node.metadata.annotations = {}; }), Labels{"NodeUpdateNodeAnnotation"});
  EXPECT_EQ(node_change([](api::Node& node) { node.status.declared_features = {}; }),
            Labels{"NodeUpdateNodeDeclaredFeature"});
}

TEST(NodeUpdateEvents, UncordoningCountsAsATaintGoneCordoningAsNothing) {
  api::Node cordoned = node_with_everything();
  cordoned.spec.unschedulable = true;
  EXPECT_EQ(labels_of(node_update_events(cordoned, node_with_everything())), Labels{"NodeUpdateNodeTaint"});
  EXPECT_EQ(labels_of(node_update_events(node_with_everything(), cordoned)), Labels{});
  api::Node without_taint = node_with_everything();
  without_taint.spec.taints.clear();
  EXPECT_EQ(labels_of(node_update_events(cordoned, without_taint)),
            (Labels{"NodeUpdateNodeTaint", "NodeUpdateNodeTaint"}))
      << "both changes, two events";
}

TEST(NodeUpdateEvents, ConditionsAreComparedByTypeAndStatus) {
  EXPECT_EQ(node_change([](api::Node& node) { node.status.conditions[0].status = Symbol("False"); }),
            Labels{"NodeUpdateNodeCondition"});
  EXPECT_EQ(node_change([](api::Node& node) { node.status.conditions.pop_back(); }), Labels{"NodeUpdateNodeCondition"});
  EXPECT_EQ(node_change([](api::Node& node) {
              node.status.conditions[0].reason = Symbol("KubeletReady");
              node.status.conditions[0].message = "posting ready status";
              node.status.conditions[0].last_heartbeat_time = testing::at(1);
            }),
            Labels{});
  EXPECT_EQ(node_change([](api::Node& node) { std::swap(node.status.conditions[0], node.status.conditions[1]); }),
            Labels{});
}

TEST(NodeUpdateEvents, ComeInAFixedOrder) {
  api::Node before = node_with_everything(), after = before;
  before.spec.unschedulable = true;
  after.status.allocatable.clear();
  after.metadata.labels = {};
  after.spec.taints.clear();
  after.status.conditions.clear();
  after.metadata.annotations = {};
  after.status.declared_features = {};
  EXPECT_EQ(labels_of(node_update_events(before, after)),
            (Labels{"NodeUpdateNodeTaint", "NodeUpdateNodeAllocatable", "NodeUpdateNodeLabel", "NodeUpdateNodeTaint",
                    "NodeUpdateNodeCondition", "NodeUpdateNodeAnnotation", "NodeUpdateNodeDeclaredFeature"}));
}

TEST(DiffersForScheduling, IgnoresWhatTheSchedulerItselfWrites) {
  const api::PodPtr before = PodBuilder("a").request("cpu", "2").build();
  const auto differs = [&before](const std::function<void(PodBuilder&)>& edit) {
    PodBuilder after(*before);
    edit(after);
    return differs_for_scheduling(*before, *after.build());
  };
  EXPECT_FALSE(differs([](PodBuilder&) {}));
  EXPECT_FALSE(differs([](PodBuilder& pod) { pod.pod().metadata.resource_version = "2"; }));
  EXPECT_FALSE(differs([](PodBuilder& pod) { pod.pod().metadata.generation = 2; }));
  EXPECT_FALSE(differs([](PodBuilder& pod) { pod.pod().metadata.finalizers = std::vector{Symbol("f")}; }));
  EXPECT_FALSE(differs([](PodBuilder& pod) { pod.nominated("n1"); }));
  EXPECT_FALSE(differs([](PodBuilder& pod) { pod.pod().status.conditions.emplace_back(); }));
  EXPECT_TRUE(differs([](PodBuilder& pod) { pod.label("app", "web"); }));
  EXPECT_TRUE(differs([](PodBuilder& pod) { pod.request("cpu", "1"); }));
  EXPECT_TRUE(differs([](PodBuilder& pod) { pod.pod().metadata.deletion_timestamp = testing::at(1); }));
  EXPECT_TRUE(differs([](PodBuilder& pod) {
    pod.pod().status.resource_claim_statuses = std::vector<api::PodResourceClaimStatus>{{Symbol("gpu"), Symbol("c")}};
  }));
}

}  // namespace
}  // namespace berth::queue
