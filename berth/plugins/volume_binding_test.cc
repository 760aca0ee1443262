#include "berth/plugins/volume_binding.h"

#include <gtest/gtest.h>

#include "berth/plugins/volume_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

const std::string kRejected = "UnschedulableAndUnresolvable | ";
const std::string kNodeConflict = kRejected + "node(s) didn't match PersistentVolume's node affinity";
const std::string kNoVolume = kRejected + "node(s) didn't find available persistent volumes to bind";
const std::string kNoSpace = kRejected + "node(s) did not have enough free storage";
const std::string kVolumeMissing =
    kRejected + "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

class VolumeBinding : public ::testing::Test {
 protected:
  VolumeBinding() {
    world.node(NodeSketch("n").labelled(kHost, "n").labelled(kZone, "a"));
    world.node(NodeSketch("m").labelled(kHost, "m").labelled(kZone, "b"));
    world.storage_class("local", "kubernetes.io/no-provisioner");
    world.storage_class("csi", "csi.example.com");
    world.storage_class("now", "csi.example.com", "Immediate");
  }
  framework::Plugin& plugin() {
    if (!plugin_) plugin_ = world.make(make_volume_binding);
    return *plugin_;
  }
  std::string said(const api::Pod& pod, std::string_view node = "n") { return ask(plugin(), world, pod, node); }
  static PodSketch with(std::initializer_list<std::string_view> claims) {
    PodSketch pod("p");
    for (const std::string_view claim : claims) pod = pod.shaped(using_claim(claim));
    return pod;
  }
  framework::Status reserve(const api::Pod& pod, std::string_view node = "n") {
    return dynamic_cast<framework::ReservePlugin&>(plugin()).reserve(StorageWorld::to_place(pod), world.view(),
                                                                     Symbol(node));
  }
  void unreserve(const api::Pod& pod) {
    dynamic_cast<framework::ReservePlugin&>(plugin()).unreserve(StorageWorld::to_place(pod), Symbol("n"));
  }
  framework::PreBinding pre_bind(const api::Pod& pod, std::string_view node = "n") {
    return dynamic_cast<framework::PreBindPlugin&>(plugin()).pre_bind(StorageWorld::to_place(pod), world.view(),
                                                                      Symbol(node));
  }
  // Writes what the work asks for, as an API server would.
  void write(framework::PreBindWork& work) {
    const std::vector<api::AnyObject> updates = work.updates();
    for (std::size_t i = 0; i < updates.size(); ++i) {
      if (auto volume = updates[i].as<api::PersistentVolume>()) {
        work.updated(i, any(stored(*volume)));
      } else if (auto claim = updates[i].as<api::PersistentVolumeClaim>()) {
        work.updated(i, any(stored(*claim)));
      }
    }
  }
  template <typename T>
  T stored(T object) {
    object.metadata.resource_version = world.next_version();
    world.set(object);
    return object;
  }
  std::string polled(framework::PreBindWork& work) {
    const framework::Status status = work.poll(world.view());
    return show(status.code(), status.reason_texts());
  }
  api::PersistentVolumeClaim claim(std::string_view name) {
    return *world.objects.persistent_volume_claims.find(Symbol("default"), name);
  }
  api::PersistentVolume volume(std::string_view name) { return *world.objects.persistent_volumes.find(name); }

  StorageWorld world;
  std::unique_ptr<framework::Plugin> plugin_;
};

TEST_F(VolumeBinding, PreFilterLooksAtTheStateOfClaims) {
  const std::string rejected = "PreFilter " + kRejected;
  EXPECT_EQ(said(PodSketch("p")), "PreFilter Skip");
  EXPECT_EQ(said(with({"gone"})), rejected + "persistentvolumeclaim \"gone\" not found");
  const PodSketch ephemeral = PodSketch("p").shaped(with_ephemeral_volume("e"));
  EXPECT_EQ(said(ephemeral),
            rejected + "waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-e\"");
  world.claim("p-e", "csi", "1Gi");
  EXPECT_EQ(said(ephemeral), rejected + "PVC default/p-e was not created for pod default/p (pod is not owner)");
  world.claim("p-e", "csi", "1Gi", {made_for("p")});
  EXPECT_EQ(said(ephemeral), "Success");
  world.claim("lost", "csi", "1Gi", {[](auto& claim) {
                claim.status.phase = Symbol("Lost");
                claim.spec.volume_name = "pv";
              }});
  EXPECT_EQ(said(with({"lost"})),
            rejected + "persistentvolumeclaim \"lost\" bound to non-existent persistentvolume \"pv\"");
  world.claim("going", "csi", "1Gi",
              {[](auto& claim) { claim.metadata.deletion_timestamp = Instant::from_unix_seconds(1); }});
  EXPECT_EQ(said(with({"going"})), rejected + "persistentvolumeclaim \"going\" is being deleted");

  const std::string immediate = rejected + "pod has unbound immediate PersistentVolumeClaims";
  world.claim("now", "now", "1Gi");
  world.claim("no-class", "", "1Gi");
  world.claim("class-gone", "gone", "1Gi");
  world.claim("named", "local", "1Gi", {[](auto& claim) { claim.spec.volume_name = "pv"; }});
  for (const std::string_view name : {"now", "no-class", "class-gone", "named"}) {
    EXPECT_EQ(said(with({name})), immediate) << name;
  }
  world.storage_class("unset", "csi.example.com", "");
  world.claim("unset", "unset", "1Gi");
  EXPECT_EQ(said(with({"unset"})), "PreFilter Error | VolumeBindingMode not set for StorageClass \"unset\"");
  world.claim("annotated", "now", "1Gi",
              {[](auto& claim) { annotate(claim, "volume.beta.kubernetes.io/storage-class", "csi"); }});
  EXPECT_EQ(said(with({"annotated"})), "Success");
}

TEST_F(VolumeBinding, ABoundVolumeHasToBeUsableOnTheNode) {
  world.volume("pv", "csi", "1Gi", {usable_on(kZone, {"a"})});
  world.volume("anywhere", "csi", "1Gi");
  world.claim("zonal", "csi", "1Gi", {bound_to_volume("pv")});
  world.claim("free", "csi", "1Gi", {bound_to_volume("anywhere")});
  world.claim("broken", "csi", "1Gi", {bound_to_volume("gone")});
  EXPECT_EQ(said(with({"zonal", "free"}), "n"), "Success");
  EXPECT_EQ(said(with({"zonal"}), "m"), kNodeConflict);
  EXPECT_EQ(said(with({"broken"})), kVolumeMissing);
  EXPECT_EQ(said(with({"zonal", "broken"}), "m"), kNodeConflict);  // the first one decides
  EXPECT_EQ(said(with({"broken", "zonal"}), "m"), kVolumeMissing);
}

TEST_F(VolumeBinding, AnOldDiskFollowsItsDriverWhereThatTookOver) {
  world.volume("pv", "ebs", "1Gi", {amazon_disk("vol-1"), usable_on(kZone, {"a"})});
  world.volume("bad", "ebs", "1Gi", {amazon_disk("aws://za/nonsense"), usable_on(kZone, {"a"})});
  world.claim("old", "ebs", "1Gi", {bound_to_volume("pv")});
  world.claim("bad", "ebs", "1Gi", {bound_to_volume("bad")});
  EXPECT_EQ(said(with({"old"})), "Success");
  EXPECT_EQ(said(with({"bad"})), "Success");
  world.csi_node("n", {}, "kubernetes.io/aws-ebs");
  EXPECT_EQ(said(with({"old"})), kNodeConflict);
  EXPECT_EQ(said(with({"bad"})),
            "Error | could not translate pv: failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS "
            "volume (aws://za/nonsense)");
  world.node(NodeSketch("n").labelled("topology.ebs.csi.aws.com/zone", "a"));
  EXPECT_EQ(said(with({"old"})), "Success");
}

TEST_F(VolumeBinding, ChecksBoundAndWaitingClaimsTogether) {
  world.claim("broken", "csi", "1Gi", {bound_to_volume("gone")});
  world.claim("data", "local", "1Gi");
  EXPECT_EQ(said(with({"data", "broken"})),
            kNoVolume + " | node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
}

TEST_F(VolumeBinding, AWaitingClaimTakesOnlyVolumesThatMatch) {
  const auto claimed_by = [](std::string_view name, std::string_view uid) {
    return [=](api::PersistentVolume& volume) {
      auto& reference = volume.spec.claim_ref.emplace();
      reference.name_space = Symbol("default");
      reference.name = std::string(name);
      reference.uid = std::string(uid);
    };
  };
  const auto writes = [](api::PersistentVolume& volume) { volume.spec.access_modes = {Symbol("ReadWriteOnce")}; };
  const auto wants_label = [](api::PersistentVolumeClaim& claim) { claim.spec.selector = selecting("disk", "ssd"); };
  const auto on_n = usable_on(kHost, {"n"});
  const auto block = [](auto& object) { object.spec.volume_mode = Symbol("Block"); };
  const auto gold = [](auto& object) { object.spec.volume_attributes_class_name = Symbol("gold"); };
  struct {
    std::string_view what;
    std::vector<VolumeShape> volume;
    std::vector<ClaimShape> claim;
    bool matches;
  } const cases[] = {
      {"plain", {}, {}, true},
      {"on this node", {on_n}, {}, true},
      {"on another node", {usable_on(kHost, {"m"})}, {}, false},
      {"released", {[](auto& volume) { volume.status.phase = Symbol("Released"); }}, {}, false},
      {"being deleted",
       {[](auto& volume) { volume.metadata.deletion_timestamp = Instant::from_unix_seconds(1); }},
       {},
       false},
      {"too small", {[](auto& volume) { volume.spec.capacity.clear(); }}, {}, false},
      {"of another class", {[](auto& volume) { volume.spec.storage_class_name = Symbol("csi"); }}, {}, false},
      {"block and file system", {block}, {}, false},
      {"both block", {block}, {block}, true},
      {"file system by name", {[](auto& volume) { volume.spec.volume_mode = Symbol("Filesystem"); }}, {}, true},
      {"attributes class differs", {gold}, {}, false},
      {"attributes class is the same", {gold}, {gold}, true},
      {"wanted label is missing", {}, {wants_label}, false},
      {"wanted label is there", {volume_labelled("disk", "ssd")}, {wants_label}, true},
      {"access mode is missing", {writes}, {with_mode("ReadWriteMany")}, false},
      {"access mode is there", {writes}, {with_mode("ReadWriteOnce")}, true},
      {"somebody else's", {claimed_by("other", "")}, {}, false},
      {"of an earlier claim of that name", {claimed_by("data", "old")}, {}, false},
      {"reserved for the claim", {claimed_by("data", "")}, {}, true},
      {"reserved and not usable here", {claimed_by("data", ""), usable_on(kHost, {"m"})}, {}, false},
      {"reserved, whatever the label", {claimed_by("data", "")}, {wants_label}, true},
  };
  for (const auto& each : cases) {
    world.volume("pv", "local", "10Gi", each.volume);
    world.claim("data", "local", "10Gi", each.claim);
    EXPECT_EQ(said(with({"data"})), each.matches ? "Success" : kNoVolume) << each.what;
  }
}

TEST_F(VolumeBinding, TheSmallestClaimTakesTheSmallestVolumeThatIsLargeEnough) {
  world.volume("huge", "local", "100Gi");
  world.volume("small", "local", "5Gi", {usable_on(kHost, {"n", "m"})});
  world.volume("large", "local", "10Gi", {usable_on(kZone, {"a"})});
  world.claim("more", "local", "8Gi");
  world.claim("less", "local", "3Gi");
  const api::Pod pod = with({"more", "less"});
  ASSERT_TRUE(reserve(pod).is_success());
  const auto binding = pre_bind(pod);
  std::vector<std::string> bound;
  for (const api::AnyObject& object : binding.work->updates()) {
    const auto updated = object.as<api::PersistentVolume>();
    bound.push_back(updated->metadata.name + " for " + updated->spec.claim_ref->name);
  }
  EXPECT_EQ(bound, (std::vector<std::string>{"small for less", "large for more"}));
  EXPECT_EQ(said(with({"more", "less"}), "m"), kNoVolume);  // one is left, and two are needed
}

TEST_F(VolumeBinding, AClaimThatIsMountedTwiceNeedsOneVolume) {
  world.volume("pv", "local", "10Gi");
  world.claim("data", "local", "1Gi");
  EXPECT_EQ(said(with({"data", "data"})), "Success");
  world.quirks.claim_mounted_twice_takes_two_volumes = true;
  plugin_.reset();
  EXPECT_EQ(said(with({"data", "data"})), kNoVolume);
}

TEST_F(VolumeBinding, AClassProvisionsWhereItsTopologyAllows) {
  world.claim("data", "csi", "1Gi");
  EXPECT_EQ(said(with({"data"})), "Success");
  api::StorageClass storage_class = world.storage_class("csi", "csi.example.com");
  storage_class.allowed_topologies = {{{{.key = Symbol(kZone), .values = {Symbol("b")}}}}};
  world.set(storage_class);
  EXPECT_EQ(said(with({"data"}), "n"), kNoVolume);
  EXPECT_EQ(said(with({"data"}), "m"), "Success");
  storage_class.allowed_topologies = {{}};  // a term without conditions matches nothing
  world.set(storage_class);
  EXPECT_EQ(said(with({"data"}), "m"), kNoVolume);
}

TEST_F(VolumeBinding, AClaimWithASelectedNodeIsProvisionedThere) {
  world.claim("data", "csi", "1Gi", {selected("n")});
  world.volume("pv", "csi", "1Gi");
  EXPECT_EQ(said(with({"data"}), "n"), "Success");
  EXPECT_EQ(said(with({"data"}), "m"), kNoVolume);
}

TEST_F(VolumeBinding, NewVolumesNeedRoomIfTheDriverReportsIt) {
  world.claim("data", "csi", "10Gi");
  api::CsiDriver driver;
  driver.metadata.name = "csi.example.com";
  driver.spec.storage_capacity = true;
  world.set(driver);
  EXPECT_EQ(said(with({"data"})), kNoSpace);

  api::CsiStorageCapacity capacity;
  capacity.metadata.name = "pool";
  capacity.storage_class_name = Symbol("csi");
  capacity.node_topology = selecting(kZone, "a");
  capacity.capacity = api::Quantity::parse("10Gi").value();
  world.set(capacity);
  EXPECT_EQ(said(with({"data"}), "n"), "Success");
  EXPECT_EQ(said(with({"data"}), "m"), kNoSpace);
  capacity.maximum_volume_size = api::Quantity::parse("9Gi").value();
  world.set(capacity);
  EXPECT_EQ(said(with({"data"}), "n"), kNoSpace);
  capacity.maximum_volume_size.reset();
  capacity.node_topology.reset();
  world.set(capacity);
  EXPECT_EQ(said(with({"data"}), "n"), kNoSpace);

  driver.spec.storage_capacity = false;
  world.set(driver);
  EXPECT_EQ(said(with({"data"}), "m"), "Success");
}

TEST_F(VolumeBinding, AReservedVolumeIsTakenForOthers) {
  world.volume("pv", "local", "10Gi");
  world.claim("data", "local", "1Gi");
  world.claim("other", "local", "1Gi");
  const api::Pod pod = with({"data"});
  const api::Pod other = with({"other"}).with([](api::Pod& any) { any.metadata.uid = "uid-other"; });
  ASSERT_TRUE(reserve(pod).is_success());
  EXPECT_EQ(said(other), kNoVolume);
  EXPECT_EQ(said(pod), "Success");
  EXPECT_EQ(reserve(other).reason_texts(),
            std::vector<std::string>{"node(s) didn't find available persistent volumes to bind"});
  unreserve(other);
  EXPECT_EQ(said(other), kNoVolume);
  unreserve(pod);
  EXPECT_EQ(said(other), "Success");
  unreserve(pod);
}

TEST_F(VolumeBinding, AReservedClaimGoesToItsNode) {
  world.claim("data", "csi", "1Gi");
  const api::Pod pod = with({"data"});
  ASSERT_TRUE(reserve(pod, "n").is_success());
  EXPECT_EQ(said(pod, "m"), kNoVolume);
  unreserve(pod);
  EXPECT_EQ(said(pod, "m"), "Success");
}

TEST_F(VolumeBinding, NothingIsToBeBoundForVolumesThatAreBound) {
  world.volume("pv", "csi", "1Gi");
  world.claim("data", "csi", "1Gi", {bound_to_volume("pv")});
  EXPECT_TRUE(reserve(with({"data"})).is_success());
  EXPECT_TRUE(pre_bind(with({"data"})).status.is_skip());
  EXPECT_TRUE(pre_bind(PodSketch("p")).status.is_skip());
  world.claim("new", "csi", "1Gi");
  EXPECT_EQ(pre_bind(with({"new"})).status, framework::Status::error("no pod volume found for node \"n\""));
}

TEST_F(VolumeBinding, PreBindWritesTheVolumeAndWaitsForTheClaim) {
  world.volume("pv", "local", "10Gi", {usable_on(kHost, {"n"})});
  const api::PersistentVolumeClaim claim_before = world.claim("data", "local", "1Gi");
  const api::Pod pod = with({"data"}).on("n");
  world.place(pod);
  ASSERT_TRUE(reserve(pod).is_success());
  framework::PreBinding binding = pre_bind(pod);
  ASSERT_TRUE(binding.status.is_success());
  EXPECT_TRUE(binding.may_run_in_parallel);
  EXPECT_EQ(binding.work->timeout(), Duration::seconds(600));
  EXPECT_EQ(binding.work->poll_interval(), Duration::seconds(1));

  ASSERT_EQ(binding.work->updates().size(), 1u);
  const auto update = binding.work->updates()[0].as<api::PersistentVolume>();
  EXPECT_EQ(update->spec.claim_ref->uid, claim_before.metadata.uid);
  EXPECT_EQ(update->spec.claim_ref->kind, "PersistentVolumeClaim");
  EXPECT_EQ(*update->metadata.annotations->find(Symbol("pv.kubernetes.io/bound-by-controller")), "yes");

  const api::PersistentVolume before = volume("pv");
  write(*binding.work);
  EXPECT_EQ(polled(*binding.work), "Wait");  // the claim is not bound yet
  const api::PersistentVolume written = volume("pv");
  world.set(before);  // an informer that is behind
  EXPECT_EQ(polled(*binding.work), "Wait");
  world.set(written);

  api::PersistentVolumeClaim bound = claim("data");
  bound_to_volume("pv")(bound);
  stored(bound);
  EXPECT_EQ(polled(*binding.work), "Success");
}

TEST_F(VolumeBinding, PollingTellsWhyAVolumeIsNotGoingToBeBound) {
  world.volume("pv", "local", "10Gi", {usable_on(kHost, {"n"})});
  world.claim("data", "local", "1Gi");
  const api::Pod pod = with({"data"}).on("n");
  world.place(pod);
  ASSERT_TRUE(reserve(pod).is_success());
  const auto binding = pre_bind(pod);
  write(*binding.work);
  const std::string failed = "Error | binding volumes: ";
  const api::PersistentVolume written = volume("pv");
  const api::PersistentVolumeClaim unbound = claim("data");

  api::PersistentVolume reset = written;
  reset.spec.claim_ref.reset();
  stored(reset);
  EXPECT_EQ(polled(*binding.work), failed + "ClaimRef got reset for pv \"pv\"");
  api::PersistentVolume moved = written;
  usable_on(kHost, {"m"})(moved);
  stored(moved);
  EXPECT_EQ(polled(*binding.work),
            failed + "pv \"pv\" node affinity doesn't match node \"n\": no matching NodeSelectorTerms");
  world.objects.persistent_volume_claims.remove(Symbol("default"), "data");
  EXPECT_EQ(polled(*binding.work),
            failed + "failed to check binding: persistentvolumeclaims \"default/data\" not found");
  world.objects.persistent_volumes.remove(Symbol(), "pv");
  EXPECT_EQ(polled(*binding.work), failed + "failed to check binding: persistentvolumes \"pv\" not found");
  world.nodes.remove_pod(pod);
  EXPECT_EQ(polled(*binding.work), failed + "pod does not exist any more: pod \"p\" not found");
  world.nodes.remove_node(Symbol("n"));
  EXPECT_EQ(polled(*binding.work), failed + "failed to get node \"n\": node \"n\" not found");
}

TEST_F(VolumeBinding, PollingFollowsProvisioning) {
  world.claim("data", "csi", "1Gi");
  const api::Pod pod = with({"data"}).on("n");
  world.place(pod);
  ASSERT_TRUE(reserve(pod).is_success());
  const auto binding = pre_bind(pod);
  ASSERT_EQ(binding.work->updates().size(), 1u);
  write(*binding.work);
  const std::string failed = "Error | binding volumes: ";
  const api::PersistentVolumeClaim written = claim("data");
  EXPECT_EQ(*written.metadata.annotations->find(Symbol("volume.kubernetes.io/selected-node")), "n");
  EXPECT_EQ(polled(*binding.work), "Wait");

  api::PersistentVolumeClaim changed = written;
  changed.metadata.annotations = api::Annotations{};
  stored(changed);
  EXPECT_EQ(polled(*binding.work), failed + "selectedNode annotation reset for PVC \"data\"");
  annotate(changed, "some", "annotation");
  stored(changed);
  EXPECT_EQ(polled(*binding.work), failed + "provisioning failed for PVC \"data\"");

  api::PersistentVolumeClaim bound = written;
  bound_to_volume("pv-new")(bound);
  stored(bound);
  EXPECT_EQ(polled(*binding.work), "Wait");  // the volume is not visible yet
  world.volume("pv-new", "csi", "1Gi", {usable_on(kZone, {"b"})});
  EXPECT_EQ(polled(*binding.work),
            failed + "pv \"pv-new\" node affinity doesn't match node \"n\": no matching NodeSelectorTerms");
  world.volume("pv-new", "csi", "1Gi", {usable_on(kZone, {"a"})});
  EXPECT_EQ(polled(*binding.work), "Success");
}

TEST_F(VolumeBinding, WhatWasNotWrittenIsFreeAgainWhenBindingIsGivenUp) {
  world.volume("first", "local", "5Gi");
  world.volume("second", "local", "10Gi");
  world.claim("less", "local", "4Gi");
  world.claim("more", "local", "8Gi");
  world.claim("other", "local", "1Gi");
  const api::Pod pod = with({"less", "more"});
  const api::Pod other = with({"other"}).with([](api::Pod& any) { any.metadata.uid = "uid-other"; });
  ASSERT_TRUE(reserve(pod).is_success());
  framework::PreBinding binding = pre_bind(pod);
  EXPECT_EQ(said(other), kNoVolume);
  // The first volume is written, and the informer does not know yet; the second fails.
  auto written = std::make_shared<api::PersistentVolume>(*binding.work->updates()[0].as<api::PersistentVolume>());
  written->metadata.resource_version = world.next_version();
  binding.work->updated(0, api::AnyObject(std::shared_ptr<const api::PersistentVolume>(written)));
  binding.work.reset();
  unreserve(pod);

  ASSERT_TRUE(reserve(other).is_success());
  const auto update = pre_bind(other).work->updates()[0].as<api::PersistentVolume>();
  EXPECT_EQ(update->metadata.name, "second");
}

TEST_F(VolumeBinding, RefusesArgumentsThatMakeNoSense) {
  const config::PluginArgs args = config::VolumeBindingArgs{.bind_timeout_seconds = -1, .shape = {}};
  const auto built = make_volume_binding({Symbol("p"), args, world.gates, world.objects}, {});
  ASSERT_FALSE(built);
  EXPECT_NE(built.error().what().find("invalid BindTimeoutSeconds, should not be a negative value"), std::string::npos)
      << built.error().what();
}

class CapacityScoring : public VolumeBinding {
 protected:
  CapacityScoring() { world.gates = world.gates.with(config::Feature::kStorageCapacityScoring, true); }
  std::int64_t score(const api::Pod& pod) {
    const auto& scores = dynamic_cast<const framework::ScorePlugin&>(plugin());
    const auto scored = scores.pre_score(StorageWorld::to_place(pod), world.view(), world.nodes.nodes());
    EXPECT_TRUE(scored.status.is_success());
    return scored.scorer->score(world.nodes.at(world.nodes.row_of(Symbol("n"))));
  }
};

TEST_F(VolumeBinding, DoesNotScoreUnlessTheGateIsOn) {
  const auto& scores = dynamic_cast<const framework::ScorePlugin&>(plugin());
  const auto scored = scores.pre_score(StorageWorld::to_place(PodSketch("p")), world.view(), world.nodes.nodes());
  EXPECT_TRUE(scored.status.is_skip());
}

TEST_F(CapacityScoring, FullerStorageScoresLess) {
  EXPECT_EQ(score(PodSketch("p")), 0);
  world.volume("pv", "local", "100Gi");
  world.volume("pv2", "other", "100Gi");
  world.storage_class("other", "kubernetes.io/no-provisioner");
  world.claim("quarter", "local", "25Gi");
  world.claim("all", "other", "100Gi");
  EXPECT_EQ(score(with({"quarter"})), 75);
  EXPECT_EQ(score(with({"all"})), 0);
  EXPECT_EQ(score(with({"quarter", "all"})), 38);  // 37.5, by class
}

TEST_F(CapacityScoring, NewVolumesShareTheRoomThatTheDriverReports) {
  api::CsiDriver driver;
  driver.metadata.name = "csi.example.com";
  world.set(driver);
  world.claim("a", "csi", "20Gi");
  world.claim("b", "csi", "30Gi");
  EXPECT_EQ(score(with({"a"})), 0);  // nobody keeps count
  driver.spec.storage_capacity = true;
  world.set(driver);
  api::CsiStorageCapacity capacity;
  capacity.metadata.name = "pool";
  capacity.storage_class_name = Symbol("csi");
  capacity.node_topology = api::LabelSelector{};
  capacity.capacity = api::Quantity::parse("100Gi").value();
  world.set(capacity);
  EXPECT_EQ(score(with({"a"})), 80);
  EXPECT_EQ(score(with({"a", "b"})), 50);
}

}  // namespace
}  // namespace berth::plugins
