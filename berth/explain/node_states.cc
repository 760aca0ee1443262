// Taints that say what state a node is in, as opposed to those that keep a node for some pods. To tolerate the former
// would put a pod on a node that is going away, or not there yet.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "berth/api/karpenter.h"
#include "berth/explain/facts.h"

namespace berth::explain {

namespace {

using Words = std::pair<std::string_view, std::string_view>;

// By the whole key. The words come behind "is" or "are".
constexpr Words kKeys[] = {
    {"node.kubernetes.io/not-ready", "not ready"},
    {"node.kubernetes.io/unreachable", "unreachable"},
    {"node.kubernetes.io/unschedulable", "cordoned"},
    {"node.kubernetes.io/memory-pressure", "under memory pressure"},
    {"node.kubernetes.io/disk-pressure", "under disk pressure"},
    {"node.kubernetes.io/pid-pressure", "under PID pressure"},
    {"node.kubernetes.io/network-unavailable", "without network"},
    {"node.kubernetes.io/out-of-service", "out of service"},
    {"node.cloudprovider.kubernetes.io/uninitialized", "not initialised by the cloud provider yet"},
    {"node.cloudprovider.kubernetes.io/shutdown", "shut down"},
    {"ToBeDeletedByClusterAutoscaler", "being deleted by the cluster autoscaler"},
    {"DeletionCandidateOfClusterAutoscaler", "about to be deleted by the cluster autoscaler"},
    {"karpenter.sh/disrupted", "being replaced or removed by Karpenter"},
    {"karpenter.sh/disruption", "being replaced or removed by Karpenter"},
    {"karpenter.sh/unregistered", "not registered with Karpenter yet"},
    {"node.cilium.io/agent-not-ready", "waiting for its Cilium agent"},
    {"ebs.csi.aws.com/agent-not-ready", "waiting for its EBS CSI driver"},
    {"efs.csi.aws.com/agent-not-ready", "waiting for its EFS CSI driver"},
    {"aws-node-termination-handler/spot-itn", "about to be taken back by AWS (spot interruption)"},
    {"aws-node-termination-handler/rebalance-recommendation", "at risk of being taken back by AWS (spot interruption)"},
    {"aws-node-termination-handler/scheduled-maintenance", "about to be maintained by AWS"},
    {"aws-node-termination-handler/asg-lifecycle-termination", "being terminated by its AWS Auto Scaling group"},
    {"cloud.google.com/impending-node-termination", "about to be terminated by Google Cloud"},
    {"remediator.aks.microsoft.com/unschedulable", "being repaired by AKS"},
    {"node.cluster.x-k8s.io/uninitialized", "not initialised by Cluster API yet"},
    {"node.cluster.x-k8s.io/outdated-revision", "about to be replaced by Cluster API"},
    {"kubevirt.io/drain", "being drained"},
    {"medik8s.io/drain", "being drained"},
    {"medik8s.io/remediation", "being repaired"},
    {"UpdateInProgress", "being updated by the machine config operator"},
    {"weave.works/kured-node-reboot", "about to be rebooted by kured"},
    {"kured.dev/kured-node-reboot", "about to be rebooted by kured"},
};

// By what the key begins with: platforms that use the prefix for states only.
constexpr Words kPrefixes[] = {
    {"node.kubernetes.io/", "in a state that the platform marks"},
    {"node.cloudprovider.kubernetes.io/", "in a state that the cloud provider marks"},
    {"karpenter.k8s.aws/", "in a state that Karpenter marks"},
    {"aws-node-termination-handler/", "about to be terminated by AWS"},
    {"startup-taint.cluster-autoscaler.kubernetes.io/", "not ready to take pods yet"},
    {"ignore-taint.cluster-autoscaler.kubernetes.io/", "not ready to take pods yet"},
    {"status-taint.cluster-autoscaler.kubernetes.io/", "in a state that is marked for the cluster autoscaler"},
    {"readiness.k8s.io/", "not ready to take pods yet"},
    {"nidhogg.uswitch.com/", "waiting for the pods of a DaemonSet"},
};

// By the last word or words of the key, whatever domain is in front: "example.com/agent-not-ready".
constexpr Words kEndings[] = {
    {"agent-not-ready", "waiting for an agent on it"},
    {"not-ready", "not ready"},
    {"notready", "not ready"},
    {"unready", "not ready"},
    {"uninitialized", "not initialised yet"},
    {"uninitialised", "not initialised yet"},
    {"unregistered", "not registered yet"},
    {"unhealthy", "not healthy"},
    {"unreachable", "unreachable"},
    {"unavailable", "not available"},
    {"not-available", "not available"},
    {"failing", "failing"},
    {"deletioncandidate", "about to be deleted"},
    {"deletion-candidate", "about to be deleted"},
    {"evacuating", "being drained"},
    {"degraded", "degraded"},
    {"quarantine", "in quarantine"},
    {"quarantined", "in quarantine"},
    {"maintenance", "under maintenance"},
    {"remediation", "being repaired"},
    {"repair", "being repaired"},
    {"drain", "being drained"},
    {"draining", "being drained"},
    {"drained", "drained"},
    {"disrupted", "being disrupted"},
    {"disruption", "being disrupted"},
    {"reboot", "about to be rebooted"},
    {"rebooting", "being rebooted"},
    {"upgrade", "being upgraded"},
    {"upgrading", "being upgraded"},
    {"updating", "being updated"},
    {"shutdown", "shut down"},
    {"shutting-down", "shutting down"},
    {"termination", "about to be terminated"},
    {"terminating", "being terminated"},
    {"preempted", "being taken back by the cloud provider"},
    {"interruption", "about to be taken back by the cloud provider"},
    {"decommission", "being decommissioned"},
    {"decommissioned", "decommissioned"},
    {"decommissioning", "being decommissioned"},
    {"out-of-service", "out of service"},
    {"unschedulable", "cordoned"},
};

}  // namespace

std::string_view node_state_of(const api::Taint& taint) {
  const std::string_view key = taint.key.text();
  for (const auto& [known, words] : kKeys) {
    if (key == known) return words;
  }
  for (const auto& [prefix, words] : kPrefixes) {
    if (key.starts_with(prefix)) return words;
  }
  const std::size_t slash = key.find('/');
  std::string last(slash == std::string_view::npos ? key : key.substr(slash + 1));
  std::ranges::transform(last, last.begin(), [](unsigned char c) { return c == '_' ? '-' : std::tolower(c); });
  for (const auto& [ending, words] : kEndings) {
    if (!last.ends_with(ending)) continue;
    const std::size_t before = last.size() - ending.size();
    if (before == 0 || last[before - 1] == '-' || last[before - 1] == '.') return words;
  }
  return {};
}

std::string node_state_of(const Cluster& cluster, const api::Taint& taint) {
  if (const std::string_view words = node_state_of(taint); !words.empty()) return std::string(words);
  std::string state;
  cluster.for_each_other<api::NodePool>([&](const api::NodePool& pool) {
    const auto is_it = [&](const api::Taint& each) {
      return each.key == taint.key && each.value == taint.value && each.effect == taint.effect;
    };
    if (state.empty() && std::ranges::any_of(pool.spec.node_template.spec.startup_taints, is_it)) {
      state = fmt::format("still starting (startup taint {} of NodePool {})", taint.key.text(), pool.metadata.name);
    }
  });
  return state;
}

std::string node_trouble(const api::Node& node) {
  if (node.metadata.deletion_timestamp.is_set()) return "being deleted";
  for (const api::Taint& taint : node.spec.taints) {
    const std::string_view words = node_state_of(taint);
    if (!words.empty() && words != "cordoned") return std::string(words);
  }
  for (const api::NodeCondition& condition : node.status.conditions) {
    if (condition.type == "Ready" && condition.status != "True") return "not ready";
  }
  // Whoever drains a node for an update or a reboot uncordons it again.
  constexpr std::pair<std::string_view, std::string_view> kAnnotations[] = {
      {"weave.works/kured-reboot-in-progress", "being rebooted by kured"},
      {"kured.dev/kured-reboot-in-progress", "being rebooted by kured"},
  };
  for (const auto& [annotation, words] : kAnnotations) {
    if (node.metadata.annotations->contains(Symbol(annotation))) return std::string(words);
  }
  const auto annotation = [&](std::string_view name) -> std::string_view {
    const std::string* value = node.metadata.annotations->find(Symbol(name));
    return value == nullptr ? std::string_view() : std::string_view(*value);
  };
  if (annotation("machineconfiguration.openshift.io/state") == "Working" ||
      annotation("machineconfiguration.openshift.io/desiredDrain").starts_with("drain-")) {
    return "being updated by the machine config operator";
  }
  return "";
}

}  // namespace berth::explain
