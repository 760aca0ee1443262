// Pod, as the scheduler sees it.
//
// What pods of one template have in common lies behind the arrow (`pod.spec->tolerations`): one PodTemplate, shared by
// all of them when they were decoded with one InternPool, so its identity is the pod's class. What is the pod's own
// lies behind the dot (`pod.spec.node_name`, `pod.metadata`, `pod.status`).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/meta.h"
#include "berth/api/volume.h"

namespace berth::api {

struct ResourceClaimUse {
  Symbol name;
  Symbol request;
  bool operator==(const ResourceClaimUse&) const = default;
};

struct ResourceRequirements {
  ResourceList limits;
  ResourceList requests;
  std::vector<ResourceClaimUse> claims;
  bool operator==(const ResourceRequirements&) const = default;
};

struct ContainerPort {
  Symbol name;
  std::int32_t host_port = 0;
  std::int32_t container_port = 0;
  Symbol protocol;
  Symbol host_ip;
  bool operator==(const ContainerPort&) const = default;
};

struct ContainerRestartRule {
  Symbol action;
  bool operator==(const ContainerRestartRule&) const = default;
};

struct Container {
  Symbol name;
  Symbol image;
  std::vector<ContainerPort> ports;
  ResourceRequirements resources;
  std::optional<Symbol> restart_policy;  // "Always" on an init container makes it a sidecar
  std::vector<ContainerRestartRule> restart_policy_rules;
  bool operator==(const Container&) const = default;
};

struct NodeSelectorRequirement {
  Symbol key;
  Symbol op;
  std::vector<Symbol> values;
  bool operator==(const NodeSelectorRequirement&) const = default;
};

struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions;
  std::vector<NodeSelectorRequirement> match_fields;
  bool operator==(const NodeSelectorTerm&) const = default;
};

struct NodeSelector {
  std::vector<NodeSelectorTerm> node_selector_terms;
  bool operator==(const NodeSelector&) const = default;
};

struct PreferredSchedulingTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm preference;
  bool operator==(const PreferredSchedulingTerm&) const = default;
};

struct NodeAffinity {
  std::optional<NodeSelector> required;
  std::vector<PreferredSchedulingTerm> preferred;
  bool operator==(const NodeAffinity&) const = default;
};

struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector;
  std::vector<Symbol> namespaces;
  Symbol topology_key;
  std::optional<LabelSelector> namespace_selector;
  std::vector<Symbol> match_label_keys;
  std::vector<Symbol> mismatch_label_keys;
  bool operator==(const PodAffinityTerm&) const = default;
};

struct WeightedPodAffinityTerm {
  std::int32_t weight = 0;
  PodAffinityTerm pod_affinity_term;
  bool operator==(const WeightedPodAffinityTerm&) const = default;
};

// podAffinity and podAntiAffinity have the same form.
struct PodAffinity {
  std::vector<PodAffinityTerm> required;
  std::vector<WeightedPodAffinityTerm> preferred;
  bool operator==(const PodAffinity&) const = default;
};

struct Affinity {
  std::optional<NodeAffinity> node_affinity;
  std::optional<PodAffinity> pod_affinity;
  std::optional<PodAffinity> pod_anti_affinity;
  bool operator==(const Affinity&) const = default;
};

struct Toleration {
  Symbol key;
  Symbol op;
  Symbol value;
  Symbol effect;
  std::optional<std::int64_t> toleration_seconds;
  bool operator==(const Toleration&) const = default;
};

struct TopologySpreadConstraint {
  std::int32_t max_skew = 0;
  Symbol topology_key;
  Symbol when_unsatisfiable;
  std::optional<LabelSelector> label_selector;
  std::optional<std::int32_t> min_domains;
  std::optional<Symbol> node_affinity_policy;
  std::optional<Symbol> node_taints_policy;
  std::vector<Symbol> match_label_keys;
  bool operator==(const TopologySpreadConstraint&) const = default;
};

struct PodSchedulingGate {
  Symbol name;
  bool operator==(const PodSchedulingGate&) const = default;
};

struct PodResourceClaim {
  Symbol name;
  std::optional<Symbol> resource_claim_name;
  std::optional<Symbol> resource_claim_template_name;
  bool operator==(const PodResourceClaim&) const = default;
};

struct PodSchedulingGroup {
  std::optional<Symbol> pod_group_name;
  bool operator==(const PodSchedulingGroup&) const = default;
};

// The part of a pod's spec that all pods of one template have in common.
struct PodTemplate {
  std::vector<Volume> volumes;
  std::vector<Container> init_containers;
  std::vector<Container> containers;
  Symbol restart_policy;
  std::optional<std::int64_t> termination_grace_period_seconds;
  std::optional<std::int64_t> active_deadline_seconds;
  Labels node_selector;
  Symbol service_account_name;
  bool host_network = false;
  std::optional<bool> host_users;
  Box<Affinity> affinity;
  Symbol scheduler_name;
  std::vector<Toleration> tolerations;
  Symbol priority_class_name;
  std::optional<std::int32_t> priority;
  std::optional<Symbol> runtime_class_name;
  std::optional<Symbol> preemption_policy;
  ResourceList overhead;
  std::vector<TopologySpreadConstraint> topology_spread_constraints;
  std::vector<PodSchedulingGate> scheduling_gates;
  std::vector<PodResourceClaim> resource_claims;
  Box<ResourceRequirements> resources;
  Box<PodSchedulingGroup> scheduling_group;
  bool operator==(const PodTemplate&) const = default;
};

struct PodSpec {
  Symbol node_name;
  Interned<PodTemplate> shared;

  const PodTemplate* operator->() const { return &*shared; }
  const PodTemplate& operator*() const { return *shared; }
  bool operator==(const PodSpec&) const = default;
};

struct PodCondition {
  Symbol type;
  Symbol status;
  Symbol reason;
  std::string message;
  Instant last_probe_time;
  Instant last_transition_time;
  std::int64_t observed_generation = 0;
  bool operator==(const PodCondition&) const = default;
};

struct ContainerStateWaiting {
  Symbol reason;
  std::string message;
  bool operator==(const ContainerStateWaiting&) const = default;
};

struct ContainerStateTerminated {
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  Symbol reason;
  std::string message;
  bool operator==(const ContainerStateTerminated&) const = default;
};

// Neither waiting nor terminated: running, or nothing is known. What differs from pod to pod without meaning anything
// to a scheduler (start times, container IDs) is left out, so that statuses of pods of one template stay equal.
struct ContainerState {
  Box<ContainerStateWaiting> waiting;
  Box<ContainerStateTerminated> terminated;
  bool operator==(const ContainerState&) const = default;
};

struct ContainerStatus {
  Symbol name;
  ContainerState state;
  ContainerState last_state;
  bool ready = false;
  std::int32_t restart_count = 0;
  ResourceList allocated_resources;
  std::optional<ResourceRequirements> resources;
  bool operator==(const ContainerStatus&) const = default;
};

struct PodResourceClaimStatus {
  Symbol name;
  std::optional<Symbol> resource_claim_name;
  bool operator==(const PodResourceClaimStatus&) const = default;
};

struct ContainerExtendedResourceRequest {
  Symbol container_name;
  Symbol resource_name;
  Symbol request_name;
  bool operator==(const ContainerExtendedResourceRequest&) const = default;
};

struct PodExtendedResourceClaimStatus {
  std::vector<ContainerExtendedResourceRequest> request_mappings;
  Symbol resource_claim_name;
  bool operator==(const PodExtendedResourceClaimStatus&) const = default;
};

struct NodeAllocatableResourceClaimStatus {
  Symbol resource_claim_name;
  std::vector<Symbol> containers;
  ResourceList resources;
  bool operator==(const NodeAllocatableResourceClaimStatus&) const = default;
};

struct PodStatus {
  Symbol phase;
  Symbol reason;
  Symbol nominated_node_name;
  std::int64_t observed_generation = 0;
  Instant start_time;
  std::vector<PodCondition> conditions;
  Interned<std::string> message;
  Interned<std::vector<ContainerStatus>> container_statuses;
  Interned<std::vector<ContainerStatus>> init_container_statuses;
  Interned<std::vector<PodResourceClaimStatus>> resource_claim_statuses;
  Box<PodExtendedResourceClaimStatus> extended_resource_claim_status;
  Interned<ResourceList> allocated_resources;
  Interned<std::optional<ResourceRequirements>> resources;
  Interned<std::vector<NodeAllocatableResourceClaimStatus>> node_allocatable_resource_claim_statuses;
  bool operator==(const PodStatus&) const = default;
};

struct Pod {
  ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;
  bool operator==(const Pod&) const = default;
};

using PodPtr = std::shared_ptr<const Pod>;

BERTH_HAS_SCHEMA(ResourceClaimUse);
BERTH_HAS_SCHEMA(ResourceRequirements);
BERTH_HAS_SCHEMA(ContainerPort);
BERTH_HAS_SCHEMA(ContainerRestartRule);
BERTH_HAS_SCHEMA(Container);
BERTH_HAS_SCHEMA(NodeSelectorRequirement);
BERTH_HAS_SCHEMA(NodeSelectorTerm);
BERTH_HAS_SCHEMA(NodeSelector);
BERTH_HAS_SCHEMA(PreferredSchedulingTerm);
BERTH_HAS_SCHEMA(NodeAffinity);
BERTH_HAS_SCHEMA(PodAffinityTerm);
BERTH_HAS_SCHEMA(WeightedPodAffinityTerm);
BERTH_HAS_SCHEMA(PodAffinity);
BERTH_HAS_SCHEMA(Affinity);
BERTH_HAS_SCHEMA(Toleration);
BERTH_HAS_SCHEMA(TopologySpreadConstraint);
BERTH_HAS_SCHEMA(PodSchedulingGate);
BERTH_HAS_SCHEMA(PodResourceClaim);
BERTH_HAS_SCHEMA(PodSchedulingGroup);
BERTH_HAS_SCHEMA(PodTemplate);
BERTH_HAS_SCHEMA(PodSpec);
BERTH_HAS_SCHEMA(PodCondition);
BERTH_HAS_SCHEMA(ContainerStateWaiting);
BERTH_HAS_SCHEMA(ContainerStateTerminated);
BERTH_HAS_SCHEMA(ContainerState);
BERTH_HAS_SCHEMA(ContainerStatus);
BERTH_HAS_SCHEMA(PodResourceClaimStatus);
BERTH_HAS_SCHEMA(ContainerExtendedResourceRequest);
BERTH_HAS_SCHEMA(PodExtendedResourceClaimStatus);
BERTH_HAS_SCHEMA(NodeAllocatableResourceClaimStatus);
BERTH_HAS_SCHEMA(PodStatus);
BERTH_HAS_SCHEMA(Pod);

inline std::int32_t priority_of(const Pod& pod) {
  return pod.spec->priority.value_or(0);
}

// Empty if the pod has no such condition.
const PodCondition* find_condition(const Pod& pod, Symbol type);

// A pod in phase Succeeded or Failed holds no resources and is not scheduled.
bool is_terminal(const Pod& pod);

}  // namespace berth::api
