// The hints that look at nodes and the pod alone: gates, cordons, taints, node affinity, ports, declared features.

#include "berth/plugins/default_preemption_hints.h"
#include "berth/plugins/hint_testing.h"
#include "berth/plugins/node_affinity_hints.h"
#include "berth/plugins/node_declared_features_hints.h"
#include "berth/plugins/node_name_hints.h"
#include "berth/plugins/node_ports_hints.h"
#include "berth/plugins/node_unschedulable_hints.h"
#include "berth/plugins/scheduling_gates_hints.h"
#include "berth/plugins/taint_toleration_hints.h"

namespace berth::plugins::testing {
namespace {

const PodSketch kPod("waiting"), kOther("other");
const NodeSketch kNode("node");

TEST(SchedulingGatesHints, WakeThePodWhoseGatesAreGone) {
  check(scheduling_gates_after_gates_gone, {{"its own", kPod, updated(kPod, kPod), kQueue},
                                            {"another pod's", kPod, updated(kOther, kOther), kSkip},
                                            {"an object of another kind", kPod, added(kNode), kError},
                                            {"an old object of another kind", kPod, {any(kNode), any(kPod)}, kError},
                                            {"no object", kPod, {}, kError}});
}

TEST(SchedulingGatesHints, AdmitAPodWithoutGates) {
  EXPECT_TRUE(scheduling_gates_admits(kPod));
  EXPECT_FALSE(scheduling_gates_admits(
      kPod.shaped([](api::PodTemplate& pod) { pod.scheduling_gates.push_back({Symbol("later")}); })));
}

TEST(NodeUnschedulableHints, WakeForNodesThatAreOpenNow) {
  check(node_unschedulable_after_node_change,
        {{"a new node", kPod, added(kNode), kQueue},
         {"a new node that is cordoned", kPod, added(kNode.cordoned()), kSkip},
         {"a node that was cordoned", kPod, updated(kNode.cordoned(), kNode), kQueue},
         {"a node that is cordoned now", kPod, updated(kNode, kNode.cordoned()), kSkip},
         {"a node that was open before", kPod, updated(kNode, kNode.tainted("a", "NoSchedule")), kSkip},
         {"a node that is gone", kPod, deleted(kNode), kError}});
}

TEST(NodeUnschedulableHints, WakeThePodThatToleratesCordonsNow) {
  const PodSketch tolerant = kPod.shaped(tolerating("node.kubernetes.io/unschedulable"));
  check([](const api::Pod& pod,
           const EventObjects& objects) { return node_unschedulable_after_tolerations(pod, objects, {}); },
        {{"its own", kPod, updated(kPod, tolerant), kQueue},
         {"its own toleration of something else", kPod, updated(kPod, kPod.shaped(tolerating("gpu"))), kSkip},
         {"another pod's", kOther, updated(kPod, tolerant), kSkip},
         {"an object of another kind", kPod, added(kNode), kError}});
}

TEST(TaintTolerationHints, WakeForNodesThatBecameTolerable) {
  const NodeSketch tainted = kNode.tainted("gpu", "NoSchedule");
  const PodSketch tolerant = kPod.shaped(tolerating("gpu"));
  check([](const api::Pod& pod,
           const EventObjects& objects) { return taint_toleration_after_node_change(pod, objects, {}); },
        {{"a new node", kPod, added(kNode), kQueue},
         {"a new node with a taint", kPod, added(tainted), kSkip},
         {"a new node with a taint that is tolerated", tolerant, added(tainted), kQueue},
         {"a taint that goes", kPod, updated(tainted, kNode), kQueue},
         {"a taint that goes and did not matter", tolerant, updated(tainted, kNode), kSkip},
         {"a taint that goes while another stays", kPod,
          updated(tainted.tainted("x", "NoExecute"), kNode.tainted("x", "NoExecute")), kSkip},
         {"a taint that only makes the node less liked", kPod, updated(tainted, kNode.tainted("x", "PreferNoSchedule")),
          kQueue},
         {"an object of another kind", kPod, added(kPod), kError}});
  check(taint_toleration_after_tolerations, {{"its own", kPod, updated(kPod, tolerant), kQueue},
                                             {"another pod's", kOther, updated(kPod, tolerant), kSkip}});
}

Shape wanting_node_label(std::string_view key, std::string_view value) {
  return [key = Symbol(key), value = Symbol(value)](api::PodTemplate& pod) { pod.node_selector[key] = value; };
}
api::NodeSelector one_of_zone(std::string_view op, std::vector<Symbol> values) {
  return {{{.match_expressions = {{Symbol("zone"), Symbol(op), std::move(values)}}, .match_fields = {}}}};
}
Shape with_affinity(const api::NodeSelector& selector) {
  return [selector](api::PodTemplate& pod) { pod.affinity.emplace().node_affinity = {selector, {}}; };
}

TEST(NodeAffinityHints, WakeForNodesThatBegunToMatch) {
  const PodSketch picky = kPod.shaped(wanting_node_label("disk", "ssd"));
  const PodSketch zonal = kPod.shaped(with_affinity(one_of_zone("In", {Symbol("z1")})));
  const PodSketch broken = kPod.shaped(with_affinity(one_of_zone("Gt", {Symbol("no number")})));
  const NodeSketch ssd = kNode.labelled("disk", "ssd"), z1 = kNode.labelled("zone", "z1");
  const NodeAffinityHintOptions options{.added = {}, .compile = compile_once(), .quirks = {}};
  check([&options](const api::Pod& pod,
                   const EventObjects& objects) { return node_affinity_after_node_change(pod, objects, options); },
        {{"a new node that matches", picky, added(ssd), kQueue},
         {"a new node that does not", picky, added(kNode), kSkip},
         {"a label that appears", picky, updated(kNode, ssd), kQueue},
         {"a label that was there", picky, updated(ssd, ssd.labelled("rack", "1")), kSkip},
         {"affinity to the new zone", zonal, updated(kNode.labelled("zone", "z2"), z1), kQueue},
         {"affinity to another zone", zonal, added(kNode.labelled("zone", "z2")), kSkip},
         {"affinity that does not parse", broken, added(z1), kError},
         {"affinity that does not parse, but the selector says no anyway",
          broken.shaped(wanting_node_label("disk", "ssd")), added(z1), kSkip},
         {"a node that is gone", picky, deleted(ssd), kError}});
}

TEST(NodeAffinityHints, CountWhatTheConfigurationAdds) {
  const NodeSketch z1 = kNode.labelled("zone", "z1"), z2 = kNode.labelled("zone", "z2");
  NodeAffinityHintOptions options{
      .added = api::NodeMatcher(one_of_zone("In", {Symbol("z1")})), .compile = compile_once(), .quirks = {}};
  const auto hint = [&options](const api::Pod& pod, const EventObjects& objects) {
    return node_affinity_after_node_change(pod, objects, options);
  };
  check(hint, {{"a new node that is allowed", kPod, added(z1), kQueue},
               {"a new node that is not", kPod, added(z2), kSkip},
               {"a node that is allowed now", kPod, updated(z2, z1), kQueue},
               {"a node that was allowed before", kPod, updated(z1, z1), kSkip}});
  options.quirks = HintQuirks::upstream();
  check(hint, {{"upstream: a node that is allowed now", kPod, updated(z2, z1), kSkip}});
}

Shape on_host_port(std::int32_t port, std::string_view ip = "", std::string_view protocol = "") {
  return [port, ip = Symbol(ip), protocol = Symbol(protocol)](api::PodTemplate& pod) {
    pod.containers.emplace_back().ports.push_back(
        {.name = {}, .host_port = port, .container_port = 80, .protocol = protocol, .host_ip = ip});
  };
}

TEST(NodePortsHints, WakeWhenAPortIsFree) {
  const PodSketch wanting = kPod.shaped(on_host_port(80)), having = kOther.shaped(on_host_port(80));
  const NodePortsHintOptions options{compile_once()};
  check([&options](const api::Pod& pod,
                   const EventObjects& objects) { return node_ports_after_pod_delete(pod, objects, options); },
        {{"the port", wanting, deleted(having.on("node")), kQueue},
         {"the port of a pod that was nominated", wanting, deleted(having.nominated_to("node")), kQueue},
         {"the port of a pod that had no node", wanting, deleted(having), kSkip},
         {"another port", wanting, deleted(kOther.shaped(on_host_port(81)).on("node")), kSkip},
         {"another protocol", wanting, deleted(kOther.shaped(on_host_port(80, "", "UDP")).on("node")), kSkip},
         {"the port at one address", wanting, deleted(kOther.shaped(on_host_port(80, "10.0.0.1")).on("node")), kQueue},
         {"the port at another address", kPod.shaped(on_host_port(80, "10.0.0.2")),
          deleted(kOther.shaped(on_host_port(80, "10.0.0.1")).on("node")), kSkip},
         {"a pod without ports", wanting, deleted(kOther.on("node")), kSkip},
         {"no old object", wanting, added(having), kError}});
}

TEST(NodeDeclaredFeaturesHints, WakeForOtherFeatures) {
  const NodeSketch declaring =
      kNode.with([](api::Node& node) { node.status.declared_features = std::vector{Symbol("Feature")}; });
  check(node_declared_features_after_node_change,
        {{"a new node", kPod, added(kNode), kQueue},
         {"a feature more", kPod, updated(kNode, declaring), kQueue},
         {"the same features", kPod, updated(declaring, declaring.labelled("a", "b")), kSkip},
         {"an object of another kind", kPod, added(kPod), kError}});
  const PodSketch on_host_network = kPod.shaped([](api::PodTemplate& pod) {
    pod.host_network = true;
    pod.host_users = false;
  });
  check(node_declared_features_after_pod_update,
        {{"its own needs changed", kPod, updated(kPod, on_host_network), kQueue},
         {"its own update", kPod, updated(kPod, kPod.labelled("a", "b")), kSkip},
         {"another pod's needs", kOther, updated(kPod, on_host_network), kSkip},
         {"no old version", kPod, added(on_host_network), kError}});
}

TEST(NodeDeclaredFeaturesHints, NeedWhatThePodUses) {
  api::PodTemplate pod;
  EXPECT_TRUE(needed_features(pod).empty());
  pod.host_network = true;
  EXPECT_TRUE(needed_features(pod).empty());
  pod.host_users = false;
  pod.init_containers.emplace_back().restart_policy_rules.push_back({Symbol("RestartAllContainers")});
  EXPECT_EQ(needed_features(pod), (std::vector<std::string_view>{"RestartAllContainersOnContainerExits",
                                                                 "UserNamespacesHostNetworkSupport"}));
}

TEST(NodeDeclaredFeaturesHints, AreNotAskedAboutPodsThatRun) {
  const auto watches = [](const std::vector<HintRegistration>& hints, std::string_view resource) {
    return std::ranges::any_of(hints, [resource](const HintRegistration& hint) {
      return queue::matches(hint.event, queue::ClusterEvent(resource, queue::action::kUpdate));
    });
  };
  const auto right = node_declared_features_hints(Symbol("p"), {});
  EXPECT_TRUE(watches(right, queue::resource::kUnschedulablePod));
  EXPECT_FALSE(watches(right, queue::resource::kAssignedPod));
  const auto upstream = node_declared_features_hints(Symbol("p"), {.enabled = true, .quirks = HintQuirks::upstream()});
  EXPECT_TRUE(watches(upstream, queue::resource::kAssignedPod));
  EXPECT_TRUE(node_declared_features_hints(Symbol("p"), {.enabled = false, .quirks = {}}).empty());
}

TEST(DefaultPreemptionHints, HoldAPodBackWhileItsVictimsGo) {
  DefaultPreemptionHintOptions options;
  EXPECT_TRUE(default_preemption_admits(kPod, options));
  options.is_preempting = [](const api::Pod& pod) { return pod.metadata.name == "waiting"; };
  EXPECT_FALSE(default_preemption_admits(kPod, options));
  EXPECT_TRUE(default_preemption_admits(kOther, options));
  EXPECT_EQ(default_preemption_hints(Symbol("p"), options).size(), 1u);
  check(default_preemption_after_pod_delete, {{"a victim", kPod, deleted(kOther.on("node")), kSkip}});
  options.async_preemption = false;
  EXPECT_TRUE(default_preemption_admits(kPod, options));
  EXPECT_TRUE(default_preemption_hints(Symbol("p"), options).empty());
}

}  // namespace
}  // namespace berth::plugins::testing
