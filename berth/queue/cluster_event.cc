#include "berth/queue/cluster_event.h"

#include <array>
#include <utility>

namespace berth::queue {

namespace {

constexpr std::array<std::pair<ActionSet, std::string_view>, 15> kActionNames = {{
    {action::kAdd, "Add"},
    {action::kDelete, "Delete"},
    {action::kUpdateNodeAllocatable, "UpdateNodeAllocatable"},
    {action::kUpdateNodeLabel, "UpdateNodeLabel"},
    {action::kUpdateNodeTaint, "UpdateNodeTaint"},
    {action::kUpdateNodeCondition, "UpdateNodeCondition"},
    {action::kUpdateNodeAnnotation, "UpdateNodeAnnotation"},
    {action::kUpdateNodeDeclaredFeature, "UpdateNodeDeclaredFeature"},
    {action::kUpdatePodLabel, "UpdatePodLabel"},
    {action::kUpdatePodScaleDown, "UpdatePodScaleDown"},
    {action::kUpdatePodToleration, "UpdatePodToleration"},
    {action::kUpdatePodSchedulingGatesEliminated, "UpdatePodSchedulingGatesEliminated"},
    {action::kUpdatePodGeneratedResourceClaim, "UpdatePodGeneratedResourceClaim"},
    {action::kUpdate, "Update"},
    {action::kAll, "All"},
}};

// "Pod" is for pods with and without a node alike.
bool is_same_resource(Symbol registered, Symbol happened) {
  static const Symbol pod(resource::kPod), assigned(resource::kAssignedPod), unschedulable(resource::kUnschedulablePod);
  return registered == happened || (registered == pod && (happened == assigned || happened == unschedulable));
}

}  // namespace

std::string_view action_name(ActionSet actions) {
  for (const auto& [bits, name] : kActionNames) {
    if (bits == actions) return name;
  }
  return "";
}

Symbol ClusterEvent::label() const {
  if (!custom_label.empty()) return custom_label;
  std::string text(resource.text());
  text += action_name(actions);
  return Symbol(text);
}

bool ClusterEvent::is_wildcard(EventMatching matching) const {
  static const Symbol any(resource::kAny);
  if (resource != any) return false;
  return actions == action::kAll || (matching == EventMatching::kSharedAction && actions == action::kAllOfV1_28);
}

bool matches(const ClusterEvent& registered, const ClusterEvent& happened, EventMatching matching) {
  static const Symbol any(resource::kAny);
  const bool shares_action = (registered.actions & happened.actions) != 0;
  const bool is_same = is_same_resource(registered.resource, happened.resource);
  if (matching == EventMatching::kSharedAction) return is_same && shares_action;
  if (registered.is_wildcard()) return true;
  return (registered.resource == any || is_same) && shares_action && happened.actions <= registered.actions;
}

ClusterEvent assigned_pod_add() {
  static const ClusterEvent event(resource::kAssignedPod, action::kAdd);
  return event;
}

ClusterEvent assigned_pod_delete() {
  static const ClusterEvent event(resource::kAssignedPod, action::kDelete);
  return event;
}

ClusterEvent unschedulable_timeout() {
  static const ClusterEvent event(Symbol(resource::kAny), action::kAll, Symbol("UnschedulableTimeout"));
  return event;
}

ClusterEvent force_activate() {
  static const ClusterEvent event(Symbol(resource::kAny), action::kAll, Symbol("ForceActivate"));
  return event;
}

}  // namespace berth::queue
