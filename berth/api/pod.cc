#include "berth/api/pod.h"

namespace berth::api {

namespace {

// See the top of volume.h for the reason.
void drop_volumes_of_other_kinds(void* object) {
  std::erase_if(static_cast<PodTemplate*>(object)->volumes,
                [](const Volume& volume) { return volume.source == VolumeSource{}; });
}

}  // namespace

template <>
const Schema& schema_of<ResourceClaimUse>() {
  static const Schema schema("ResourceClaim", {
                                                  field<&ResourceClaimUse::name>("name", 1, kAlways),
                                                  field<&ResourceClaimUse::request>("request", 2),
                                              });
  return schema;
}

template <>
const Schema& schema_of<ResourceRequirements>() {
  static const Schema schema("ResourceRequirements", {
                                                         field<&ResourceRequirements::limits>("limits", 1),
                                                         field<&ResourceRequirements::requests>("requests", 2),
                                                         field<&ResourceRequirements::claims>("claims", 3),
                                                     });
  return schema;
}

template <>
const Schema& schema_of<ContainerPort>() {
  static const Schema schema("ContainerPort", {
                                                  field<&ContainerPort::name>("name", 1),
                                                  field<&ContainerPort::host_port>("hostPort", 2),
                                                  field<&ContainerPort::container_port>("containerPort", 3, kAlways),
                                                  field<&ContainerPort::protocol>("protocol", 4),
                                                  field<&ContainerPort::host_ip>("hostIP", 5),
                                              });
  return schema;
}

template <>
const Schema& schema_of<ContainerRestartRule>() {
  static const Schema schema("ContainerRestartRule", {
                                                         field<&ContainerRestartRule::action>("action", 1),
                                                     });
  return schema;
}

template <>
const Schema& schema_of<Container>() {
  static const Schema schema("Container", {
                                              field<&Container::name>("name", 1, kAlways),
                                              field<&Container::image>("image", 2),
                                              field<&Container::ports>("ports", 6),
                                              field<&Container::resources>("resources", 8, kAlways),
                                              field<&Container::restart_policy>("restartPolicy", 24),
                                              field<&Container::restart_policy_rules>("restartPolicyRules", 25),
                                          });
  return schema;
}

template <>
const Schema& schema_of<NodeSelectorRequirement>() {
  static const Schema schema("NodeSelectorRequirement", {
                                                            field<&NodeSelectorRequirement::key>("key", 1, kAlways),
                                                            field<&NodeSelectorRequirement::op>("operator", 2, kAlways),
                                                            field<&NodeSelectorRequirement::values>("values", 3),
                                                        });
  return schema;
}

template <>
const Schema& schema_of<NodeSelectorTerm>() {
  static const Schema schema("NodeSelectorTerm", {
                                                     field<&NodeSelectorTerm::match_expressions>("matchExpressions", 1),
                                                     field<&NodeSelectorTerm::match_fields>("matchFields", 2),
                                                 });
  return schema;
}

template <>
const Schema& schema_of<NodeSelector>() {
  static const Schema schema("NodeSelector",
                             {
                                 field<&NodeSelector::node_selector_terms>("nodeSelectorTerms", 1, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<PreferredSchedulingTerm>() {
  static const Schema schema("PreferredSchedulingTerm",
                             {
                                 field<&PreferredSchedulingTerm::weight>("weight", 1, kAlways),
                                 field<&PreferredSchedulingTerm::preference>("preference", 2, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<NodeAffinity>() {
  static const Schema schema("NodeAffinity",
                             {
                                 field<&NodeAffinity::required>("requiredDuringSchedulingIgnoredDuringExecution", 1),
                                 field<&NodeAffinity::preferred>("preferredDuringSchedulingIgnoredDuringExecution", 2),
                             });
  return schema;
}

template <>
const Schema& schema_of<PodAffinityTerm>() {
  static const Schema schema("PodAffinityTerm",
                             {
                                 field<&PodAffinityTerm::label_selector>("labelSelector", 1),
                                 field<&PodAffinityTerm::namespaces>("namespaces", 2),
                                 field<&PodAffinityTerm::topology_key>("topologyKey", 3, kAlways),
                                 field<&PodAffinityTerm::namespace_selector>("namespaceSelector", 4),
                                 field<&PodAffinityTerm::match_label_keys>("matchLabelKeys", 5),
                                 field<&PodAffinityTerm::mismatch_label_keys>("mismatchLabelKeys", 6),
                             });
  return schema;
}

template <>
const Schema& schema_of<WeightedPodAffinityTerm>() {
  static const Schema schema("WeightedPodAffinityTerm",
                             {
                                 field<&WeightedPodAffinityTerm::weight>("weight", 1, kAlways),
                                 field<&WeightedPodAffinityTerm::pod_affinity_term>("podAffinityTerm", 2, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<PodAffinity>() {
  static const Schema schema("PodAffinity",
                             {
                                 field<&PodAffinity::required>("requiredDuringSchedulingIgnoredDuringExecution", 1),
                                 field<&PodAffinity::preferred>("preferredDuringSchedulingIgnoredDuringExecution", 2),
                             });
  return schema;
}

template <>
const Schema& schema_of<Affinity>() {
  static const Schema schema("Affinity", {
                                             field<&Affinity::node_affinity>("nodeAffinity", 1),
                                             field<&Affinity::pod_affinity>("podAffinity", 2),
                                             field<&Affinity::pod_anti_affinity>("podAntiAffinity", 3),
                                         });
  return schema;
}

template <>
const Schema& schema_of<Toleration>() {
  static const Schema schema("Toleration", {
                                               field<&Toleration::key>("key", 1),
                                               field<&Toleration::op>("operator", 2),
                                               field<&Toleration::value>("value", 3),
                                               field<&Toleration::effect>("effect", 4),
                                               field<&Toleration::toleration_seconds>("tolerationSeconds", 5),
                                           });
  return schema;
}

template <>
const Schema& schema_of<TopologySpreadConstraint>() {
  static const Schema schema("TopologySpreadConstraint",
                             {
                                 field<&TopologySpreadConstraint::max_skew>("maxSkew", 1, kAlways),
                                 field<&TopologySpreadConstraint::topology_key>("topologyKey", 2, kAlways),
                                 field<&TopologySpreadConstraint::when_unsatisfiable>("whenUnsatisfiable", 3, kAlways),
                                 field<&TopologySpreadConstraint::label_selector>("labelSelector", 4),
                                 field<&TopologySpreadConstraint::min_domains>("minDomains", 5),
                                 field<&TopologySpreadConstraint::node_affinity_policy>("nodeAffinityPolicy", 6),
                                 field<&TopologySpreadConstraint::node_taints_policy>("nodeTaintsPolicy", 7),
                                 field<&TopologySpreadConstraint::match_label_keys>("matchLabelKeys", 8),
                             });
  return schema;
}

template <>
const Schema& schema_of<PodSchedulingGate>() {
  static const Schema schema("PodSchedulingGate", {
                                                      field<&PodSchedulingGate::name>("name", 1, kAlways),
                                                  });
  return schema;
}

template <>
const Schema& schema_of<PodResourceClaim>() {
  static const Schema schema("PodResourceClaim",
                             {
                                 field<&PodResourceClaim::name>("name", 1, kAlways),
                                 field<&PodResourceClaim::resource_claim_name>("resourceClaimName", 3),
                                 field<&PodResourceClaim::resource_claim_template_name>("resourceClaimTemplateName", 4),
                             });
  return schema;
}

template <>
const Schema& schema_of<PodSchedulingGroup>() {
  static const Schema schema("PodSchedulingGroup", {
                                                       field<&PodSchedulingGroup::pod_group_name>("podGroupName", 1),
                                                   });
  return schema;
}

template <>
const Schema& schema_of<PodTemplate>() {
  static const Schema schema(
      "PodSpec",
      {
          field<&PodTemplate::volumes>("volumes", 1),
          field<&PodTemplate::init_containers>("initContainers", 20),
          field<&PodTemplate::containers>("containers", 2, kAlways),
          field<&PodTemplate::restart_policy>("restartPolicy", 3),
          field<&PodTemplate::termination_grace_period_seconds>("terminationGracePeriodSeconds", 4),
          field<&PodTemplate::active_deadline_seconds>("activeDeadlineSeconds", 5),
          field<&PodTemplate::node_selector>("nodeSelector", 7),
          field<&PodTemplate::service_account_name>("serviceAccountName", 8),
          field<&PodTemplate::host_network>("hostNetwork", 11),
          field<&PodTemplate::affinity>("affinity", 18),
          field<&PodTemplate::scheduler_name>("schedulerName", 19),
          field<&PodTemplate::tolerations>("tolerations", 22),
          field<&PodTemplate::priority_class_name>("priorityClassName", 24),
          field<&PodTemplate::priority>("priority", 25),
          field<&PodTemplate::runtime_class_name>("runtimeClassName", 29),
          field<&PodTemplate::preemption_policy>("preemptionPolicy", 31),
          field<&PodTemplate::overhead>("overhead", 32),
          field<&PodTemplate::topology_spread_constraints>("topologySpreadConstraints", 33),
          field<&PodTemplate::host_users>("hostUsers", 37),
          field<&PodTemplate::scheduling_gates>("schedulingGates", 38),
          field<&PodTemplate::resource_claims>("resourceClaims", 39),
          field<&PodTemplate::resources>("resources", 40),
          field<&PodTemplate::scheduling_group>("schedulingGroup", 43),
      },
      &drop_volumes_of_other_kinds);
  return schema;
}

template <>
const Schema& schema_of<PodSpec>() {
  static const Schema schema("PodSpec", {
                                            field<&PodSpec::node_name>("nodeName", 10),
                                            shared_part<&PodSpec::shared>(),
                                        });
  return schema;
}

template <>
const Schema& schema_of<PodCondition>() {
  static const Schema schema("PodCondition",
                             {
                                 field<&PodCondition::type>("type", 1, kAlways),
                                 field<&PodCondition::observed_generation>("observedGeneration", 7),
                                 field<&PodCondition::status>("status", 2, kAlways),
                                 field<&PodCondition::last_probe_time>("lastProbeTime", 3, kAlways),
                                 field<&PodCondition::last_transition_time>("lastTransitionTime", 4, kAlways),
                                 field<&PodCondition::reason>("reason", 5),
                                 field<&PodCondition::message>("message", 6),
                             });
  return schema;
}

template <>
const Schema& schema_of<ContainerStateWaiting>() {
  static const Schema schema("ContainerStateWaiting", {
                                                          field<&ContainerStateWaiting::reason>("reason", 1),
                                                          field<&ContainerStateWaiting::message>("message", 2),
                                                      });
  return schema;
}

template <>
const Schema& schema_of<ContainerStateTerminated>() {
  static const Schema schema("ContainerStateTerminated",
                             {
                                 field<&ContainerStateTerminated::exit_code>("exitCode", 1, kAlways),
                                 field<&ContainerStateTerminated::signal>("signal", 2),
                                 field<&ContainerStateTerminated::reason>("reason", 3),
                                 field<&ContainerStateTerminated::message>("message", 4),
                             });
  return schema;
}

template <>
const Schema& schema_of<ContainerState>() {
  static const Schema schema("ContainerState", {
                                                   field<&ContainerState::waiting>("waiting", 1),
                                                   field<&ContainerState::terminated>("terminated", 3),
                                               });
  return schema;
}

template <>
const Schema& schema_of<ContainerStatus>() {
  static const Schema schema("ContainerStatus",
                             {
                                 field<&ContainerStatus::name>("name", 1, kAlways),
                                 field<&ContainerStatus::state>("state", 2),
                                 field<&ContainerStatus::last_state>("lastState", 3),
                                 field<&ContainerStatus::ready>("ready", 4, kAlways),
                                 field<&ContainerStatus::restart_count>("restartCount", 5, kAlways),
                                 field<&ContainerStatus::allocated_resources>("allocatedResources", 10),
                                 field<&ContainerStatus::resources>("resources", 11),
                             });
  return schema;
}

template <>
const Schema& schema_of<PodResourceClaimStatus>() {
  static const Schema schema("PodResourceClaimStatus",
                             {
                                 field<&PodResourceClaimStatus::name>("name", 1, kAlways),
                                 field<&PodResourceClaimStatus::resource_claim_name>("resourceClaimName", 2),
                             });
  return schema;
}

template <>
const Schema& schema_of<ContainerExtendedResourceRequest>() {
  static const Schema schema("ContainerExtendedResourceRequest",
                             {
                                 field<&ContainerExtendedResourceRequest::container_name>("containerName", 1, kAlways),
                                 field<&ContainerExtendedResourceRequest::resource_name>("resourceName", 2, kAlways),
                                 field<&ContainerExtendedResourceRequest::request_name>("requestName", 3, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<PodExtendedResourceClaimStatus>() {
  static const Schema schema(
      "PodExtendedResourceClaimStatus",
      {
          field<&PodExtendedResourceClaimStatus::request_mappings>("requestMappings", 1, kAlways),
          field<&PodExtendedResourceClaimStatus::resource_claim_name>("resourceClaimName", 2, kAlways),
      });
  return schema;
}

template <>
const Schema& schema_of<NodeAllocatableResourceClaimStatus>() {
  static const Schema schema(
      "NodeAllocatableResourceClaimStatus",
      {
          field<&NodeAllocatableResourceClaimStatus::resource_claim_name>("resourceClaimName", 1, kAlways),
          field<&NodeAllocatableResourceClaimStatus::containers>("containers", 2),
          field<&NodeAllocatableResourceClaimStatus::resources>("resources", 3, kAlways),
      });
  return schema;
}

template <>
const Schema& schema_of<PodStatus>() {
  static const Schema schema(
      "PodStatus",
      {
          field<&PodStatus::observed_generation>("observedGeneration", 17),
          field<&PodStatus::phase>("phase", 1),
          field<&PodStatus::conditions>("conditions", 2),
          field<&PodStatus::message>("message", 3),
          field<&PodStatus::reason>("reason", 4),
          field<&PodStatus::nominated_node_name>("nominatedNodeName", 11),
          field<&PodStatus::start_time>("startTime", 7),
          field<&PodStatus::init_container_statuses>("initContainerStatuses", 10),
          field<&PodStatus::container_statuses>("containerStatuses", 8),
          field<&PodStatus::resource_claim_statuses>("resourceClaimStatuses", 15),
          field<&PodStatus::extended_resource_claim_status>("extendedResourceClaimStatus", 18),
          field<&PodStatus::allocated_resources>("allocatedResources", 19),
          field<&PodStatus::resources>("resources", 20),
          field<&PodStatus::node_allocatable_resource_claim_statuses>("nodeAllocatableResourceClaimStatuses", 21),
      });
  return schema;
}

template <>
const Schema& schema_of<Pod>() {
  static const Schema schema("Pod", {
                                        field<&Pod::metadata>("metadata", 1, kAlways),
                                        field<&Pod::spec>("spec", 2, kAlways),
                                        field<&Pod::status>("status", 3, kAlways),
                                    });
  return schema;
}

const PodCondition* find_condition(const Pod& pod, Symbol type) {
  for (const PodCondition& condition : pod.status.conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

bool is_terminal(const Pod& pod) {
  static const Symbol kSucceeded("Succeeded");
  static const Symbol kFailed("Failed");
  return pod.status.phase == kSucceeded || pod.status.phase == kFailed;
}
}  // namespace berth::api
