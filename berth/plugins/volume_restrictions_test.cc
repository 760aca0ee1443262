#include "berth/plugins/volume_restrictions.h"

#include <gtest/gtest.h>

#include "berth/plugins/volume_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

constexpr std::string_view kDiskTaken = "Unschedulable | node(s) had no available disk";
constexpr std::string_view kClaimTaken =
    "Unschedulable | node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use "
    "by another pod";

Shape google_disk(std::string_view name, bool read_only) {
  return [=](api::PodTemplate& pod) {
    auto& disk = pod.volumes.emplace_back().source.gce_persistent_disk.emplace();
    disk.pd_name = std::string(name);
    disk.read_only = read_only;
  };
}
Shape amazon(std::string_view id, bool read_only) {
  return [=](api::PodTemplate& pod) {
    auto& disk = pod.volumes.emplace_back().source.aws_elastic_block_store.emplace();
    disk.volume_id = std::string(id);
    disk.read_only = read_only;
  };
}
Shape iscsi(std::string_view iqn, bool read_only) {
  return [=](api::PodTemplate& pod) {
    auto& disk = pod.volumes.emplace_back().source.iscsi.emplace();
    disk.iqn = std::string(iqn);
    disk.read_only = read_only;
  };
}
Shape ceph(std::vector<std::string> monitors, std::string_view pool, std::string_view image, bool read_only) {
  return [=](api::PodTemplate& pod) {
    auto& disk = pod.volumes.emplace_back().source.rbd.emplace();
    disk.monitors = monitors;
    disk.pool = Symbol(pool);
    disk.image = std::string(image);
    disk.read_only = read_only;
  };
}

TEST(VolumeRestrictions, DisksAreSharedOnlyWhereTheyCanBe) {
  struct {
    std::string_view what;
    Shape there, incoming;
    bool fits;
  } const cases[] = {
      {"another google disk", google_disk("a", false), google_disk("b", false), true},
      {"one of them writes", google_disk("a", true), google_disk("a", false), false},
      {"both only read", google_disk("a", true), google_disk("a", true), true},
      {"amazon disks are never shared", amazon("vol-1", true), amazon("vol-1", true), false},
      {"iscsi, both read", iscsi("iqn", true), iscsi("iqn", true), true},
      {"iscsi, one writes", iscsi("iqn", false), iscsi("iqn", true), false},
      {"ceph, a common monitor", ceph({"a", "b"}, "p", "i", false), ceph({"b", "c"}, "p", "i", false), false},
      {"ceph, no common monitor", ceph({"a"}, "p", "i", false), ceph({"c"}, "p", "i", false), true},
      {"ceph, another pool", ceph({"a"}, "p", "i", false), ceph({"a"}, "q", "i", false), true},
      {"ceph, both read", ceph({"a"}, "p", "i", true), ceph({"a"}, "p", "i", true), true},
  };
  for (const auto& each : cases) {
    StorageWorld world;
    world.node(NodeSketch("n"));
    world.node(NodeSketch("empty"));
    world.place(PodSketch("there").on("n").shaped(each.there));
    const auto plugin = world.make(make_volume_restrictions);
    const api::Pod pod = PodSketch("p").shaped(each.incoming);
    EXPECT_EQ(ask(*plugin, world, pod, "n"), each.fits ? "Success" : kDiskTaken) << each.what;
    EXPECT_EQ(ask(*plugin, world, pod, "empty"), "Success") << each.what;
  }
}

TEST(VolumeRestrictions, SkipsPodsThatHaveNothingToShare) {
  StorageWorld world;
  world.node(NodeSketch("n"));
  world.claim("data", "", "1Gi", {with_mode("ReadWriteOnce")});
  world.claim("own", "", "1Gi", {with_mode("ReadWriteOncePod")});
  world.place(PodSketch("there").on("n").shaped(using_claim("data")));
  const auto plugin = world.make(make_volume_restrictions);
  EXPECT_EQ(ask(*plugin, world, PodSketch("p"), "n"), "PreFilter Skip");
  EXPECT_EQ(ask(*plugin, world, PodSketch("p").shaped(using_claim("data")), "n"), "PreFilter Skip");
  EXPECT_EQ(ask(*plugin, world, PodSketch("p").shaped(using_claim("own")), "n"), "PreFilter Skip");
}

TEST(VolumeRestrictions, AMissingClaimKeepsThePodWaiting) {
  StorageWorld world;
  world.node(NodeSketch("n"));
  const auto plugin = world.make(make_volume_restrictions);
  EXPECT_EQ(ask(*plugin, world, PodSketch("p").shaped(using_claim("gone")), "n"),
            "PreFilter UnschedulableAndUnresolvable | persistentvolumeclaim \"gone\" not found");
}

// The verdict on a node after the dry run has taken these pods away.
std::string without(const framework::Plugin& plugin, StorageWorld& world, const api::Pod& pod,
                    const std::vector<api::Pod>& victims) {
  const auto& filters = dynamic_cast<const framework::FilterPlugin&>(plugin);
  const auto filtered = filters.pre_filter(StorageWorld::to_place(pod), world.view());
  const auto filter = filtered.filter->clone();
  cache::NodeState node = world.nodes.at(world.nodes.row_of(Symbol("n")));
  for (const api::Pod& victim : victims) filter->remove_pod(world.placed(victim), node);
  return verdict_on(*filter, node);
}

TEST(VolumeRestrictions, AClaimForOnePodIsTakenEverywhereUntilItsUserGoes) {
  StorageWorld world;
  world.node(NodeSketch("n"));
  world.node(NodeSketch("other"));
  world.claim("own", "", "1Gi", {with_mode("ReadWriteOncePod")});
  const api::Pod user = PodSketch("user").on("n").shaped(using_claim("own"));
  const api::Pod stranger = PodSketch("stranger").in("elsewhere").on("n").shaped(using_claim("own"));
  world.place(user);
  world.place(stranger);
  const api::Pod pod = PodSketch("p").shaped(using_claim("own"));

  const auto plugin = world.make(make_volume_restrictions);
  EXPECT_EQ(ask(*plugin, world, pod, "n"), kClaimTaken);
  EXPECT_EQ(ask(*plugin, world, pod, "other"), kClaimTaken);
  EXPECT_EQ(without(*plugin, world, pod, {user}), "Success");
  EXPECT_EQ(without(*plugin, world, pod, {stranger}), kClaimTaken);

  world.quirks.victim_frees_claim_of_any_namespace = true;
  EXPECT_EQ(without(*world.make(make_volume_restrictions), world, pod, {stranger}), "Success");
}

TEST(VolumeRestrictions, OneOfTwoUsersDoesNotFreeAClaim) {
  StorageWorld world;
  world.node(NodeSketch("n"));
  world.claim("own", "", "1Gi", {with_mode("ReadWriteOncePod")});
  const api::Pod first = PodSketch("first").on("n").shaped(using_claim("own"));
  const api::Pod second = PodSketch("second").on("n").shaped(using_claim("own"));
  world.place(first);
  world.place(second);
  const api::Pod pod = PodSketch("p").shaped(using_claim("own"));
  const auto plugin = world.make(make_volume_restrictions);
  EXPECT_EQ(without(*plugin, world, pod, {first}), kClaimTaken);
  EXPECT_EQ(without(*plugin, world, pod, {first, second}), "Success");
}

TEST(VolumeRestrictions, WhatDependsOnDisksAloneIsKeptForTheNextPod) {
  StorageWorld world;
  world.node(NodeSketch("n"));
  world.claim("own", "", "1Gi", {with_mode("ReadWriteOncePod")});
  const auto plugin = world.make(make_volume_restrictions);
  const auto scope_of = [&](const api::Pod& pod) {
    const auto& filters = dynamic_cast<const framework::FilterPlugin&>(*plugin);
    return filters.pre_filter(StorageWorld::to_place(pod), world.view()).filter->scope();
  };
  const PodSketch disk = PodSketch("p").shaped(google_disk("a", false));
  EXPECT_EQ(scope_of(disk), framework::PodFilter::Scope::kNode);
  EXPECT_EQ(scope_of(disk.shaped(using_claim("own"))), framework::PodFilter::Scope::kAttempt);
}

}  // namespace
}  // namespace berth::plugins
