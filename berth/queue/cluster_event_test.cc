#include "berth/queue/cluster_event.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::queue {
namespace {

constexpr ActionSet kUpdateNodeTaintAndAdd = action::kUpdateNodeTaint | action::kAdd;

TEST(ClusterEvent, ActionsHaveTheBitsOfKubeScheduler) {
  EXPECT_EQ(action::kAdd, 1u);
  EXPECT_EQ(action::kDelete, 2u);
  EXPECT_EQ(action::kUpdateNodeDeclaredFeature, 128u);
  EXPECT_EQ(action::kUpdatePodLabel, 256u);
  EXPECT_EQ(action::kUpdatePodGeneratedResourceClaim, 4096u);
  EXPECT_EQ(action::kUpdate, 8188u);
  EXPECT_EQ(action::kAll, 8191u);
}

TEST(ClusterEvent, IsLabelledByResourceAndAction) {
  const struct {
    std::string_view resource;
    ActionSet actions;
    std::string_view label;
  } cases[] = {
      {resource::kNode, action::kAdd, "NodeAdd"},
      {resource::kNode, action::kUpdateNodeAllocatable, "NodeUpdateNodeAllocatable"},
      {resource::kNode, action::kUpdateNodeLabel, "NodeUpdateNodeLabel"},
      {resource::kNode, action::kUpdateNodeTaint, "NodeUpdateNodeTaint"},
      {resource::kNode, action::kUpdateNodeCondition, "NodeUpdateNodeCondition"},
      {resource::kNode, action::kUpdateNodeAnnotation, "NodeUpdateNodeAnnotation"},
      {resource::kNode, action::kUpdateNodeDeclaredFeature, "NodeUpdateNodeDeclaredFeature"},
      {resource::kAssignedPod, action::kUpdatePodLabel, "AssignedPodUpdatePodLabel"},
      {resource::kAssignedPod, action::kUpdatePodScaleDown, "AssignedPodUpdatePodScaleDown"},
      {resource::kUnschedulablePod, action::kUpdatePodToleration, "UnschedulablePodUpdatePodToleration"},
      {resource::kUnschedulablePod, action::kUpdatePodSchedulingGatesEliminated,
       "UnschedulablePodUpdatePodSchedulingGatesEliminated"},
      {resource::kUnschedulablePod, action::kUpdatePodGeneratedResourceClaim,
       "UnschedulablePodUpdatePodGeneratedResourceClaim"},
      {resource::kCSINode, action::kUpdate, "storage.k8s.io/CSINodeUpdate"},
      {resource::kResourceClaim, action::kDelete, "resource.k8s.io/ResourceClaimDelete"},
      {resource::kPod, action::kAll, "PodAll"},
      {resource::kNode, kUpdateNodeTaintAndAdd, "Node"},  // combinations have no name
  };
  for (const auto& [about, actions, label] : cases) EXPECT_EQ(ClusterEvent(about, actions).label(), label);
}

TEST(ClusterEvent, ACustomLabelStandsInForTheDerivedOne) {
  EXPECT_EQ(unschedulable_timeout().label(), "UnschedulableTimeout");
  EXPECT_EQ(force_activate().label(), "ForceActivate");
  EXPECT_EQ(assigned_pod_add().label(), "AssignedPodAdd");
  EXPECT_EQ(assigned_pod_delete().label(), "AssignedPodDelete");
}

TEST(ClusterEvent, OnlyEverythingAboutEverythingIsAWildcard) {
  EXPECT_TRUE(unschedulable_timeout().is_wildcard());
  EXPECT_TRUE(force_activate().is_wildcard());
  EXPECT_FALSE(ClusterEvent(resource::kAny, action::kAdd).is_wildcard());
  EXPECT_FALSE(ClusterEvent(resource::kPod, action::kAll).is_wildcard());
}

TEST(ClusterEvent, MatchesWhatWasRegisteredFor) {
  const struct {
    const char* what;
    ClusterEvent registered;
    ClusterEvent happened;
    bool matches;
  } cases[] = {
      {"the same", {resource::kNode, action::kAdd}, {resource::kNode, action::kAdd}, true},
      {"another action", {resource::kNode, action::kAdd}, {resource::kNode, action::kDelete}, false},
      {"another resource", {resource::kNode, action::kAdd}, {resource::kCSINode, action::kAdd}, false},
      {"one of several actions",
       {resource::kNode, kUpdateNodeTaintAndAdd},
       {resource::kNode, action::kUpdateNodeTaint},
       true},
      {"a specific update, all updates registered",
       {resource::kCSINode, action::kUpdate},
       {resource::kCSINode, action::kUpdateNodeLabel},
       true},
      {"the unspecific update, all updates registered",
       {resource::kPod, action::kUpdate},
       {resource::kUnschedulablePod, action::kUpdate},
       true},
      {"the unspecific update, one update registered",
       {resource::kPod, action::kUpdatePodGeneratedResourceClaim},
       {resource::kUnschedulablePod, action::kUpdate},
       false},
      {"overlapping, but numerically more than registered",
       {resource::kNode, action::kAdd | action::kDelete},
       {resource::kNode, action::kDelete | action::kUpdateNodeLabel},
       false},
      {"overlapping, numerically less although not contained",
       {resource::kNode, action::kUpdateNodeTaint | action::kAdd},
       {resource::kNode, action::kAdd | action::kDelete},
       true},
      {"Pod stands for pods with a node",
       {resource::kPod, action::kDelete},
       {resource::kAssignedPod, action::kDelete},
       true},
      {"Pod stands for pods without one",
       {resource::kPod, action::kUpdatePodLabel},
       {resource::kUnschedulablePod, action::kUpdatePodLabel},
       true},
      {"pods with a node do not stand for all",
       {resource::kAssignedPod, action::kAdd},
       {resource::kPod, action::kAdd},
       false},
      {"any resource, this action", {resource::kAny, action::kAdd}, {resource::kNode, action::kAdd}, true},
      {"any resource, another action", {resource::kAny, action::kAdd}, {resource::kNode, action::kDelete}, false},
      {"a registered wildcard takes all", {resource::kAny, action::kAll}, {resource::kNode, action::kDelete}, true},
      {"a wildcard matches a registered wildcard", {resource::kAny, action::kAll}, unschedulable_timeout(), true},
      {"a wildcard matches no ordinary registration", {resource::kNode, action::kAll}, unschedulable_timeout(), false},
      {"a custom resource", {"widgets.v1.example.com", action::kAdd}, {"widgets.v1.example.com", action::kAdd}, true},
  };
  for (const auto& [what, registered, happened, expected] : cases) {
    EXPECT_EQ(matches(registered, happened), expected) << what;
  }
}

}  // namespace
}  // namespace berth::queue
