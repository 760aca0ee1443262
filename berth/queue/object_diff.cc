#include "berth/queue/object_diff.h"

#include <algorithm>

#include "berth/api/pod_requests.h"

namespace berth::queue {

namespace {

bool asks_for_less(const api::Pod& old_pod, const api::Pod& new_pod) {
  const bool is_same_wish = old_pod.spec.shared.same_as(new_pod.spec.shared);
  if (is_same_wish && !api::has_resources_in_status(old_pod.status) && !api::has_resources_in_status(new_pod.status)) {
    return false;
  }
  if (is_same_wish && old_pod.status.container_statuses.same_as(new_pod.status.container_statuses) &&
      old_pod.status.init_container_statuses.same_as(new_pod.status.init_container_statuses) &&
      old_pod.status.resources.same_as(new_pod.status.resources) &&
      old_pod.status.allocated_resources.same_as(new_pod.status.allocated_resources) &&
      old_pod.status.conditions == new_pod.status.conditions) {
    return false;
  }
  const api::PodRequestsOptions options{.use_status = true};
  const api::ResourceList before = api::pod_requests(*old_pod.spec, old_pod.status, options);
  const api::ResourceList after = api::pod_requests(*new_pod.spec, new_pod.status, options);
  return std::ranges::any_of(before, [&after](const api::ResourceList::Entry& entry) {
    const api::Quantity* now = after.find(entry.key);
    return now == nullptr || entry.value.milli_value() > now->milli_value();
  });
}

std::vector<std::pair<Symbol, Symbol>> statuses_by_type(const api::Node& node) {
  std::vector<std::pair<Symbol, Symbol>> statuses;
  for (const api::NodeCondition& condition : node.status.conditions) {
    const auto known = std::ranges::find(statuses, condition.type, &std::pair<Symbol, Symbol>::first);
    if (known != statuses.end()) {
      known->second = condition.status;
    } else {
      statuses.emplace_back(condition.type, condition.status);
    }
  }
  std::ranges::sort(statuses, {}, [](const auto& status) { return status.first.id(); });
  return statuses;
}

}  // namespace

std::vector<ClusterEvent> pod_update_events(const api::Pod& old_pod, const api::Pod& new_pod) {
  static const Symbol assigned(resource::kAssignedPod), unassigned(resource::kUnschedulablePod);
  const Symbol about = new_pod.spec.node_name.empty() ? unassigned : assigned;
  std::vector<ClusterEvent> events;
  const auto add = [&](ActionSet actions) { events.emplace_back(about, actions); };
  if (old_pod.metadata.labels != new_pod.metadata.labels) add(action::kUpdatePodLabel);
  if (asks_for_less(old_pod, new_pod)) add(action::kUpdatePodScaleDown);
  if (new_pod.spec->scheduling_gates.empty() && !old_pod.spec->scheduling_gates.empty()) {
    add(action::kUpdatePodSchedulingGatesEliminated);
  }
  if (old_pod.spec->tolerations.size() != new_pod.spec->tolerations.size()) add(action::kUpdatePodToleration);
  if (old_pod.status.resource_claim_statuses != new_pod.status.resource_claim_statuses ||
      old_pod.status.extended_resource_claim_status != new_pod.status.extended_resource_claim_status) {
    add(action::kUpdatePodGeneratedResourceClaim);
  }
  if (events.empty()) add(action::kUpdate);
  return events;
}

std::vector<ClusterEvent> node_update_events(const api::Node& old_node, const api::Node& new_node) {
  static const Symbol node(resource::kNode);
  std::vector<ClusterEvent> events;
  const auto add = [&](ActionSet actions) { events.emplace_back(node, actions); };
  if (old_node.spec.unschedulable && !new_node.spec.unschedulable) add(action::kUpdateNodeTaint);
  if (old_node.status.allocatable != new_node.status.allocatable) add(action::kUpdateNodeAllocatable);
  if (old_node.metadata.labels != new_node.metadata.labels) add(action::kUpdateNodeLabel);
  if (old_node.spec.taints != new_node.spec.taints) add(action::kUpdateNodeTaint);
  if (statuses_by_type(old_node) != statuses_by_type(new_node)) add(action::kUpdateNodeCondition);
  if (old_node.metadata.annotations != new_node.metadata.annotations) add(action::kUpdateNodeAnnotation);
  if (old_node.status.declared_features != new_node.status.declared_features) add(action::kUpdateNodeDeclaredFeature);
  return events;
}

bool differs_for_scheduling(const api::Pod& old_pod, const api::Pod& new_pod, PodChange change) {
  const api::ObjectMeta &a = old_pod.metadata, &b = new_pod.metadata;
  if (a.uid != b.uid || a.generate_name != b.generate_name || a.creation_timestamp != b.creation_timestamp ||
      a.deletion_timestamp != b.deletion_timestamp ||
      a.deletion_grace_period_seconds != b.deletion_grace_period_seconds || a.labels != b.labels ||
      a.annotations != b.annotations || a.owner_references != b.owner_references || old_pod.spec != new_pod.spec) {
    return true;
  }
  switch (change) {
    case PodChange::kAllButStatus: return a.finalizers != b.finalizers;
    case PodChange::kForScheduling:
      return old_pod.status.resource_claim_statuses != new_pod.status.resource_claim_statuses ||
             old_pod.status.extended_resource_claim_status != new_pod.status.extended_resource_claim_status;
  }
  return false;
}

}  // namespace berth::queue
