#include "berth/plugins/default_hints.h"

#include <algorithm>
#include <set>

#include "berth/plugins/hint_testing.h"
#include "berth/plugins/names.h"

namespace berth::plugins::testing {
namespace {

const Symbol kProfile("default-scheduler");

std::multiset<std::string> described(const std::vector<HintRegistration>& hints) {
  std::multiset<std::string> lines;
  for (const HintRegistration& hint : hints) {
    lines.insert(hint.plugin.str() + " " + hint.event.resource.str() + " " + std::to_string(hint.event.actions) +
                 (hint.hint ? "" : " always") + (hint.scope == HintScope::kPod ? " by pod" : ""));
  }
  return lines;
}

// What v1.36.3 has in its table at run time.
const std::multiset<std::string> kUpstream = {
    "DefaultPreemption Pod 2",
    "DynamicResources Node 13 always",
    "DynamicResources Node 16 always",
    "DynamicResources Pod 4096",
    "DynamicResources resource.k8s.io/DeviceClass 8189 always",
    "DynamicResources resource.k8s.io/ResourceClaim 8189 by pod",
    "DynamicResources resource.k8s.io/ResourceSlice 8189 always",
    "InterPodAffinity Node 16 always",
    "InterPodAffinity Node 9",
    "InterPodAffinity Pod 259",
    "NodeAffinity Node 16 always",
    "NodeAffinity Node 9",
    "NodeDeclaredFeatures Node 129",
    "NodeDeclaredFeatures Node 16 always",
    "NodeDeclaredFeatures Pod 8188",
    "NodeName Node 1 always",
    "NodeName Node 16 always",
    "NodePorts Node 1 always",
    "NodePorts Node 16 always",
    "NodePorts Pod 2",
    "NodeResourcesFit Node 16 always",
    "NodeResourcesFit Node 5",
    "NodeResourcesFit Pod 514",
    "NodeResourcesFit resource.k8s.io/DeviceClass 8189",
    "NodeUnschedulable Node 17",
    "NodeUnschedulable Pod 1024",
    "NodeVolumeLimits PersistentVolumeClaim 1 by pod",
    "NodeVolumeLimits Pod 2",
    "NodeVolumeLimits storage.k8s.io/CSINode 1 always",
    "NodeVolumeLimits storage.k8s.io/CSINode 8188",
    "NodeVolumeLimits storage.k8s.io/VolumeAttachment 2",
    "PodTopologySpread Node 27",
    "PodTopologySpread Pod 1283",
    "SchedulingGates Pod 2048",
    "TaintToleration Node 17",
    "TaintToleration Pod 1024",
    "VolumeBinding Node 16 always",
    "VolumeBinding Node 9 always",
    "VolumeBinding PersistentVolume 8189 always",
    "VolumeBinding PersistentVolumeClaim 8189 by pod",
    "VolumeBinding storage.k8s.io/CSIDriver 8188",
    "VolumeBinding storage.k8s.io/CSINode 8189",
    "VolumeBinding storage.k8s.io/CSIStorageCapacity 8189",
    "VolumeBinding storage.k8s.io/StorageClass 8189",
    "VolumeRestrictions Node 1 always",
    "VolumeRestrictions Node 16 always",
    "VolumeRestrictions PersistentVolumeClaim 1",
    "VolumeRestrictions Pod 2",
    "VolumeZone Node 16 always",
    "VolumeZone Node 9 always",
    "VolumeZone PersistentVolume 8189",
    "VolumeZone PersistentVolumeClaim 8189",
    "VolumeZone storage.k8s.io/StorageClass 1",
};

TEST(DefaultHints, AreUpstreamsWithItsQuirks) {
  HintOptions options;
  options.quirks = HintQuirks::upstream();
  EXPECT_EQ(described(default_hints(kProfile, options)), kUpstream);
}

TEST(DefaultHints, DifferFromUpstreamsInWhatIsWrongThere) {
  std::multiset<std::string> right = kUpstream;
  std::erase_if(right, [](const std::string& line) { return line.ends_with(" Node 16 always"); });
  const auto replace = [&right](const std::string& wrong, const std::string& by) {
    ASSERT_EQ(right.erase(wrong), 1u);
    right.insert(by);
  };
  replace("DynamicResources resource.k8s.io/ResourceClaim 8189 by pod",
          "DynamicResources resource.k8s.io/ResourceClaim 8191 by pod");
  replace("InterPodAffinity Node 9", "InterPodAffinity Node 11");
  right.insert("InterPodAffinity Namespace 8191");
  replace("NodeDeclaredFeatures Pod 8188", "NodeDeclaredFeatures UnschedulablePod 8188");
  replace("VolumeRestrictions Node 1 always", "VolumeRestrictions Node 3 always");
  right.insert("NodeVolumeLimits Node 1 always");
  right.insert("NodeVolumeLimits storage.k8s.io/CSINode 2 always");
  EXPECT_EQ(described(default_hints(kProfile, {})), right);
}

TEST(DefaultHints, AreOfOnePluginOnRequest) {
  const auto hints = hints_of(name::kNodeName, kProfile, {});
  ASSERT_TRUE(hints);
  ASSERT_EQ(hints->size(), 1u);
  EXPECT_EQ(hints->front().profile, kProfile);
  EXPECT_EQ(hints->front().plugin, name::kNodeName);
  EXPECT_FALSE(hints_of("ImageLocality", kProfile, {}));
}

TEST(DefaultHints, FollowTheFeatureGates) {
  HintOptions options;
  options.features.dynamic_resource_allocation = false;
  options.features.node_declared_features = false;
  options.features.scheduler_async_preemption = false;
  for (const HintRegistration& hint : default_hints(kProfile, options)) {
    EXPECT_NE(hint.plugin, name::kDynamicResources);
    EXPECT_NE(hint.plugin, name::kNodeDeclaredFeatures);
    EXPECT_NE(hint.plugin, name::kDefaultPreemption);
  }
}

TEST(DefaultHints, ForEverythingLeaveOutWhatUpstreamForgot) {
  const auto knows = [](const HintQuirks& quirks, std::string_view resource) {
    return std::ranges::any_of(hints_for_everything("Mine", kProfile, quirks), [resource](const auto& hint) {
      return queue::matches(hint.event, queue::ClusterEvent(resource, queue::action::kAdd));
    });
  };
  for (const std::string_view resource : {queue::resource::kVolumeAttachment, queue::resource::kResourceSlice}) {
    EXPECT_TRUE(knows({}, resource));
    EXPECT_FALSE(knows(HintQuirks::upstream(), resource));
  }
  EXPECT_TRUE(knows(HintQuirks::upstream(), queue::resource::kNode));
}

TEST(DefaultHints, ConfigureThePlugins) {
  HintOptions options;
  options.added_node_affinity = {
      {{.match_expressions = {{Symbol("zone"), Symbol("In"), {Symbol("z1")}}}, .match_fields = {}}}};
  options.ignored_resources = {Symbol("example.com/gpu")};
  options.is_preempting = [](const api::Pod&) { return true; };
  const auto ask = [&options](std::string_view plugin, std::string_view resource, const api::Pod& pod,
                              const EventObjects& objects) {
    const auto hints = hints_of(plugin, kProfile, options);
    for (const HintRegistration& hint : *hints) {
      if (hint.event.resource == resource) return hint.hint(pod, objects);
    }
    return kError;
  };
  const PodSketch pod("waiting");
  const NodeSketch node = NodeSketch("node").having("pods", "1");
  EXPECT_EQ(ask(name::kNodeAffinity, "Node", pod, added(node)), kSkip);
  EXPECT_EQ(ask(name::kNodeAffinity, "Node", pod, added(node.labelled("zone", "z1"))), kQueue);
  EXPECT_EQ(ask(name::kNodeResourcesFit, "Node", pod.shaped(asking("example.com/gpu", "1")), added(node)), kQueue);

  const auto checks = default_pre_enqueue(kProfile, options);
  std::vector<std::string_view> refusing;
  for (const queue::PreEnqueueCheck& check : checks) {
    EXPECT_EQ(check.profile, kProfile);
    if (!check.admits(pod)) refusing.push_back(check.plugin.text());
  }
  EXPECT_EQ(checks.size(), 3u);
  EXPECT_EQ(refusing, std::vector<std::string_view>{name::kDefaultPreemption});
}

}  // namespace
}  // namespace berth::plugins::testing
