#include "berth/explain/not_running.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/taint.h"
#include "berth/config/suggest.h"
#include "berth/explain/container_trouble.h"
#include "berth/explain/dump_time.h"
#include "berth/explain/pod_failure.h"
#include "berth/explain/words.h"
#include "berth/plugins/volume_claims.h"

namespace berth::explain {

namespace {

// Conditions of pods that are no readiness gates.
bool is_kubelets_own(std::string_view type) {
  return type == "PodScheduled" || type == "Initialized" || type == "ContainersReady" || type == "Ready" ||
         type == "PodReadyToStartContainers" || type == "DisruptionTarget" || type.starts_with("PodResize");
}

using Events = std::vector<const ObjectEvent*>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

const api::ContainerStatus* status_of(const std::vector<api::ContainerStatus>& statuses, Symbol name) {
  const auto found = std::ranges::find(statuses, name, &api::ContainerStatus::name);
  return found == statuses.end() ? nullptr : &*found;
}

bool is_sidecar(const api::Container& container) {
  return container.restart_policy && *container.restart_policy == "Always";
}

bool has_finished(const api::ContainerStatus& status) {
  return status.state.terminated && status.state.terminated->exit_code == 0;
}

// "volume pv-1" behind `volume "` in what controllers say; empty if it names none.
std::string volume_in(std::string_view message) {
  constexpr std::string_view kVolume = "volume \"";
  const std::size_t at = message.find(kVolume);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = message.substr(at + kVolume.size());
  return std::string(rest.substr(0, rest.find('"')));
}

class Examiner {
 public:
  Examiner(const Cluster& cluster, const api::Pod& pod)
      : cluster_(cluster),
        pod_(pod),
        node_name_(pod.spec.node_name.str()),
        events_(cluster.events.about("Pod", pod.metadata.name_space, pod.metadata.name, pod.metadata.uid)) {
    const cache::RowId row = cluster.cache.nodes().row_of(pod.spec.node_name);
    if (row != cache::kNoRow) node_ = cluster.cache.nodes().at(row).node.get();
  }

  std::optional<PodTrouble> run() const {
    if (pod_.metadata.deletion_timestamp.is_set()) return of_deletion();
    if (node_ == nullptr) return of_missing_node();
    const api::PodCondition* ready = api::find_condition(pod_, Symbol("Ready"));
    const bool is_ready = pod_.status.phase == "Running" && ready != nullptr && ready->status == "True";
    if (is_ready) return std::nullopt;
    if (auto trouble = of_node()) return trouble;
    if (auto trouble = of_init_containers()) return trouble;
    if (auto trouble = of_containers()) return trouble;
    if (pod_.status.phase == "Pending") return of_creation();
    if (auto trouble = of_readiness_gates(ready)) return trouble;
    return std::nullopt;
  }

 private:
  PodTrouble trouble(std::string_view state, Symbol reason, std::string message, std::string text) const {
    PodTrouble result;
    result.state.state = Symbol(state);
    result.state.reason = reason;
    result.state.message = std::move(message);
    result.text = std::move(text);
    return result;
  }
  PodTrouble on_node(std::string_view state, Symbol reason, std::string message, std::string_view what) const {
    return trouble(state, reason, std::move(message), fmt::format("is on {} but {}", node_name_, what));
  }
  PodTrouble with_container(ContainerTrouble found, std::size_t others = 0) const {
    PodTrouble result;
    result.text = fmt::format("is on {} but {}", node_name_, found.text);
    if (others > 0) {
      result.text += others == 1 ? "; another container of it has trouble too"
                                 : fmt::format("; {} other containers of it have trouble too", others);
    }
    result.state = std::move(found.state);
    return result;
  }

  const ObjectEvent* newest_event(std::initializer_list<std::string_view> reasons) const {
    const ObjectEvent* newest = nullptr;
    for (const ObjectEvent* event : events_) {
      if (is_one_of(event->reason.text(), reasons)) newest = event;
    }
    return newest;
  }
  void add_event(PodTrouble& result, const ObjectEvent& event) const {
    result.state.reason = event.reason;
    result.state.message = event.message;
    result.state.since = event.first;
    result.state.reported_by = event.component == "kubelet" || event.component.empty()
                                   ? std::string("the kubelet")
                                   : fmt::format("the {}", event.component.text());
  }

  // --- The node

  // Empty if the node is well, as far as is known.
  std::string node_trouble() const {
    if (node_ == nullptr) return "does not exist";
    const api::NodeCondition* ready = api::find_condition(*node_, Symbol("Ready"));
    if (ready != nullptr && ready->status == "Unknown") return "is unreachable: its kubelet has stopped reporting";
    if (ready != nullptr && ready->status == "False") {
      return ready->reason.empty() ? "is not ready" : fmt::format("is not ready ({})", ready->reason.text());
    }
    for (const api::Taint& taint : node_->spec.taints) {
      if (taint.key == "node.kubernetes.io/unreachable") return "is unreachable: its kubelet has stopped reporting";
      if (taint.key == "node.kubernetes.io/not-ready") return "is not ready";
    }
    return "";
  }

  std::optional<PodTrouble> of_node() const {
    std::string what = node_trouble();
    const bool is_lost = pod_.status.phase == "Unknown" || pod_.status.reason == "NodeLost";
    if (what.empty() && is_lost) what = "was unreachable when the pod's state was last written";
    if (what.empty()) return std::nullopt;
    const api::NodeCondition* ready = api::find_condition(*node_, Symbol("Ready"));
    const bool is_said = ready != nullptr && ready->status != "True";
    PodTrouble result = trouble(running_state::kNodeNotReady, is_said ? ready->reason : pod_.status.reason,
                                is_said ? ready->message : *pod_.status.message,
                                fmt::format("is on {}, and the node {}{}", node_name_, what, eviction_text()));
    if (is_said) result.state.since = ready->last_transition_time;
    result.state.reported_by = "the node's Ready condition";
    result.state.command = fmt::format("kubectl describe node {}", node_name_);
    result.is_of_node = true;
    return result;
  }

  // When the taint manager deletes the pod.
  std::string eviction_text() const {
    for (const api::Taint& taint : node_->spec.taints) {
      const bool is_of_state =
          taint.key == "node.kubernetes.io/unreachable" || taint.key == "node.kubernetes.io/not-ready";
      if (!is_of_state || taint.effect != "NoExecute") continue;
      std::optional<std::int64_t> seconds;
      bool is_tolerated = false;
      for (const api::Toleration& toleration : pod_.spec->tolerations) {
        if (!api::tolerates(std::vector{toleration}, taint)) continue;
        is_tolerated = true;
        if (toleration.toleration_seconds) {
          seconds = std::min(seconds.value_or(*toleration.toleration_seconds), *toleration.toleration_seconds);
        }
      }
      if (!is_tolerated) return "; it does not tolerate that, and is deleted at once";
      if (!seconds) return "; it tolerates that for ever, and stays";
      return fmt::format("; it tolerates that for {}, and is deleted then",
                         span_text(Duration::seconds(std::max<std::int64_t>(0, *seconds))));
    }
    return "";
  }

  std::optional<PodTrouble> of_missing_node() const {
    const std::size_t nodes = cluster_.cache.nodes().node_count();
    // Somebody who asks about a pod without having dumped nodes knows that.
    std::vector<std::string> names;
    for (const cache::RowId row : cluster_.rows_by_name()) names.push_back(cluster_.name_of(row));
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string_view nearest = config::nearest_name(node_name_, views);
    // Names of nodes that are numbered differ in little; only a name that somebody wrote is a guess worth making.
    const bool is_written = api::controller_of(pod_.metadata) == nullptr && !nearest.empty();
    PodTrouble result =
        trouble(running_state::kNodeMissing, Symbol(), "",
                fmt::format("is bound to {}, and there is no such node {}: no kubelet runs it{}", node_name_,
                            nodes == 0 ? std::string("in what was read, which has none")
                                       : fmt::format("among the {} that were read", nodes),
                            is_written ? fmt::format(" (did you mean {}?)", nearest)
                                       : "; if the node is gone for good, the pod garbage collector deletes the pod"));
    result.is_of_node = true;
    return result;
  }

  // --- Deletion

  std::string deletion_cause() const {
    const api::PodCondition* target = api::find_condition(pod_, Symbol("DisruptionTarget"));
    if (target == nullptr || target->status != "True") return "";
    if (target->reason == "PreemptionByScheduler") return " (preempted by the scheduler)";
    if (target->reason == "DeletionByTaintManager") return " (evicted because of a taint of its node)";
    if (target->reason == "EvictionByEvictionAPI") return " (evicted through the eviction API)";
    if (target->reason == "DeletionByPodGC") return " (by the pod garbage collector, because its node is gone)";
    if (target->reason == "TerminationByKubelet") return " (evicted by the kubelet)";
    return target->reason.empty() ? "" : fmt::format(" ({})", target->reason.text());
  }

  std::optional<PodTrouble> of_deletion() const {
    const Instant deadline = pod_.metadata.deletion_timestamp;
    const Instant now = newest_time(cluster_);
    const bool is_late = now > deadline;
    const std::string being_deleted = fmt::format("is on {} and is being deleted{}", node_name_, deletion_cause());
    PodTrouble result = trouble(running_state::kTerminating, Symbol(), "", being_deleted);
    result.state.since = deletion_requested_at(pod_.metadata);
    const auto& statuses = *pod_.status.container_statuses;
    const bool have_ended = !statuses.empty() && std::ranges::all_of(statuses, [](const api::ContainerStatus& each) {
      return each.state.terminated.has_value();
    });
    const std::string of_node = node_trouble();
    std::vector<std::string> finalizers;
    for (const Symbol each : *pod_.metadata.finalizers) finalizers.push_back(each.str());
    if (!finalizers.empty() && (is_late || have_ended || !of_node.empty())) {
      result.text +=
          fmt::format(": it waits for the finalizer{} {} to be removed by {} controller",
                      finalizers.size() == 1 ? "" : "s", listed(finalizers), finalizers.size() == 1 ? "its" : "their");
      return result;
    }
    if (!of_node.empty()) {
      result.is_of_node = true;
      result.text += fmt::format(", but its node {}, so nothing confirms that its containers have ended", of_node);
      if (node_ != nullptr) {
        result.text +=
            "; it stays until the kubelet is back, the node is deleted, or the node gets the taint "
            "node.kubernetes.io/out-of-service";
        result.state.command = fmt::format("kubectl describe node {}", node_name_);
      } else {
        result.text += "; the pod garbage collector deletes it";
      }
      return result;
    }
    if (!is_late) {
      const auto grace = pod_.metadata.deletion_grace_period_seconds;
      result.text += fmt::format(
          ": it has up to {}{} left to end", span_text(deadline - now),
          grace ? fmt::format(" of its grace period of {}", span_text(Duration::seconds(*grace))) : std::string());
      return result;
    }
    result.text += fmt::format(": it had to end {} before the newest time in what was read, and has not",
                               span_text(now - deadline));
    if (const ObjectEvent* event = newest_event(
            {"FailedKillPod", "FailedPreStopHook", "FailedUnMount", "FailedUnmapDevice", "ExceededGracePeriod"})) {
      result.text += fmt::format(" ({})", event->reason.text());
      add_event(result, *event);
      result.state.since = deletion_requested_at(pod_.metadata);
    }
    result.state.command =
        fmt::format("kubectl describe pod -n {} {}", pod_.metadata.name_space.text(), pod_.metadata.name);
    return result;
  }

  // --- Containers

  std::optional<PodTrouble> of_init_containers() const {
    const auto& containers = pod_.spec->init_containers;
    const auto& statuses = *pod_.status.init_container_statuses;
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const api::ContainerStatus* status = status_of(statuses, containers[i].name);
      if (status == nullptr || has_finished(*status)) continue;
      if (auto found = explain::trouble_of(pod_, containers[i], *status, true, events_)) {
        return with_container(*std::move(found));
      }
      if (is_sidecar(containers[i])) continue;
      // What comes behind it waits for it. If it waits itself, the pod is not that far.
      if (status->state.waiting) return std::nullopt;
      ContainerTrouble found;
      found.state.state = Symbol(running_state::kInitializing);
      found.state.container = containers[i].name.str();
      found.text = fmt::format("waits for its init container {} to finish", containers[i].name.text());
      if (containers.size() > 1) found.text += fmt::format(" (number {} of {})", i + 1, containers.size());
      if (const ObjectEvent* event = newest_event({"Started"});
          event != nullptr && event->container == found.state.container) {
        found.state.since = event->last;
      }
      PodTrouble result;
      result.text = fmt::format("is on {} and {}", node_name_, found.text);
      result.state = std::move(found.state);
      result.state.command = fmt::format("kubectl logs -n {} {} -c {}", pod_.metadata.name_space.text(),
                                         pod_.metadata.name, result.state.container);
      return result;
    }
    return std::nullopt;
  }

  std::optional<PodTrouble> of_containers() const {
    const auto& statuses = *pod_.status.container_statuses;
    std::vector<ContainerTrouble> found, not_ready;
    for (const api::Container& container : pod_.spec->containers) {
      const api::ContainerStatus* status = status_of(statuses, container.name);
      if (status == nullptr) continue;
      if (auto one = explain::trouble_of(pod_, container, *status, false, events_)) {
        found.push_back(*std::move(one));
      } else if (!status->ready && !status->state.waiting && !status->state.terminated &&
                 pod_.status.phase == "Running") {
        not_ready.push_back(why_not_ready(container, events_));
      }
    }
    if (!found.empty()) return with_container(std::move(found[0]), found.size() - 1);
    if (!not_ready.empty()) return with_container(std::move(not_ready[0]), not_ready.size() - 1);
    return std::nullopt;
  }

  std::optional<PodTrouble> of_readiness_gates(const api::PodCondition* ready) const {
    if (ready == nullptr || ready->status == "True") return std::nullopt;
    if (ready->reason != "ReadinessGatesNotReady") {
      if (ready->reason == "PodCompleted") return std::nullopt;
      PodTrouble result = on_node(
          running_state::kNotReady, ready->reason, ready->message,
          fmt::format("is not ready{}", ready->reason.empty() ? "" : fmt::format(" ({})", ready->reason.text())));
      result.state.since = ready->last_transition_time;
      return result;
    }
    // corresponding condition of pod readiness gate "x" does not exist.
    constexpr std::string_view kGate = "readiness gate \"";
    std::vector<std::string> gates;
    for (std::size_t at = ready->message.find(kGate); at != std::string::npos; at = ready->message.find(kGate, at)) {
      at += kGate.size();
      gates.push_back(ready->message.substr(at, ready->message.find('"', at) - at));
    }
    std::string said;  // by who sets the first condition that is there
    for (const api::PodCondition& each : pod_.status.conditions) {
      if (is_kubelets_own(each.type.text()) || each.status == "True") continue;
      if (std::ranges::find(gates, each.type.text()) == gates.end()) gates.push_back(each.type.str());
      if (said.empty() && !each.message.empty()) said = fmt::format(" ({})", each.message);
    }
    PodTrouble result = on_node(
        running_state::kReadinessGate, ready->reason, ready->message,
        fmt::format(
            "is not ready: its containers are, and its readiness gate{}{} not true yet{}; whoever put it there "
            "has to set that condition",
            gates.size() < 2 ? "" : "s",
            gates.empty() ? std::string(" is") : fmt::format(" {} {}", listed(gates), gates.size() == 1 ? "is" : "are"),
            said));
    result.state.since = ready->last_transition_time;
    return result;
  }

  // --- Before there are containers

  PodTrouble of_creation() const {
    const ObjectEvent* of_volume = newest_event({"FailedAttachVolume", "FailedMount", "FailedMapVolume"});
    const ObjectEvent* of_sandbox =
        newest_event({"FailedCreatePodSandBox", "NetworkNotReady", "FailedPodSandBoxStatus"});
    if (of_volume != nullptr && (of_sandbox == nullptr || of_sandbox->last < of_volume->last)) {
      return of_volume_event(*of_volume);
    }
    if (of_sandbox != nullptr) return of_sandbox_event(*of_sandbox);
    if (auto trouble = of_attachments()) return *std::move(trouble);

    const bool is_known = pod_.status.start_time.is_set() || !pod_.status.container_statuses->empty() ||
                          !pod_.status.init_container_statuses->empty();
    const api::PodCondition* scheduled = api::find_condition(pod_, Symbol("PodScheduled"));
    const Instant since = pod_.status.start_time.is_set() ? pod_.status.start_time
                          : scheduled != nullptr          ? scheduled->last_transition_time
                                                          : Instant();
    const Instant now = since.is_set() ? newest_time(cluster_) : Instant();
    const std::string for_how_long =
        since.is_set() && now - since > Duration::seconds(1) ? fmt::format(" for {}", span_text(now - since)) : "";
    const api::PodCondition* sandbox = api::find_condition(pod_, Symbol("PodReadyToStartContainers"));
    std::string what;
    if (!is_known) {
      what = fmt::format("its kubelet has not reported anything about it{}", for_how_long);
    } else if (sandbox != nullptr && sandbox->status == "False") {
      what = fmt::format("its volumes, sandbox and network have been being set up{}", for_how_long);
      if (for_how_long.empty()) what = "its volumes, sandbox and network are being set up";
    } else {
      what = for_how_long.empty() ? "its containers are being created"
                                  : fmt::format("its containers have been being created{}", for_how_long);
    }
    PodTrouble result = on_node(running_state::kStarting, waiting_reason(), "", what);
    result.text = fmt::format("is on {} and {}", node_name_, what);
    if (events_.empty()) result.text += "; the pod's events, if they are dumped too, may say more";
    result.state.since = since;
    result.state.command =
        fmt::format("kubectl describe pod -n {} {}", pod_.metadata.name_space.text(), pod_.metadata.name);
    return result;
  }

  Symbol waiting_reason() const {
    for (const api::ContainerStatus& status : *pod_.status.container_statuses) {
      if (status.state.waiting) return status.state.waiting->reason;
    }
    return Symbol();
  }

  // The claim of the pod whose volume, or whose name in the pod, is `volume`: " (claim data)".
  std::string claim_text(std::string_view volume) const {
    for (const api::Volume& each : pod_.spec->volumes) {
      const auto claim_name = plugins::claim_name_of(pod_, each);
      if (!claim_name) continue;
      const auto* claim = cluster_.objects.persistent_volume_claims.find(pod_.metadata.name_space, *claim_name);
      if (each.name == volume || (claim != nullptr && claim->spec.volume_name == volume)) {
        return fmt::format(" (claim {})", *claim_name);
      }
    }
    return "";
  }

  PodTrouble of_volume_event(const ObjectEvent& event) const {
    const std::string_view message = event.message;
    const std::string volume = volume_in(message);
    const std::string which =
        volume.empty() ? "a volume of it" : fmt::format("volume {}{}", volume, claim_text(volume));
    std::string what;
    if (message.find("Multi-Attach") != std::string_view::npos) {
      const std::string holder = attached_elsewhere(volume);
      what = fmt::format("{} cannot be attached there: it is attached to another node{}", which, holder);
    } else if (event.reason == "FailedAttachVolume") {
      what = fmt::format("{} cannot be attached", which);
    } else if (const std::string missing = missing_source(message); !missing.empty()) {
      what = fmt::format("{} cannot be mounted: {}", which, missing);
    } else if (message.find("timed out waiting") != std::string_view::npos ||
               message.find("context deadline exceeded") != std::string_view::npos) {
      what = fmt::format("{} has not been mounted in time", which);
    } else {
      what = fmt::format("{} cannot be mounted", which);
    }
    PodTrouble result = on_node(running_state::kVolume, event.reason, "",
                                fmt::format("cannot start: {} ({})", what, event.reason.text()));
    add_event(result, event);
    return result;
  }

  std::string missing_source(std::string_view message) const {
    for (const auto& [word, kind] : {std::pair{"configmap \"", "ConfigMap"}, std::pair{"secret \"", "Secret"}}) {
      const std::size_t at = message.find(word);
      if (at == std::string_view::npos || message.find("not found", at) == std::string_view::npos) continue;
      const std::string_view rest = message.substr(at + std::string_view(word).size());
      return fmt::format("the {} {} does not exist in namespace {}", kind, rest.substr(0, rest.find('"')),
                         pod_.metadata.name_space.text());
    }
    return "";
  }

  // " (n2, where default/web-1 uses it)"; empty if that is not known.
  std::string attached_elsewhere(std::string_view volume) const {
    std::vector<std::string> nodes;
    cluster_.objects.volume_attachments.for_each([&](const auto& attachment) {
      if (attachment->spec.source.persistent_volume_name != volume || attachment->spec.node_name == node_name_) return;
      nodes.push_back(attachment->spec.node_name.str());
    });
    const std::vector<std::string> users = other_users(volume);
    if (nodes.empty() && users.empty()) return "";
    if (nodes.empty()) return fmt::format(" (used by {})", listed(users, 3));
    return fmt::format(
        " ({}{})", listed(nodes, 3),
        users.empty() ? "" : ", where " + listed(users, 3) + (users.size() == 1 ? " uses it" : " use it"));
  }

  // Other pods with a node that use the claim of the volume.
  std::vector<std::string> other_users(std::string_view volume) const {
    std::vector<std::string> users;
    const api::PersistentVolume* object = cluster_.objects.persistent_volumes.find(volume);
    if (object == nullptr || !object->spec.claim_ref) return users;
    for (const auto& [name, other] : cluster_.pods) {
      if (other->metadata.uid == pod_.metadata.uid || other->spec.node_name.empty() || api::is_terminal(*other))
        continue;
      if (other->spec.node_name == pod_.spec.node_name) continue;
      if (other->metadata.name_space != object->spec.claim_ref->name_space) continue;
      if (plugins::uses_claim(*other, object->spec.claim_ref->name, true)) users.push_back(name);
    }
    return users;
  }

  // Without events, what the attachments say: a volume that is still attached elsewhere, or not attached yet.
  std::optional<PodTrouble> of_attachments() const {
    for (const api::Volume& each : pod_.spec->volumes) {
      const auto claim_name = plugins::claim_name_of(pod_, each);
      if (!claim_name) continue;
      const auto* claim = cluster_.objects.persistent_volume_claims.find(pod_.metadata.name_space, *claim_name);
      if (claim == nullptr || claim->spec.volume_name.empty()) continue;
      const std::string& volume = claim->spec.volume_name;
      bool is_attached = false, is_elsewhere = false, is_asked_for = false;
      cluster_.objects.volume_attachments.for_each([&](const auto& attachment) {
        if (attachment->spec.source.persistent_volume_name != volume) return;
        const bool is_here = attachment->spec.node_name == node_name_;
        is_attached |= is_here && attachment->status.attached;
        is_asked_for |= is_here;
        is_elsewhere |= !is_here;
      });
      if (is_attached || (!is_elsewhere && !is_asked_for)) continue;
      const bool is_shared = std::ranges::any_of(
          claim->spec.access_modes, [](Symbol mode) { return mode == "ReadWriteMany" || mode == "ReadOnlyMany"; });
      if (is_elsewhere && is_shared && !is_asked_for) continue;
      const std::string what =
          is_elsewhere && !is_shared
              ? fmt::format("cannot start: volume {} (claim {}) is still attached to another node{}", volume,
                            *claim_name, attached_elsewhere(volume))
              : fmt::format("cannot start: volume {} (claim {}) is not attached to the node yet", volume, *claim_name);
      return on_node(running_state::kVolume, waiting_reason(), "", what);
    }
    return std::nullopt;
  }

  PodTrouble of_sandbox_event(const ObjectEvent& event) const {
    const std::string_view message = event.message;
    const auto says = [&](std::string_view part) { return message.find(part) != std::string_view::npos; };
    std::string why;
    // plugin type="calico" failed (add): ...
    constexpr std::string_view kPlugin = "plugin type=\"";
    const std::size_t at = message.find(kPlugin);
    std::string plugin;
    if (at != std::string_view::npos) {
      const std::string_view rest = message.substr(at + kPlugin.size());
      plugin = std::string(rest.substr(0, rest.find('"')));
    }
    if (says("cni plugin not initialized") || says("NetworkPluginNotReady") || event.reason == "NetworkNotReady") {
      why = "the node's network plugin (CNI) is not ready";
    } else if (says("failed to assign an IP") || says("no IP addresses available") || says("IP pool") ||
               says("no more IPs") || says("failed to allocate for range")) {
      why = fmt::format("the network plugin{} has no IP address left for it", plugin.empty() ? "" : " " + plugin);
    } else if (!plugin.empty()) {
      why = fmt::format("the network plugin {} fails", plugin);
    } else if (says("no runtime for") || says("RuntimeHandler") || says("runtime handler")) {
      why = "the node does not have the runtime of its RuntimeClass";
    } else if (says("network")) {
      why = "its network cannot be set up";
    } else {
      why = "the container runtime fails";
    }
    PodTrouble result = on_node(running_state::kSandbox, event.reason, "",
                                fmt::format("its sandbox cannot be created: {} ({})", why, event.reason.text()));
    add_event(result, event);
    return result;
  }

  const Cluster& cluster_;
  const api::Pod& pod_;
  std::string node_name_;
  Events events_;
  const api::Node* node_ = nullptr;
};

}  // namespace

std::optional<PodTrouble> trouble_of(const Cluster& cluster, const api::Pod& pod) {
  if (api::is_terminal(pod)) return failure_of(cluster, pod);
  return Examiner(cluster, pod).run();
}

}  // namespace berth::explain
