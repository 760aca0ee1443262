#include "berth/api/pod_workload.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

Pod pod_of(std::string_view kind, std::string name, std::string_view hash = "") {
  Pod pod;
  OwnerReference owner;
  owner.kind = Symbol(kind);
  owner.name = std::move(name);
  owner.controller = true;
  pod.metadata.owner_references = std::vector<OwnerReference>{owner};
  if (!hash.empty()) {
    Labels labels;
    labels[Symbol("pod-template-hash")] = Symbol(hash);
    pod.metadata.labels = std::move(labels);
  }
  return pod;
}

TEST(PodWorkload, OfADeploymentIsTheDeploymentAndNotItsReplicaSet) {
  const auto workload = workload_of(pod_of("ReplicaSet", "web-77d8c5f9b6", "77d8c5f9b6"));
  ASSERT_TRUE(workload);
  EXPECT_EQ(*workload, (PodWorkload{Symbol("Deployment"), "web"}));
}

TEST(PodWorkload, OfAReplicaSetOfItsOwnIsTheReplicaSet) {
  EXPECT_EQ(workload_of(pod_of("ReplicaSet", "web")), (PodWorkload{Symbol("ReplicaSet"), "web"}));
  EXPECT_EQ(workload_of(pod_of("ReplicaSet", "web", "77d8c5f9b6")), (PodWorkload{Symbol("ReplicaSet"), "web"}));
  EXPECT_EQ(workload_of(pod_of("ReplicaSet", "-abc", "abc")), (PodWorkload{Symbol("ReplicaSet"), "-abc"}));
}

TEST(PodWorkload, OfOtherControllersIsTheController) {
  EXPECT_EQ(workload_of(pod_of("StatefulSet", "db")), (PodWorkload{Symbol("StatefulSet"), "db"}));
}

TEST(PodWorkload, IsNoneWithoutAController) {
  EXPECT_FALSE(workload_of(Pod()));
}

}  // namespace
}  // namespace berth::api
