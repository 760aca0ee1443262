// The hints of VolumeRestrictions, NodeVolumeLimits, VolumeBinding and VolumeZone.

#include "berth/plugins/hint_testing.h"
#include "berth/plugins/node_volume_limits_hints.h"
#include "berth/plugins/volume_binding_hints.h"
#include "berth/plugins/volume_restrictions_hints.h"
#include "berth/plugins/volume_zone_hints.h"

namespace berth::plugins::testing {
namespace {

const PodSketch kPod("waiting"), kOther("other");

// Binds the options to a hint that has some.
template <typename Options>
queue::Hint bound(HintAnswer (*hint)(const api::Pod&, const EventObjects&, const Options&), HintQuirks quirks = {}) {
  return [hint, quirks](const api::Pod& pod, const EventObjects& objects) { return hint(pod, objects, {quirks}); };
}

Shape with_volume(std::function<void(api::VolumeSource&)> make) {
  return [make = std::move(make)](api::PodTemplate& pod) { make(pod.volumes.emplace_back().source); };
}
Shape with_gce_disk(std::string_view name, bool read_only = false) {
  return with_volume([name = std::string(name), read_only](api::VolumeSource& source) {
    source.gce_persistent_disk.emplace().pd_name = name;
    source.gce_persistent_disk->read_only = read_only;
  });
}
Shape with_ebs_disk(std::string_view id) {
  return with_volume(
      [id = std::string(id)](api::VolumeSource& source) { source.aws_elastic_block_store.emplace().volume_id = id; });
}
Shape with_rbd(std::vector<std::string> monitors, std::string_view image) {
  return with_volume([monitors, image = std::string(image)](api::VolumeSource& source) {
    source.rbd.emplace().monitors = monitors;
    source.rbd->image = image;
  });
}
Shape with_iscsi(std::string_view iqn) {
  return with_volume([iqn = std::string(iqn)](api::VolumeSource& source) { source.iscsi.emplace().iqn = iqn; });
}

TEST(VolumeRestrictionsHints, WakeWhenADiskIsFree) {
  const PodSketch disk = kPod.shaped(with_gce_disk("a")), reader = kPod.shaped(with_gce_disk("a", true));
  const std::vector<Case> cases = {
      {"the disk", disk, deleted(kOther.shaped(with_gce_disk("a"))), kQueue},
      {"another disk", disk, deleted(kOther.shaped(with_gce_disk("b"))), kSkip},
      {"a disk that both read", reader, deleted(kOther.shaped(with_gce_disk("a", true))), kSkip},
      {"a disk that one of them writes", reader, deleted(kOther.shaped(with_gce_disk("a"))), kQueue},
      {"the EBS volume", kPod.shaped(with_ebs_disk("v")), deleted(kOther.shaped(with_ebs_disk("v"))), kQueue},
      {"the iSCSI target", kPod.shaped(with_iscsi("i")), deleted(kOther.shaped(with_iscsi("i"))), kQueue},
      {"the RBD image", kPod.shaped(with_rbd({"m1", "m2"}, "i")), deleted(kOther.shaped(with_rbd({"m2"}, "i"))),
       kQueue},
      {"an RBD image elsewhere", kPod.shaped(with_rbd({"m1"}, "i")), deleted(kOther.shaped(with_rbd({"m2"}, "i"))),
       kSkip},
      {"the claim", kPod.shaped(using_claim("c")), deleted(kOther.shaped(using_claim("c"))), kQueue},
      {"a claim of that name elsewhere", kPod.shaped(using_claim("c")),
       deleted(kOther.shaped(using_claim("c")).in("elsewhere")), kSkip},
      {"no old object", disk, added(kOther), kError},
  };
  check(bound(volume_restrictions_after_pod_delete), cases);
  check(bound(volume_restrictions_after_pod_delete, HintQuirks::upstream()), cases);
  const EventObjects disk_elsewhere = deleted(kOther.shaped(with_gce_disk("a")).in("elsewhere"));
  check(bound(volume_restrictions_after_pod_delete), {{"the disk, elsewhere", disk, disk_elsewhere, kQueue}});
  check(bound(volume_restrictions_after_pod_delete, HintQuirks::upstream()),
        {{"upstream: the disk, elsewhere", disk, disk_elsewhere, kSkip}});
}

TEST(VolumeRestrictionsHints, WakeWhenAClaimAppears) {
  check(volume_restrictions_after_claim_add,
        {{"its claim", kPod.shaped(using_claim("c")), added(claim_named("default", "c")), kQueue},
         {"another claim", kPod.shaped(using_claim("c")), added(claim_named("default", "d")), kSkip},
         {"a claim elsewhere", kPod.shaped(using_claim("c")), added(claim_named("elsewhere", "c")), kSkip},
         {"the claim of an ephemeral volume", kPod.shaped(with_ephemeral_volume("v")),
          added(claim_named("default", "waiting-v")), kSkip},
         {"an object of another kind", kPod, added(kOther), kError}});
}

api::CsiNode csi_node(std::vector<std::pair<std::string_view, std::optional<std::int32_t>>> drivers) {
  api::CsiNode node;
  for (const auto& [name, count] : drivers) {
    api::CsiNodeDriver& driver = node.spec.drivers.emplace_back();
    driver.name = Symbol(name);
    if (count) driver.allocatable = api::VolumeNodeResources{count};
  }
  return node;
}

TEST(NodeVolumeLimitsHints, WakeWhenADriverAllowsMore) {
  const std::vector<Case> cases = {
      {"more", kPod, updated(csi_node({{"a", 1}}), csi_node({{"a", 2}})), kQueue},
      {"less", kPod, updated(csi_node({{"a", 2}}), csi_node({{"a", 1}})), kSkip},
      {"as before", kPod, updated(csi_node({{"a", 2}}), csi_node({{"a", 2}})), kSkip},
      {"no old object", kPod, added(csi_node({{"a", 2}})), kError},
  };
  check(bound(node_volume_limits_after_csi_node_update), cases);
  check(bound(node_volume_limits_after_csi_node_update, HintQuirks::upstream()), cases);
  const EventObjects lifted = updated(csi_node({{"a", 2}}), csi_node({{"a", {}}})),
                     gone = updated(csi_node({{"a", 2}}), csi_node({})),
                     new_limit = updated(csi_node({}), csi_node({{"a", 2}}));
  check(bound(node_volume_limits_after_csi_node_update), {{"a limit that is lifted", kPod, lifted, kQueue},
                                                          {"a driver that is gone", kPod, gone, kQueue},
                                                          {"a driver with a limit comes", kPod, new_limit, kSkip}});
  check(bound(node_volume_limits_after_csi_node_update, HintQuirks::upstream()),
        {{"upstream: a limit that is lifted", kPod, lifted, kSkip},
         {"upstream: a driver that is gone", kPod, gone, kSkip},
         {"upstream: a driver with a limit comes", kPod, new_limit, kQueue}});
}

TEST(NodeVolumeLimitsHints, WakeWhenAPodWithVolumesGoes) {
  check(node_volume_limits_after_pod_delete,
        {{"with a claim", kPod, deleted(kOther.shaped(using_claim("c")).on("node")), kQueue},
         {"with an ephemeral volume", kPod, deleted(kOther.shaped(with_ephemeral_volume("v")).on("node")), kQueue},
         {"with a disk", kPod, deleted(kOther.shaped(with_gce_disk("a")).on("node")), kQueue},
         {"with iSCSI, which no CSI driver took over", kPod, deleted(kOther.shaped(with_iscsi("i")).on("node")), kSkip},
         {"without a node", kPod, deleted(kOther.shaped(using_claim("c"))), kSkip},
         {"without volumes", kPod, deleted(kOther.on("node")), kSkip},
         {"no old object", kPod, added(kOther), kError}});
}

TEST(NodeVolumeLimitsHints, WakeWhenAClaimAppears) {
  const PodSketch ephemeral = kPod.shaped(with_ephemeral_volume("v"));
  check(node_volume_limits_after_claim_add,
        {{"its claim", kPod.shaped(using_claim("c")), added(claim_named("default", "c")), kQueue},
         {"the claim of its ephemeral volume", ephemeral, added(claim_named("default", "waiting-v")), kQueue},
         {"the claim of another volume", ephemeral, added(claim_named("default", "waiting-w")), kSkip},
         {"the claim of another pod", ephemeral, added(claim_named("default", "vvvvvvv-v")), kSkip},
         {"a claim elsewhere", kPod.shaped(using_claim("c")), added(claim_named("elsewhere", "c")), kSkip}});
}

TEST(NodeVolumeLimitsHints, WakeWhenAVolumeIsDetached) {
  api::VolumeAttachment ebs;
  ebs.spec.attacher = Symbol("ebs.csi.aws.com");
  const std::vector<Case> cases = {
      {"a pod with a claim", kPod.shaped(using_claim("c")), deleted(ebs), kQueue},
      {"a pod with a disk of that driver", kPod.shaped(with_ebs_disk("vol-1")), deleted(ebs), kQueue},
      {"a disk of that driver, with its zone", kPod.shaped(with_ebs_disk("aws://z1/vol-1")), deleted(ebs), kQueue},
      {"a disk that cannot be", kPod.shaped(with_ebs_disk("aws://z1/disk-1")), deleted(ebs), kError},
      {"a disk of another driver", kPod.shaped(with_gce_disk("a")), deleted(ebs), kSkip},
      {"a pod without volumes", kPod, deleted(ebs), kSkip},
      {"no old object", kPod, added(ebs), kError},
  };
  check(bound(node_volume_limits_after_detach), cases);
  check(bound(node_volume_limits_after_detach, HintQuirks::upstream()), cases);
  const PodSketch ephemeral = kPod.shaped(with_ephemeral_volume("v"));
  check(bound(node_volume_limits_after_detach), {{"a pod with an ephemeral volume", ephemeral, deleted(ebs), kQueue}});
  check(bound(node_volume_limits_after_detach, HintQuirks::upstream()),
        {{"upstream: a pod with an ephemeral volume", ephemeral, deleted(ebs), kSkip}});
}

TEST(VolumeBindingHints, WakeForStorageClasses) {
  api::StorageClass plain, zonal;
  zonal.allowed_topologies.push_back({{{Symbol("zone"), {Symbol("z1")}}}});
  check(volume_binding_after_storage_class_change, {{"a new class", kPod, added(plain), kQueue},
                                                    {"other places", kPod, updated(plain, zonal), kQueue},
                                                    {"the same places", kPod, updated(zonal, zonal), kSkip},
                                                    {"a class that is gone", kPod, deleted(plain), kError}});
}

TEST(VolumeBindingHints, WakeForItsClaims) {
  check(volume_binding_after_claim_change,
        {{"its claim", kPod.shaped(using_claim("c")), added(claim_named("default", "c")), kQueue},
         {"the claim of its ephemeral volume", kPod.shaped(with_ephemeral_volume("v")),
          updated(claim_named("default", "waiting-v"), claim_named("default", "waiting-v")), kQueue},
         {"another claim", kPod.shaped(using_claim("c")), added(claim_named("default", "d")), kSkip},
         {"a claim elsewhere", kPod.shaped(using_claim("c")), added(claim_named("elsewhere", "c")), kSkip}});
}

TEST(VolumeBindingHints, WakeWhenDriversOfANodeTakeOver) {
  api::CsiNode plain, migrated;
  api::Annotations annotations;
  annotations[Symbol("storage.alpha.kubernetes.io/migrated-plugins")] = "kubernetes.io/gce-pd";
  migrated.metadata.annotations = annotations;
  check(volume_binding_after_csi_node_change, {{"a new node", kPod, added(plain), kQueue},
                                               {"a driver more", kPod, updated(plain, migrated), kQueue},
                                               {"the same drivers", kPod, updated(migrated, migrated), kSkip},
                                               {"an object of another kind", kPod, updated(kPod, kPod), kError}});
}

TEST(VolumeBindingHints, WakeWhenADriverStopsPublishingCapacity) {
  const auto driver = [](std::optional<bool> capacity) {
    api::CsiDriver made;
    made.metadata.name = "csi.example.com";
    made.spec.storage_capacity = capacity;
    return made;
  };
  const auto with_csi = [](std::string_view name) {
    return with_volume([name = Symbol(name)](api::VolumeSource& source) { source.csi.emplace().driver = name; });
  };
  const PodSketch own = kPod.shaped(with_csi("csi.example.com"));
  const std::vector<Case> cases = {
      {"a volume of the driver", own, updated(driver(true), driver(false)), kQueue},
      {"a volume of the driver, unset now", own, updated(driver(true), driver({})), kQueue},
      {"it publishes now", own, updated(driver(false), driver(true)), kSkip},
      {"it never did", own, updated(driver({}), driver(false)), kSkip},
      {"a volume of another driver", kPod.shaped(with_csi("other")), updated(driver(true), driver(false)), kSkip},
      {"no old object", own, added(driver(false)), kError},
  };
  check(bound(volume_binding_after_csi_driver_update), cases);
  check(bound(volume_binding_after_csi_driver_update, HintQuirks::upstream()), cases);
  const PodSketch claim = kPod.shaped(using_claim("c"));
  check(bound(volume_binding_after_csi_driver_update),
        {{"a claim", claim, updated(driver(true), driver(false)), kQueue}});
  check(bound(volume_binding_after_csi_driver_update, HintQuirks::upstream()),
        {{"upstream: a claim", claim, updated(driver(true), driver(false)), kSkip}});
}

TEST(VolumeBindingHints, WakeForMoreCapacity) {
  const auto capacity = [](std::optional<std::string_view> size, std::optional<std::string_view> largest = {}) {
    api::CsiStorageCapacity made;
    if (size) made.capacity = api::Quantity::parse(*size).value();
    if (largest) made.maximum_volume_size = api::Quantity::parse(*largest).value();
    return made;
  };
  check(volume_binding_after_capacity_change,
        {{"a new one", kPod, added(capacity({})), kQueue},
         {"more", kPod, updated(capacity("1Gi"), capacity("2Gi")), kQueue},
         {"less", kPod, updated(capacity("2Gi"), capacity("1Gi")), kSkip},
         {"the first", kPod, updated(capacity({}), capacity("1Gi")), kQueue},
         {"none any more", kPod, updated(capacity("1Gi"), capacity({})), kSkip},
         {"the largest volume counts", kPod, updated(capacity("1Gi", "5Gi"), capacity("9Gi", "5Gi")), kSkip}});
}

TEST(VolumeZoneHints, WakeForClassesThatWait) {
  const auto storage_class = [](std::optional<Symbol> mode) {
    api::StorageClass made;
    made.volume_binding_mode = mode;
    return made;
  };
  check(volume_zone_after_storage_class_add,
        {{"one that waits", kPod, added(storage_class(Symbol("WaitForFirstConsumer"))), kQueue},
         {"one that does not", kPod, added(storage_class(Symbol("Immediate"))), kSkip},
         {"one that does not say", kPod, added(storage_class({})), kSkip},
         {"an object of another kind", kPod, added(kPod), kError}});
}

TEST(VolumeZoneHints, WakeForItsClaims) {
  check(volume_zone_after_claim_change,
        {{"its claim", kPod.shaped(using_claim("c")), added(claim_named("default", "c")), kQueue},
         {"another claim", kPod.shaped(using_claim("c")), added(claim_named("default", "d")), kSkip},
         {"the claim of its ephemeral volume", kPod.shaped(with_ephemeral_volume("v")),
          added(claim_named("default", "waiting-v")), kSkip}});
}

TEST(VolumeZoneHints, WakeForVolumesThatMove) {
  const auto volume = [](api::Labels labels) {
    api::PersistentVolume made;
    made.metadata.labels = std::move(labels);
    return made;
  };
  const auto zone = [&volume](std::string_view value) {
    return volume({{"topology.kubernetes.io/zone", Symbol(value)}});
  };
  check(volume_zone_after_volume_change,
        {{"a new volume", kPod, added(volume({})), kQueue},
         {"another zone", kPod, updated(zone("z1"), zone("z2")), kQueue},
         {"a zone more", kPod, updated(zone("z1"), zone("z1__z2")), kQueue},
         {"the zones in another order", kPod, updated(zone("z2__z1"), zone("z1__z2__z1")), kSkip},
         {"an invalid label instead of none", kPod, updated(volume({}), zone("z1__")), kSkip},
         {"a label that is no topology", kPod, updated(volume({}), volume({{"a", Symbol("b")}})), kSkip},
         {"a volume that is gone", kPod, deleted(volume({})), kError}});
}

}  // namespace
}  // namespace berth::plugins::testing
