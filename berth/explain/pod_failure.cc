#include "berth/explain/pod_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "berth/explain/container_trouble.h"
#include "berth/explain/words.h"

namespace berth::explain {

namespace {

struct Failure {
  std::string_view reason;  // in the pod's status
  std::string_view state;
  std::string_view text;  // behind "has failed: "; {} stands for the node
};
constexpr Failure kFailures[] = {
    {"NodeAffinity", running_state::kRejected,
     "the kubelet of {} rejected it, since the node's labels did not match its node selector or affinity"},
    {"NodeName", running_state::kRejected, "the kubelet of {} rejected it, since it names another node"},
    {"NodePorts", running_state::kRejected, "the kubelet of {} rejected it, since a host port of it was taken there"},
    {"HostPortConflict", running_state::kRejected,
     "the kubelet of {} rejected it, since a host port of it was taken there"},
    {"TaintToleration", running_state::kRejected,
     "the kubelet of {} rejected it, since it does not tolerate a taint of the node"},
    {"UnexpectedAdmissionError", running_state::kRejected,
     "the kubelet of {} rejected it, since a device or another resource could not be allocated to it"},
    {"TopologyAffinityError", running_state::kRejected,
     "the kubelet of {} rejected it, since its resources are not available on one NUMA node"},
    {"SMTAlignmentError", running_state::kRejected,
     "the kubelet of {} rejected it, since it asks for a part of a physical core"},
    {"SysctlForbidden", running_state::kRejected,
     "the kubelet of {} rejected it, since it sets a sysctl that is not allowed there"},
    {"AppArmor", running_state::kRejected, "the kubelet of {} rejected it, since AppArmor is not available there"},
    {"PodOSNotSupported", running_state::kRejected,
     "the kubelet of {} rejected it, since the node has another operating system"},
    {"PodOSSelectorNodeLabelDoesNotMatch", running_state::kRejected,
     "the kubelet of {} rejected it, since the node has another operating system"},
    {"Evicted", running_state::kEvicted, "the kubelet of {} evicted it"},
    {"Preempting", running_state::kEvicted, "the kubelet of {} evicted it to make room for a critical pod"},
    {"NodeShutdown", running_state::kRejected, "{} was shutting down"},
    {"Shutdown", running_state::kEvicted, "{} was shut down"},
    {"Terminated", running_state::kEvicted, "it was ended when {} was shut down"},
    {"NodeLost", running_state::kNodeNotReady, "{} was unreachable"},
    {"DeadlineExceeded", running_state::kFailed, "it ran for longer than its activeDeadlineSeconds"},
};

// The first sentence of the kubelet's message about an eviction: "The node was low on resource: memory."
std::string first_sentence(std::string_view message) {
  std::string_view first = message.substr(0, message.find(". "));
  first = first.substr(0, first.find('\n'));
  while (first.ends_with('.')) first.remove_suffix(1);
  return std::string(first);
}

std::string fill(std::string_view pattern, std::string_view node) {
  const std::size_t at = pattern.find("{}");
  if (at == std::string_view::npos) return std::string(pattern);
  return fmt::format("{}{}{}", pattern.substr(0, at), node.empty() ? "its node" : node, pattern.substr(at + 2));
}

}  // namespace

std::optional<PodTrouble> failure_of(const Cluster& cluster, const api::Pod& pod) {
  if (pod.status.phase != "Failed") return std::nullopt;
  const std::string node_name = pod.spec.node_name.str();
  const Symbol reason = pod.status.reason;
  PodTrouble result;
  result.state.reason = reason;
  result.state.message = *pod.status.message;
  result.state.reported_by = "the kubelet";
  if (const api::PodCondition* ready = api::find_condition(pod, Symbol("Ready"))) {
    result.state.since = ready->last_transition_time;
  }
  std::string why;
  constexpr std::string_view kOutOf = "OutOf";
  const auto known = std::ranges::find(kFailures, reason.text(), &Failure::reason);
  if (reason.text().starts_with(kOutOf)) {
    result.state.state = Symbol(running_state::kRejected);
    why = fmt::format("the kubelet of {} rejected it, since the node had too little {} left when the pod came",
                      node_name, reason.text().substr(kOutOf.size()));
    result.is_of_node = true;
  } else if (known != std::end(kFailures)) {
    result.state.state = Symbol(known->state);
    why = fill(known->text, node_name);
    if (known->state == running_state::kEvicted && !pod.status.message->empty() && reason == "Evicted") {
      why += fmt::format(" ({})", first_sentence(*pod.status.message));
    }
    result.is_of_node = known->state != running_state::kFailed;
  } else {
    result.state.state = Symbol(running_state::kFailed);
    const auto look_at = [&](const auto& containers, const auto& statuses, bool is_init) {
      for (const api::Container& container : containers) {
        const auto status = std::ranges::find(statuses, container.name, &api::ContainerStatus::name);
        if (status == statuses.end() || !why.empty()) continue;
        const auto events = cluster.events.about("Pod", pod.metadata.name_space, pod.metadata.name, pod.metadata.uid);
        auto found = trouble_of(pod, container, *status, is_init, events);
        if (!found) continue;
        why = std::move(found->text);
        found->state.state = result.state.state;
        found->state.since = result.state.since;
        result.state = std::move(found->state);
      }
    };
    look_at(pod.spec->init_containers, *pod.status.init_container_statuses, true);
    look_at(pod.spec->containers, *pod.status.container_statuses, false);
    if (why.empty() && !reason.empty()) why = fmt::format("{}", reason.text());
    if (why.empty() && !pod.status.message->empty()) why = first_sentence(*pod.status.message);
  }
  if (!reason.empty() && reason != "Evicted" && why != reason.text() && result.state.reason == reason) {
    why += fmt::format(" ({})", reason.text());
  }
  result.text = fmt::format("has failed{}{} and is not scheduled any more{}", node_name.empty() ? "" : " on ",
                            node_name, why.empty() ? "" : ": " + why);
  const api::OwnerReference* owner = api::controller_of(pod.metadata);
  if (owner != nullptr && (owner->kind == "ReplicaSet" || owner->kind == "StatefulSet" || owner->kind == "DaemonSet" ||
                           owner->kind == "ReplicationController")) {
    result.text += fmt::format("; {} {} makes another pod in its place", owner->kind.text(), owner->name);
  }
  return result;
}

}  // namespace berth::explain
