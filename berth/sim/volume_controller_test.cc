#include "berth/sim/volume_controller.h"

#include <gtest/gtest.h>

#include "berth/plugins/volume_claims.h"
#include "berth/sim/controllers_testing.h"

namespace berth::sim {
namespace {

using testing::Cluster;

void add_class(Cluster& cluster, std::string_view name, std::string_view mode,
               std::string_view provisioner = "disk.example.com") {
  cluster.apply("{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " + std::string(name) +
                "}, provisioner: " + std::string(provisioner) + ", volumeBindingMode: " + std::string(mode) + "}");
}
void add_claim(Cluster& cluster, std::string_view name, std::string_view storage_class) {
  cluster.apply("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " + std::string(name) +
                "}, spec: {accessModes: [ReadWriteOnce], storageClassName: " + std::string(storage_class) +
                ", resources: {requests: {storage: 5Gi}}}}");
}
void add_volume(Cluster& cluster, std::string_view name, std::string_view storage_class, std::string_view size) {
  cluster.apply("{apiVersion: v1, kind: PersistentVolume, metadata: {name: " + std::string(name) +
                "}, spec: {accessModes: [ReadWriteOnce], persistentVolumeReclaimPolicy: Retain, storageClassName: " +
                std::string(storage_class) + ", capacity: {storage: " + std::string(size) + "}}}");
}
using Claim = api::PersistentVolumeClaim;
using Volume = api::PersistentVolume;

void select_node(Cluster& cluster, std::string_view claim, std::string_view node) {
  cluster.edit<Claim>(claim, [&](Claim& changed) {
    changed.metadata.annotations = api::Annotations{{"volume.kubernetes.io/selected-node", std::string(node)}};
  });
}

TEST(VolumeController, BindsAnImmediateClaimToTheSmallestVolumeThatDoes) {
  Cluster cluster;
  add_volume(cluster, "large", "manual", "50Gi");
  add_volume(cluster, "fitting", "manual", "6Gi");
  add_volume(cluster, "small", "manual", "1Gi");
  add_volume(cluster, "elsewhere", "other", "5Gi");
  add_claim(cluster, "data", "manual");
  cluster.agenda.run_until_idle();
  const auto claim = cluster.get<Claim>("data");
  EXPECT_EQ(claim->spec.volume_name, "fitting");
  EXPECT_TRUE(plugins::is_fully_bound(*claim));
  EXPECT_EQ(claim->status.phase, "Bound");
  EXPECT_EQ(cluster.get<Volume>("fitting")->status.phase, "Bound");
  EXPECT_EQ(cluster.get<Volume>("fitting")->spec.claim_ref->uid, claim->metadata.uid);
  EXPECT_EQ(cluster.get<Volume>("large")->status.phase, "Available");
}

TEST(VolumeController, BindsAClaimThatWaitedForAVolume) {
  Cluster cluster;
  add_claim(cluster, "data", "manual");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.get<Claim>("data")->spec.volume_name, "");
  add_volume(cluster, "late", "manual", "5Gi");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.get<Claim>("data")->spec.volume_name, "late");
}

TEST(VolumeController, ProvisionsAnImmediateClaimOfAClassWithAProvisioner) {
  Cluster cluster;
  add_class(cluster, "fast", "Immediate");
  add_claim(cluster, "data", "fast");
  cluster.agenda.run_until_idle();
  const auto claim = cluster.get<Claim>("data");
  ASSERT_TRUE(plugins::is_fully_bound(*claim));
  const auto volume = cluster.get<Volume>(claim->spec.volume_name);
  EXPECT_EQ(volume->spec.source.csi->driver, "disk.example.com");
  EXPECT_FALSE(volume->spec.node_affinity->has_value());
  EXPECT_EQ(cluster.agenda.elapsed() >= cluster.faults.provision.low, true);
}

TEST(VolumeController, LeavesADelayedClaimAloneUntilTheSchedulerHasChosenANode) {
  Cluster cluster;
  cluster.add_node("n1", "west");
  add_class(cluster, "local", "WaitForFirstConsumer");
  add_claim(cluster, "data", "local");
  cluster.agenda.run_until(Duration::minutes(1));
  EXPECT_EQ(cluster.get<Claim>("data")->spec.volume_name, "");
  select_node(cluster, "data", "n1");
  cluster.agenda.run_until_idle();
  const auto claim = cluster.get<Claim>("data");
  ASSERT_TRUE(plugins::is_fully_bound(*claim));
  const auto volume = cluster.get<Volume>(claim->spec.volume_name);
  const api::NodeSelectorTerm& term = (*volume->spec.node_affinity)->required->node_selector_terms[0];
  EXPECT_EQ(term.match_expressions[0].key, "topology.kubernetes.io/zone");
  EXPECT_EQ(term.match_expressions[0].values[0], "west");
}

TEST(VolumeController, ProvisionsByTheTopologyThatTheDriverNames) {
  Cluster cluster;
  cluster.add_node("n1", "west");
  cluster.apply(R"({apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: {drivers: [{name:
    disk.example.com, nodeID: n1, topologyKeys: [kubernetes.io/hostname]}]}})");
  add_class(cluster, "local", "WaitForFirstConsumer");
  add_claim(cluster, "data", "local");
  select_node(cluster, "data", "n1");
  cluster.agenda.run_until_idle();
  const auto volume = cluster.get<Volume>(cluster.get<Claim>("data")->spec.volume_name);
  ASSERT_NE(volume, nullptr);
  const api::NodeSelectorTerm& term = (*volume->spec.node_affinity)->required->node_selector_terms[0];
  EXPECT_EQ(term.match_expressions[0].key, "kubernetes.io/hostname");
  EXPECT_EQ(term.match_expressions[0].values[0], "n1");
}

TEST(VolumeController, TakesTheChosenNodeBackIfItIsGone) {
  Cluster cluster;
  add_class(cluster, "local", "WaitForFirstConsumer");
  add_claim(cluster, "data", "local");
  select_node(cluster, "data", "nowhere");
  cluster.agenda.run_until_idle();
  EXPECT_FALSE(
      cluster.get<Claim>("data")->metadata.annotations->contains(Symbol("volume.kubernetes.io/selected-node")));
}

TEST(VolumeController, CompletesTheBindingThatTheSchedulerBegan) {
  Cluster cluster;
  add_class(cluster, "local", "WaitForFirstConsumer", "kubernetes.io/no-provisioner");
  add_volume(cluster, "disk", "local", "10Gi");
  add_claim(cluster, "data", "local");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.get<Volume>("disk")->status.phase, "Available");
  const std::string uid = cluster.get<Claim>("data")->metadata.uid;
  cluster.edit<Volume>("disk", [&](Volume& disk) {
    api::ObjectReference& reference = disk.spec.claim_ref.emplace();
    reference.name = "data";
    reference.name_space = Symbol("default");
    reference.uid = uid;
  });
  cluster.agenda.run_until_idle();
  EXPECT_TRUE(plugins::is_fully_bound(*cluster.get<Claim>("data")));
  EXPECT_EQ(cluster.get<Claim>("data")->spec.volume_name, "disk");
  EXPECT_EQ(cluster.get<Volume>("disk")->status.phase, "Bound");
}

TEST(VolumeController, ReleasesOrDeletesTheVolumeOfADeletedClaim) {
  Cluster cluster;
  add_volume(cluster, "kept", "manual", "5Gi");
  add_class(cluster, "fast", "Immediate");
  add_claim(cluster, "manual", "manual");
  add_claim(cluster, "made", "fast");
  cluster.agenda.run_until_idle();
  const std::string made = cluster.get<Claim>("made")->spec.volume_name;
  cluster.remove<Claim>("manual");
  cluster.remove<Claim>("made");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.get<Volume>("kept")->status.phase, "Released");
  EXPECT_EQ(cluster.get<Volume>(made), nullptr);
}

TEST(VolumeController, CallsAClaimLostWhoseVolumeIsGone) {
  Cluster cluster;
  add_volume(cluster, "disk", "manual", "5Gi");
  add_claim(cluster, "data", "manual");
  cluster.agenda.run_until_idle();
  cluster.remove<Volume>("disk");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.get<Claim>("data")->status.phase, "Lost");
}

TEST(VolumeController, MakesTheClaimsOfEphemeralVolumesAndTakesThemAway) {
  Cluster cluster;
  cluster.add_node("n1");
  cluster.apply(R"({apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: [{name: scratch, ephemeral:
    {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]}})");
  cluster.agenda.run_until_idle();
  ASSERT_NE(cluster.get<Claim>("p-scratch"), nullptr);
  EXPECT_EQ(api::controller_of(cluster.get<Claim>("p-scratch")->metadata)->name, "p");
  cluster.remove<api::Pod>("p");
  cluster.agenda.run_until_idle();
  EXPECT_EQ(cluster.get<Claim>("p-scratch"), nullptr);
}

}  // namespace
}  // namespace berth::sim
