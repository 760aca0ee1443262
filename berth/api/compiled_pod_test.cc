#include "berth/api/compiled_pod.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

namespace berth::api {
namespace {

ContainerPort port(std::int32_t host_port, std::string_view ip = "", std::string_view protocol = "") {
  ContainerPort result;
  result.host_port = host_port;
  result.host_ip = Symbol(ip);
  result.protocol = Symbol(protocol);
  return result;
}

LabelSelector app(std::string_view value) {
  return {.match_labels = {{"app", Symbol(value)}}, .match_expressions = {}};
}

Pod pod_in(std::string_view name_space, Labels labels) {
  Pod pod;
  pod.metadata.name_space = Symbol(name_space);
  pod.metadata.labels = Interned(std::move(labels));
  return pod;
}

TEST(CompiledPod, TakesHostPortsOfSidecarsAndContainers) {
  PodTemplate pod;
  Container container;
  container.ports = {port(80), port(0), port(53, "10.0.0.1", "UDP")};
  pod.containers = {container};
  Container init;
  init.ports = {port(1)};
  Container sidecar;
  sidecar.ports = {port(2)};
  sidecar.restart_policy = Symbol("Always");
  pod.init_containers = {init, sidecar};
  const Symbol any("0.0.0.0");
  EXPECT_EQ(compile(pod)->host_ports,
            (std::vector<HostPort>{
                {any, Symbol("TCP"), 2}, {any, Symbol("TCP"), 80}, {Symbol("10.0.0.1"), Symbol("UDP"), 53}}));
}

TEST(CompiledPod, KnowsWhichPortsConflict) {
  const auto host_port = [](std::string_view ip, std::string_view protocol, std::int32_t number) {
    return HostPort{Symbol(ip), Symbol(protocol), number};
  };
  EXPECT_TRUE(conflicts(host_port("0.0.0.0", "TCP", 80), host_port("10.0.0.1", "TCP", 80)));
  EXPECT_TRUE(conflicts(host_port("10.0.0.1", "TCP", 80), host_port("0.0.0.0", "TCP", 80)));
  EXPECT_TRUE(conflicts(host_port("10.0.0.1", "TCP", 80), host_port("10.0.0.1", "TCP", 80)));
  EXPECT_FALSE(conflicts(host_port("10.0.0.1", "TCP", 80), host_port("10.0.0.2", "TCP", 80)));
  EXPECT_FALSE(conflicts(host_port("0.0.0.0", "TCP", 80), host_port("0.0.0.0", "UDP", 80)));
  EXPECT_FALSE(conflicts(host_port("0.0.0.0", "TCP", 80), host_port("0.0.0.0", "TCP", 81)));
}

TEST(CompiledPod, MatchesPodsInTheNamespacesOfATerm) {
  PodAffinityTerm own{.label_selector = app("web"),
                      .namespaces = {},
                      .topology_key = Symbol("zone"),
                      .namespace_selector = std::nullopt,
                      .match_label_keys = {},
                      .mismatch_label_keys = {}};
  PodAffinityTerm listed = own;
  listed.namespaces = {Symbol("other")};
  PodAffinityTerm by_labels = own;
  by_labels.namespace_selector = LabelSelector{.match_labels = {{"team", Symbol("a")}}, .match_expressions = {}};
  PodAffinityTerm no_selector = own;
  no_selector.label_selector.reset();
  PodTemplate pod;
  pod.affinity.emplace().pod_affinity.emplace().required = {own, listed, by_labels, no_selector};
  const auto compiled = compile(pod);
  ASSERT_EQ(compiled->required_affinity.size(), 4u);
  EXPECT_TRUE(compiled->has_pod_affinity);
  EXPECT_TRUE(compiled->required_anti_affinity.empty());
  const auto& terms = compiled->required_affinity;
  EXPECT_EQ(terms[0].topology_key, "zone");

  const Symbol mine("mine");
  const Pod here = pod_in("mine", {{"app", Symbol("web")}});
  const Pod there = pod_in("other", {{"app", Symbol("web")}});
  const Labels team_a = {{"team", Symbol("a")}};
  EXPECT_TRUE(terms[0].matches(mine, here, {}));
  EXPECT_FALSE(terms[0].matches(mine, there, team_a));
  EXPECT_FALSE(terms[0].matches(mine, pod_in("mine", {{"app", Symbol("db")}}), {}));
  EXPECT_FALSE(terms[1].matches(mine, here, {}));
  EXPECT_TRUE(terms[1].matches(mine, there, {}));
  EXPECT_FALSE(terms[2].matches(mine, here, {}));
  EXPECT_TRUE(terms[2].matches(mine, there, team_a));
  EXPECT_FALSE(terms[3].matches(mine, here, {}));
}

TEST(CompiledPod, KeepsTheListsThatParse) {
  PodAffinityTerm good;
  good.label_selector = app("web");
  PodAffinityTerm bad;
  bad.label_selector = LabelSelector{.match_labels = {}, .match_expressions = {{Symbol("a"), Symbol("Near"), {}}}};
  PodTemplate pod;
  auto& affinity = pod.affinity.emplace();
  affinity.pod_affinity.emplace().required = {good, bad};
  affinity.pod_affinity->preferred = {{.weight = 5, .pod_affinity_term = good}};
  affinity.pod_anti_affinity.emplace().preferred = {{.weight = 5, .pod_affinity_term = bad}};
  const auto compiled = compile(pod);
  EXPECT_TRUE(compiled->required_affinity.empty());
  EXPECT_EQ(compiled->preferred_affinity.size(), 1u);
  EXPECT_TRUE(compiled->preferred_anti_affinity.empty());
  EXPECT_EQ(compiled->pod_affinity_error,
            "[requiredAffinityTerms: \"Near\" is not a valid label selector operator, preferredAntiAffinityTerms: "
            "\"Near\" is not a valid label selector operator]");
}

TEST(CompiledPod, FillsInTheDefaultsOfSpreadConstraints) {
  TopologySpreadConstraint plain;
  plain.max_skew = 2;
  plain.topology_key = Symbol("zone");
  plain.when_unsatisfiable = Symbol("DoNotSchedule");
  plain.label_selector = app("web");
  TopologySpreadConstraint full = plain;
  full.when_unsatisfiable = Symbol("ScheduleAnyway");
  full.min_domains = 3;
  full.node_affinity_policy = Symbol("Ignore");
  full.node_taints_policy = Symbol("Honor");
  full.match_label_keys = {Symbol("hash"), Symbol("absent")};
  TopologySpreadConstraint bad = plain;
  bad.label_selector->match_expressions = {{Symbol("a"), Symbol("Near"), {}}};
  PodTemplate pod;
  pod.topology_spread_constraints = {plain, full, bad};
  const auto compiled = compile(pod);
  ASSERT_EQ(compiled->spread_constraints.size(), 3u);
  const auto& [first, second, third] =
      std::tie(compiled->spread_constraints[0], compiled->spread_constraints[1], compiled->spread_constraints[2]);
  EXPECT_EQ(first.action, SpreadConstraint::Action::kDoNotSchedule);
  EXPECT_EQ(first.min_domains, 1);
  EXPECT_TRUE(first.honors_node_affinity);
  EXPECT_FALSE(first.honors_node_taints);
  EXPECT_EQ(second.action, SpreadConstraint::Action::kScheduleAnyway);
  EXPECT_EQ(second.min_domains, 3);
  EXPECT_FALSE(second.honors_node_affinity);
  EXPECT_TRUE(second.honors_node_taints);
  const LabelMatcher narrowed = second.selector_for({{"hash", Symbol("1")}});
  EXPECT_TRUE(narrowed.matches({{"app", Symbol("web")}, {"hash", Symbol("1")}}));
  EXPECT_FALSE(narrowed.matches({{"app", Symbol("web")}, {"hash", Symbol("2")}}));
  EXPECT_TRUE(third.selector_error.has_value());
  EXPECT_TRUE(third.pods.is_nothing());
}

TEST(CompiledPod, KnowsWhetherThereAreClaims) {
  PodTemplate pod;
  EXPECT_FALSE(compile(pod)->has_volume_claims);
  EXPECT_FALSE(compile(pod)->has_resource_claims);
  Volume volume;
  volume.source.csi.emplace();
  pod.volumes = {volume};
  EXPECT_FALSE(compile(pod)->has_volume_claims);
  pod.volumes[0].source.ephemeral.emplace();
  EXPECT_TRUE(compile(pod)->has_volume_claims);
  pod.resource_claims.emplace_back();
  EXPECT_TRUE(compile(pod)->has_resource_claims);
}

TEST(CompiledPod, UsageFollowsTheStatusOfAResizedPod) {
  Pod pod;
  PodTemplate shared;
  Container container;
  container.name = Symbol("app");
  container.resources.requests[Symbol("cpu")] = Quantity::from_units(1);
  shared.containers = {container};
  pod.spec.shared = Interned(shared);
  const auto compiled = compile(*pod.spec);
  EXPECT_EQ(usage_of(pod, *compiled).requested.milli_cpu, 1000);
  EXPECT_EQ(usage_of(pod, *compiled).non_zero_memory, kDefaultMemoryRequest);

  ContainerStatus status;
  status.name = Symbol("app");
  status.resources.emplace().requests[Symbol("cpu")] = Quantity::from_units(3);
  pod.status.container_statuses = Interned(std::vector{status});
  EXPECT_EQ(usage_of(pod, *compiled).requested.milli_cpu, 3000);
}

TEST(CompiledPods, CompilesEachTemplateOnce) {
  CompiledPods pods;
  const Interned<PodTemplate> a(PodTemplate{});
  const Interned<PodTemplate> same = a;
  const Interned<PodTemplate> b(PodTemplate{});
  const auto first = pods.get(a);
  EXPECT_EQ(pods.get(same), first);
  EXPECT_NE(pods.get(b), first);
  EXPECT_EQ(pods.size(), 2u);
}

// What the node is asked by itself, and what is about other pods or about neither.
TEST(CompiledPods, TellsTemplatesWithTheSameNeeds) {
  const auto plain = [] {
    PodTemplate pod;
    Container& container = pod.containers.emplace_back();
    container.name = Symbol("main");
    container.resources.requests[Symbol("cpu")] = Quantity::from_units(1);
    return pod;
  };
  PodTemplate same = plain();
  same.containers[0].name = Symbol("other");
  same.containers[0].image = Symbol("image");
  same.containers[0].ports.push_back(port(0));
  same.priority = 7;
  same.topology_spread_constraints.emplace_back().topology_key = Symbol("zone");
  same.affinity.emplace().pod_anti_affinity.emplace().required.emplace_back();
  same.volumes.emplace_back().name = "configuration";
  same.scheduling_gates.push_back({Symbol("later")});

  CompiledPods pods;
  const auto needs = [&pods](PodTemplate pod) { return pods.get(Interned(std::move(pod)))->needs; };
  const auto first = needs(plain());
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(needs(same), first);
  EXPECT_EQ(compile(same)->needs, nullptr) << "there is nobody to share with";

  const std::vector<std::function<void(PodTemplate&)>> changes = {
      [](PodTemplate& pod) { pod.containers[0].resources.requests[Symbol("memory")] = Quantity::from_units(1); },
      [](PodTemplate& pod) { pod.containers[0].ports.push_back(port(80)); },
      [](PodTemplate& pod) { pod.overhead[Symbol("cpu")] = Quantity::from_units(1); },
      [](PodTemplate& pod) { pod.node_selector[Symbol("disk")] = Symbol("ssd"); },
      [](PodTemplate& pod) { pod.tolerations.emplace_back().op = Symbol("Exists"); },
      [](PodTemplate& pod) { pod.volumes.emplace_back().source.gce_persistent_disk.emplace(); },
      [](PodTemplate& pod) { pod.affinity.emplace().node_affinity.emplace().preferred.emplace_back().weight = 3; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    PodTemplate changed = plain();
    changes[i](changed);
    EXPECT_NE(needs(changed), first) << "change " << i;
  }
}

// Each pod of a StatefulSet has a claim of its own, so there would be as many needs as pods and nobody to share them.
TEST(CompiledPods, KeepsNoNeedsOfPodsWithClaims) {
  CompiledPods pods;
  PodTemplate with_volume;
  with_volume.volumes.emplace_back().source.persistent_volume_claim.emplace().claim_name = "data-0";
  EXPECT_EQ(pods.get(Interned(with_volume))->needs, nullptr);
  PodTemplate with_devices;
  with_devices.resource_claims.emplace_back().name = Symbol("gpu");
  EXPECT_EQ(pods.get(Interned(with_devices))->needs, nullptr);
}

// Thousands of templates may differ in one value; with one hash, each would be compared with all that came before it.
TEST(CompiledPods, HashesWhateverNeedsDifferIn) {
  const std::vector<std::function<void(PodTemplate&, Symbol)>> settings = {
      [](PodTemplate& pod, Symbol value) { pod.node_selector[Symbol("kubernetes.io/hostname")] = value; },
      [](PodTemplate& pod, Symbol key) { pod.node_selector[key] = Symbol("yes"); },
      [](PodTemplate& pod, Symbol name) {
        pod.containers.emplace_back().resources.requests[name] = Quantity::from_units(1);
      },
      [](PodTemplate& pod, Symbol key) { pod.tolerations.emplace_back().key = key; },
      [](PodTemplate& pod, Symbol value) { pod.tolerations.emplace_back().value = value; },
      [](PodTemplate& pod, Symbol address) {
        pod.containers.emplace_back().ports.push_back(port(80, address.text(), "TCP"));
      },
      [](PodTemplate& pod, Symbol value) {
        NodeAffinity& affinity = pod.affinity.emplace().node_affinity.emplace();
        affinity.preferred.emplace_back().preference.match_expressions.push_back(
            {Symbol("zone"), Symbol("In"), {value}});
      },
      [](PodTemplate& pod, Symbol value) {
        NodeSelector& required = pod.affinity.emplace().node_affinity.emplace().required.emplace();
        required.node_selector_terms.emplace_back().match_fields.push_back(
            {Symbol("metadata.name"), Symbol("In"), {value}});
      },
      [](PodTemplate& pod, Symbol name) {
        pod.volumes.emplace_back().source.gce_persistent_disk.emplace().pd_name = name.str();
      },
      [](PodTemplate& pod, Symbol driver) { pod.volumes.emplace_back().source.csi.emplace().driver = driver; },
  };
  for (std::size_t i = 0; i < settings.size(); ++i) {
    std::set<std::uint64_t> hashes;
    for (const char* text : {"a", "b", "b"}) {
      PodTemplate pod;
      settings[i](pod, Symbol(text));
      hashes.insert(hash_of_needs(needs_of(pod)));
    }
    EXPECT_EQ(hashes.size(), 2u) << "setting " << i;
  }
}

TEST(CompiledPods, DropsWhatNobodyHolds) {
  CompiledPods pods;
  const Interned<PodTemplate> kept(PodTemplate{});
  const auto held = pods.get(kept);
  for (int i = 0; i < 10'000; ++i) pods.get(Interned<PodTemplate>(PodTemplate{}));
  EXPECT_LT(pods.size(), 1'000u);
  EXPECT_EQ(pods.get(kept), held);
}

}  // namespace
}  // namespace berth::api
