#include "berth/plugins/volume_zone.h"

#include <gtest/gtest.h>

#include "berth/plugins/volume_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

constexpr std::string_view kOtherZone = "UnschedulableAndUnresolvable | node(s) had no available volume zone";
constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";

TEST(VolumeZone, NodesHaveToBeInTheZonesOfTheVolume) {
  struct {
    std::string_view what;
    std::string_view key, zones;
    NodeSketch node;
    std::string_view verdict;
  } const cases[] = {
      {"same zone", kZone, "a", NodeSketch("n").labelled(kZone, "a"), "Success"},
      {"another zone", kZone, "a", NodeSketch("n").labelled(kZone, "b"), kOtherZone},
      {"one of several", kZone, "a__b", NodeSketch("n").labelled(kZone, "b"), "Success"},
      {"blanks around a zone", kZone, "a __ b", NodeSketch("n").labelled(kZone, "b"), "Success"},
      {"a node without labels", kZone, "a", NodeSketch("n"), "Success"},
      {"a node with another label", kZone, "a", NodeSketch("n").labelled("topology.kubernetes.io/region", "r"),
       kOtherZone},
      {"old label on both", kBetaZone, "a", NodeSketch("n").labelled(kBetaZone, "a"), "Success"},
      {"old label on the volume", kBetaZone, "a", NodeSketch("n").labelled(kZone, "a"), "Success"},
      {"old label on the node alone", kZone, "a", NodeSketch("n").labelled(kBetaZone, "a"), kOtherZone},
      {"an empty part", kZone, "a__", NodeSketch("n").labelled(kZone, "b"), "PreFilter Skip"},
  };
  for (const auto& each : cases) {
    StorageWorld world;
    world.node(each.node);
    world.volume("pv", "csi", "1Gi", {volume_labelled(each.key, each.zones)});
    world.claim("data", "csi", "1Gi", {bound_to_volume("pv")});
    const auto plugin = world.make(make_volume_zone);
    EXPECT_EQ(ask(*plugin, world, PodSketch("p").shaped(using_claim("data")), "n"), each.verdict) << each.what;
  }
}

TEST(VolumeZone, ClaimsThatAreNotBoundYet) {
  StorageWorld world;
  world.node(NodeSketch("n").labelled(kZone, "a"));
  world.storage_class("waits", "csi.example.com");
  world.storage_class("now", "csi.example.com", "Immediate");
  world.storage_class("unset", "csi.example.com", "");
  world.claim("waits", "waits", "1Gi");
  world.claim("now", "now", "1Gi");
  world.claim("unset", "unset", "1Gi");
  world.claim("no-class", "", "1Gi");
  world.claim("class-gone", "gone", "1Gi");
  world.claim("volume-gone", "waits", "1Gi", {bound_to_volume("pv")});
  const auto plugin = world.make(make_volume_zone);
  const auto said = [&](std::string_view claim) {
    return ask(*plugin, world, PodSketch("p").shaped(using_claim(claim)), "n");
  };
  const std::string rejected = "PreFilter UnschedulableAndUnresolvable | ";
  EXPECT_EQ(said("waits"), "PreFilter Skip");
  EXPECT_EQ(said("now"), rejected + "PersistentVolume had no name");
  EXPECT_EQ(said("unset"), rejected + "VolumeBindingMode not set for StorageClass \"unset\"");
  EXPECT_EQ(said("no-class"), rejected + "PersistentVolumeClaim had no pv name and storageClass name");
  EXPECT_EQ(said("class-gone"), rejected + "storageclass.storage.k8s.io \"gone\" not found");
  EXPECT_EQ(said("volume-gone"), rejected + "persistentvolume \"pv\" not found");
  EXPECT_EQ(said("gone"), rejected + "persistentvolumeclaim \"gone\" not found");
  EXPECT_EQ(said(""), rejected + "PersistentVolumeClaim had no name");
}

TEST(VolumeZone, LeavesEphemeralVolumesAlone) {
  StorageWorld world;
  world.node(NodeSketch("n").labelled(kZone, "a"));
  const auto plugin = world.make(make_volume_zone);
  EXPECT_EQ(ask(*plugin, world, PodSketch("p").shaped(with_ephemeral_volume("scratch")), "n"), "PreFilter Skip");
  EXPECT_EQ(ask(*plugin, world, PodSketch("p"), "n"), "PreFilter Skip");
}

}  // namespace
}  // namespace berth::plugins
