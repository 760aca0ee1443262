#include "berth/plugins/node_volume_limits.h"

#include <gtest/gtest.h>

#include "berth/plugins/volume_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

constexpr std::string_view kDriver = "csi.example.com", kEbs = "ebs.csi.aws.com";
constexpr std::string_view kTooMany = "Unschedulable | node(s) exceed max volume count";

Shape amazon(std::string_view id) {
  return [id = std::string(id)](api::PodTemplate& pod) {
    auto& volume = pod.volumes.emplace_back();
    volume.name = "disk";
    volume.source.aws_elastic_block_store.emplace().volume_id = id;
  };
}

class NodeVolumeLimits : public ::testing::Test {
 protected:
  NodeVolumeLimits() {
    world.node(NodeSketch("n"));
    world.storage_class("csi", kDriver);
    world.storage_class("ebs", "kubernetes.io/aws-ebs");
    for (const std::string name : {"a", "b", "c"}) {
      world.volume("pv-" + name, "csi", "1Gi", {from_driver(kDriver, "handle-" + name)});
      world.claim(name, "csi", "1Gi", {bound_to_volume("pv-" + name)});
    }
  }
  std::string said(const api::Pod& pod) { return ask(*world.make(make_node_volume_limits), world, pod, "n"); }
  static PodSketch with(std::initializer_list<std::string_view> claims) {
    PodSketch pod("p");
    for (const std::string_view claim : claims) pod = pod.shaped(using_claim(claim));
    return pod;
  }

  StorageWorld world;
};

TEST_F(NodeVolumeLimits, SkipsPodsWithoutVolumesThatAreAttached) {
  EXPECT_EQ(said(PodSketch("p")), "PreFilter Skip");
  const auto iscsi =
      PodSketch("p").shaped([](api::PodTemplate& pod) { pod.volumes.emplace_back().source.iscsi.emplace(); });
  EXPECT_EQ(said(iscsi), "PreFilter Skip");
  EXPECT_EQ(said(PodSketch("p").shaped(amazon("vol-1"))), "Success");
}

TEST_F(NodeVolumeLimits, CountsDistinctVolumesOfPodsAndAttachments) {
  EXPECT_EQ(said(with({"a"})), "Success");  // no CSINode, no limit
  world.csi_node("n", {{kDriver, 2}});
  world.place(PodSketch("there").on("n").shaped(using_claim("a")));
  EXPECT_EQ(said(with({"b"})), "Success");
  EXPECT_EQ(said(with({"b", "c"})), kTooMany);
  EXPECT_EQ(said(with({"a", "b"})), "Success");  // a is attached already
  EXPECT_EQ(said(with({"b", "b"})), "Success");

  api::VolumeAttachment attachment;
  attachment.metadata.name = "left-behind";
  attachment.spec.node_name = Symbol("n");
  attachment.spec.attacher = Symbol(kDriver);
  attachment.spec.source.persistent_volume_name = "pv-c";
  world.set(attachment);
  EXPECT_EQ(said(with({"b"})), kTooMany);
  attachment.spec.node_name = Symbol("other");
  world.set(attachment);
  EXPECT_EQ(said(with({"b"})), "Success");
}

TEST_F(NodeVolumeLimits, AVolumeThatIsStillAttachedCountsAgainForThePodThatWantsIt) {
  world.csi_node("n", {{kDriver, 1}});
  api::VolumeAttachment attachment;
  attachment.metadata.name = "left-behind";
  attachment.spec.node_name = Symbol("n");
  attachment.spec.attacher = Symbol(kDriver);
  attachment.spec.source.persistent_volume_name = "pv-a";
  world.set(attachment);
  EXPECT_EQ(said(with({"a"})), kTooMany);  // as kube-scheduler has it
}

TEST_F(NodeVolumeLimits, ADriverWithoutALimitHasNone) {
  world.csi_node("n", {{kDriver, std::nullopt}, {kEbs, 0}});
  EXPECT_EQ(said(with({"a", "b", "c"})), "Success");
  EXPECT_EQ(said(PodSketch("p").shaped(amazon("vol-1"))), kTooMany);
}

TEST_F(NodeVolumeLimits, AVolumeThatIsNotThereYetCountsForItsDriver) {
  world.claim("new", "csi", "1Gi");
  world.claim("new-ebs", "ebs", "1Gi");
  world.claim("no-class", "", "1Gi");
  world.claim("volume-gone", "csi", "1Gi", {bound_to_volume("gone")});
  world.csi_node("n", {{kDriver, 0}, {kEbs, 0}});
  EXPECT_EQ(said(with({"new"})), kTooMany);
  EXPECT_EQ(said(with({"new-ebs"})), kTooMany);
  EXPECT_EQ(said(with({"volume-gone"})), kTooMany);
  EXPECT_EQ(said(with({"no-class"})), "Success");
}

TEST_F(NodeVolumeLimits, SaysWhatIsWrongWithAClaim) {
  EXPECT_EQ(said(with({"gone"})),
            "UnschedulableAndUnresolvable | looking up PVC default/gone: persistentvolumeclaim \"gone\" not found");
  EXPECT_EQ(said(with({""})), "Error | PersistentVolumeClaim had no name");
  world.claim("p-scratch", "csi", "1Gi");
  EXPECT_EQ(said(PodSketch("p").shaped(with_ephemeral_volume("scratch"))),
            "Error | PVC default/p-scratch was not created for pod default/p (pod is not owner)");
  world.claim("p-scratch", "csi", "1Gi", {made_for("p")});
  EXPECT_EQ(said(PodSketch("p").shaped(with_ephemeral_volume("scratch"))), "Success");
  world.csi_node("n", {});
  EXPECT_EQ(said(PodSketch("p").shaped(amazon("aws://za/nonsense"))),
            "Error | converting volume(disk) from inline to csi: failed to translate Kubernetes ID to EBS Volume ID "
            "Invalid format for AWS volume (aws://za/nonsense)");
}

TEST_F(NodeVolumeLimits, AMissingClaimOfAPodThatIsThereDoesNotCount) {
  world.csi_node("n", {{kDriver, 1}});
  world.place(PodSketch("there").on("n").shaped(using_claim("gone")));
  EXPECT_EQ(said(with({"a"})), "Success");
}

TEST_F(NodeVolumeLimits, OldVolumesCountForTheDriverThatTookOver) {
  world.volume("pv-old", "ebs", "1Gi", {amazon_disk("aws://za/vol-1")});
  world.claim("old", "ebs", "1Gi", {bound_to_volume("pv-old")});
  world.csi_node("n", {{kEbs, 1}});
  world.place(PodSketch("there").on("n").shaped(amazon("vol-1")));
  EXPECT_EQ(said(with({"old"})), "Success");  // the same disk
  EXPECT_EQ(said(PodSketch("p").shaped(amazon("vol-2"))), kTooMany);
}

TEST_F(NodeVolumeLimits, ADriverMayInsistOnBeingThere) {
  api::CsiDriver driver;
  driver.metadata.name = std::string(kDriver);
  driver.spec.prevent_pod_scheduling_if_missing = true;
  world.set(driver);
  EXPECT_EQ(said(with({"a"})), "Success");
  world.gates = world.gates.with(config::Feature::kVolumeLimitScaling, true);
  EXPECT_EQ(said(with({"a"})), "Unschedulable | csi.example.com CSI driver is not installed on the node");
  world.csi_node("n", {{kDriver, std::nullopt}});
  EXPECT_EQ(said(with({"a"})), "Success");
}

}  // namespace
}  // namespace berth::plugins
