#include "berth/explain/pending_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/explain/facts.h"
#include "berth/explain/words.h"
#include "berth/framework/reason.h"
#include "berth/plugins/names.h"

namespace berth::explain {

namespace {

namespace name = plugins::name;

using framework::ReasonCode;

// What a cause is called: the first row of the plugin whose reason was given. kOther stands for all its other reasons.
struct Title {
  std::string_view plugin;
  ReasonCode reason;
  std::string_view text;
};
constexpr Title kTitles[] = {
    {name::kInterPodAffinity, ReasonCode::kExistingPodsAntiAffinity, "the anti-affinity of pods that run there"},
    {name::kInterPodAffinity, ReasonCode::kPodAntiAffinity, "pod anti-affinity"},
    {name::kInterPodAffinity, ReasonCode::kOther, "pod affinity"},
    {name::kPodTopologySpread, ReasonCode::kTopologySpreadLabelMissing,
     "nodes without the label of a topology spread constraint"},
    {name::kPodTopologySpread, ReasonCode::kOther, "topology spread constraints"},
    {name::kNodePorts, ReasonCode::kOther, "host ports that are taken"},
    {name::kVolumeBinding, ReasonCode::kVolumeObjectNotFound,
     "a PersistentVolumeClaim or StorageClass that does not exist"},
    {name::kVolumeBinding, ReasonCode::kUnboundImmediateClaims, "a PersistentVolumeClaim that is not bound yet"},
    {name::kVolumeBinding, ReasonCode::kClaimBeingDeleted, "a PersistentVolumeClaim that is being deleted"},
    {name::kVolumeBinding, ReasonCode::kVolumeNodeAffinity, "a volume that other nodes or zones have"},
    {name::kVolumeBinding, ReasonCode::kBoundVolumeMissing, "a bound PersistentVolume that does not exist"},
    {name::kVolumeBinding, ReasonCode::kClaimNotReady, "a PersistentVolumeClaim that cannot be used"},
    {name::kVolumeBinding, ReasonCode::kNoVolumeToBind, "no PersistentVolume that a claim could be bound to"},
    {name::kVolumeBinding, ReasonCode::kNotEnoughStorage, "not enough free storage"},
    {name::kVolumeBinding, ReasonCode::kOther, "volumes"},
    {name::kVolumeZone, ReasonCode::kVolumeObjectNotFound, "a PersistentVolume or StorageClass that does not exist"},
    {name::kVolumeZone, ReasonCode::kOther, "a volume in another zone"},
    {name::kNodeVolumeLimits, ReasonCode::kVolumeObjectNotFound, "a PersistentVolumeClaim that does not exist"},
    {name::kNodeVolumeLimits, ReasonCode::kCsiDriverMissing, "nodes without the CSI driver of a volume"},
    {name::kNodeVolumeLimits, ReasonCode::kOther, "the number of volumes that a node can attach"},
    {name::kVolumeRestrictions, ReasonCode::kVolumeObjectNotFound,
     "a PersistentVolumeClaim or StorageClass that does not exist"},
    {name::kVolumeRestrictions, ReasonCode::kOther, "a volume that another pod uses"},
    {name::kDynamicResources, ReasonCode::kOther, "resource claims"},
    {name::kNodeName, ReasonCode::kOther, "the node that the pod names"},
    {name::kNodeUnschedulable, ReasonCode::kOther, "cordoned nodes"},
    {name::kNodeDeclaredFeatures, ReasonCode::kOther, "features that nodes do not have"},
};

const cache::NodeState* first_node(const NodeGroup& group, const Cluster& cluster) {
  if (group.nodes.empty()) return nullptr;
  const cache::RowId row = cluster.cache.nodes().row_of(Symbol(group.nodes.front()));
  if (row == cache::kNoRow || cluster.cache.nodes().at(row).node == nullptr) return nullptr;
  return &cluster.cache.nodes().at(row);
}

// A node that lacks a resource lacks more than one that has too little of it, and that more than one that is full. The
// first resource of those counts; the sentence about the pods has the others.
std::string resource_title(const NodeGroup& group, const api::PodPtr& pod, Cluster& cluster) {
  const cache::NodeState* node = first_node(group, cluster);
  if (node == nullptr) return "not enough free resources";
  Evaluation evaluation;
  evaluation.pod = {.pod = pod, .compiled = cluster.cache.compile(*pod)};
  FailingFilter failing;
  failing.reasons = group.reasons;
  const std::vector<Shortage> all = shortages(evaluation, *node, failing);
  if (all.empty()) return "not enough free resources";
  const auto worst = std::ranges::max_element(all, {}, &Shortage::kind);
  if (worst->resource == "pods") return "nodes that have as many pods as they take";
  switch (worst->kind) {
    case Shortage::Kind::kNone: return fmt::format("nodes without {}", worst->resource.text());
    case Shortage::Kind::kTooSmall: return fmt::format("nodes too small in {}", worst->resource.text());
    case Shortage::Kind::kTaken: break;
  }
  return fmt::format("not enough free {}", worst->resource.text());
}

std::string taint_title(const NodeGroup& group, const api::Pod& pod, const Cluster& cluster) {
  const cache::NodeState* node = first_node(group, cluster);
  std::vector<std::string> texts;
  bool are_states = node != nullptr;
  if (node != nullptr) {
    for (const api::Taint& taint : untolerated_taints(pod, *node->node)) {
      const std::string_view state = node_state_of(taint);
      are_states &= !state.empty();
      std::string text = state.empty() ? taint_text(taint) : std::string(state);
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
    }
  }
  if (texts.empty()) return "taints that are not tolerated";
  if (are_states) return fmt::format("nodes that are {}", listed(texts));
  return fmt::format("the taint{} {}", texts.size() == 1 ? "" : "s", listed(texts));
}

std::string affinity_title(const NodeGroup& group, const api::Pod& pod, const Cluster& cluster) {
  std::vector<std::string> texts;
  if (const cache::NodeState* node = first_node(group, cluster)) {
    for (const Demand& demand : node_demands(*pod.spec)) {
      if (!demand.is_met_by(node->labels())) texts.push_back(demand.text);
    }
  }
  return texts.empty() ? "node affinity" : fmt::format("nodes without {}", listed(texts));
}

std::string title_of(Symbol plugin, const std::vector<framework::Reason>& reasons, const std::string& message) {
  for (const Title& title : kTitles) {
    if (plugin != title.plugin) continue;
    const bool is_given = std::ranges::find(reasons, title.reason, &framework::Reason::code) != reasons.end();
    if (is_given || title.reason == ReasonCode::kOther) return std::string(title.text);
  }
  return plugin.empty() ? message : fmt::format("the plugin {}", plugin.text());
}

Cause of_unschedulable(const Explanation& explanation, const api::PodPtr& pod, Cluster& cluster) {
  Cause cause{.answer = explanation.answer, .title = {}, .plugin = {}, .reason = {}};
  if (explanation.nodes == 0) {
    cause.title = "no nodes";
    return cause;
  }
  if (explanation.groups.empty()) {
    // Rejected before any node was looked at.
    if (!explanation.wake_ups.empty()) cause.plugin = explanation.wake_ups.front().plugin;
    cause.title = title_of(cause.plugin, explanation.rejection, explanation.message);
    return cause;
  }
  const NodeGroup& largest = explanation.groups.front();
  cause.plugin = largest.plugin;
  cause.reason = largest.reason;
  if (largest.plugin == name::kNodeResourcesFit) {
    cause.title = resource_title(largest, pod, cluster);
  } else if (largest.plugin == name::kTaintToleration) {
    cause.title = taint_title(largest, *pod, cluster);
  } else if (largest.plugin == name::kNodeAffinity) {
    cause.title = affinity_title(largest, *pod, cluster);
  } else {
    cause.title = title_of(largest.plugin, largest.reasons, largest.reason);
  }
  return cause;
}

std::string gate_title(const api::Pod& pod) {
  std::vector<std::string> gates;
  for (const api::PodSchedulingGate& gate : pod.spec->scheduling_gates) gates.push_back(gate.name.str());
  if (gates.empty()) return "held back by a plugin before scheduling";
  return fmt::format("the scheduling gate{} {}", gates.size() == 1 ? "" : "s", listed(gates));
}

}  // namespace

std::string waiting_reasons(const api::Pod& pod) {
  std::vector<std::string> reasons;
  for (const auto* statuses : {&*pod.status.init_container_statuses, &*pod.status.container_statuses}) {
    for (const api::ContainerStatus& status : *statuses) {
      if (!status.state.waiting || status.state.waiting->reason.empty()) continue;
      std::string reason = status.state.waiting->reason.str();
      // Containers that wait for the init containers say nothing.
      if (reason == "PodInitializing") continue;
      if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(std::move(reason));
    }
  }
  return listed(reasons);
}

Cause cause_of(const Explanation& explanation, const api::PodPtr& pod, Cluster& cluster) {
  const Symbol answer = explanation.answer;
  const auto titled = [&](std::string title) {
    return Cause{.answer = answer, .title = std::move(title), .plugin = {}, .reason = {}};
  };
  if (answer == answer::kBound) {
    const std::string reasons = waiting_reasons(*pod);
    return titled(reasons.empty() ? "bound to a node, not running yet"
                                  : fmt::format("bound to a node, not running yet: {}", reasons));
  }
  if (answer == answer::kGated) return titled(gate_title(*pod));
  if (answer == answer::kDeleted) return titled("being deleted");
  if (answer == answer::kNoScheduler) return titled(fmt::format("the scheduler {}", explanation.scheduler));
  if (answer == answer::kError) return titled("a plugin that fails");
  if (!pod->status.nominated_node_name.empty()) return titled("preemption under way");
  if (answer == answer::kPreempts) return titled("preemption to come");
  if (answer == answer::kFits) return titled("fitting, and waiting to be tried");
  return of_unschedulable(explanation, pod, cluster);
}

}  // namespace berth::explain
