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

bool resource_matches(Symbol registered, Symbol happened) {
  static const Symbol any(resource::kAny), pod(resource::kPod), assigned(resource::kAssignedPod),
      unschedulable(resource::kUnschedulablePod);
  return registered == any || registered == happened ||
         (registered == pod && (happened == assigned || happened == unschedulable));
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

bool ClusterEvent::is_wildcard() const {
  static const Symbol any(resource::kAny);
  return resource == any && actions == action::kAll;
}

bool matches(const ClusterEvent& registered, const ClusterEvent& happened) {
  if (registered.is_wildcard()) return true;
  return resource_matches(registered.resource, happened.resource) && (registered.actions & happened.actions) != 0 &&
         happened.actions <= registered.actions;
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
