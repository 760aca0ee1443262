#include "berth/sim/node_lifecycle.h"

#include <algorithm>
#include <vector>

#include "berth/api/taint.h"

namespace berth::sim {

namespace {

constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";

bool evicts(const api::Taint& taint) {
  static const Symbol no_execute("NoExecute");
  return taint.effect == no_execute;
}

std::vector<api::Taint> evicting_taints(const api::Node& node) {
  std::vector<api::Taint> taints;
  std::ranges::copy_if(node.spec.taints, std::back_inserter(taints), evicts);
  return taints;
}

bool is_about_lost_node(const api::Taint& taint) {
  return taint.key == kUnreachable || taint.key == kNotReady;
}

// How long the pod may stay with that taint; nothing: for ever.
std::optional<Duration> tolerated_for(const api::Pod& pod, const api::Taint& taint) {
  bool is_tolerated = false;
  std::optional<Duration> shortest;
  for (const api::Toleration& toleration : pod.spec->tolerations) {
    if (!api::tolerates(toleration, taint)) continue;
    is_tolerated = true;
    if (!toleration.toleration_seconds) continue;
    const Duration time = Duration::seconds(std::max<std::int64_t>(0, *toleration.toleration_seconds));
    shortest = std::min(shortest.value_or(time), time);
  }
  if (is_tolerated) return shortest;
  return is_about_lost_node(taint) ? kDefaultToleration : Duration();
}

void put_ready(api::Node& node, std::string_view status, std::string_view reason, std::string_view message,
               Instant now) {
  const Symbol ready("Ready");
  auto at = std::ranges::find_if(node.status.conditions,
                                 [&](const api::NodeCondition& condition) { return condition.type == ready; });
  if (at == node.status.conditions.end()) {
    at = node.status.conditions.insert(at, api::NodeCondition{});
    at->type = ready;
  }
  if (at->status != status) at->last_transition_time = now;
  at->status = Symbol(status);
  at->reason = Symbol(reason);
  at->message = message;
}

}  // namespace

NodeLifecycle::NodeLifecycle(const Surroundings& around, const NodePods& pods, Kubelet& kubelet, const Rng& rng)
    : around_(around), pods_(pods), kubelet_(kubelet), rng_(rng) {}

void NodeLifecycle::node_changed(const Change& change) {
  const auto node = change.object.as<api::Node>();
  const Symbol name(node->metadata.name);
  if (change.kind == Change::Kind::kDeleted) {
    // A node of the same name may be there soon: a new machine, on which these pods are not.
    around_.agenda.after(around_.faults.controller.draw(rng_), Agenda::Urgency::kWork,
                         [this, pods = pods_.list(name)] { remove_by_force(pods); });
    failures_.erase(name);
    if (taints_.contains(name)) ++taints_[name];
    return;
  }
  const std::vector<api::Taint> now = evicting_taints(*node);
  const std::vector<api::Taint> before = change.kind == Change::Kind::kModified
                                             ? evicting_taints(*change.before.as<api::Node>())
                                             : std::vector<api::Taint>();
  if (now == before) return;
  const Epoch epoch = ++taints_[name];
  if (now.empty()) return;
  for (const api::PodPtr& pod : pods_.list(name)) evict_if_due(pod, *node, epoch);
}

void NodeLifecycle::pod_changed(const Change& change) {
  if (taints_.empty() || change.kind == Change::Kind::kDeleted) return;
  const auto pod = change.object.as<api::Pod>();
  const auto before = change.before ? change.before.as<api::Pod>() : nullptr;
  if (pod->spec.node_name.empty() || (before != nullptr && before->spec.node_name == pod->spec.node_name)) return;
  const auto found = taints_.find(pod->spec.node_name);
  if (found == taints_.end()) return;
  const auto node = around_.api.get<api::Node>(Symbol(), pod->spec.node_name.text());
  if (node != nullptr) evict_if_due(pod, *node, found->second);
}

void NodeLifecycle::evict_if_due(const api::PodPtr& pod, const api::Node& node, Epoch epoch) {
  std::optional<Duration> delay;
  bool is_about_loss = true;
  for (const api::Taint& taint : node.spec.taints) {
    if (!evicts(taint)) continue;
    const std::optional<Duration> time = tolerated_for(*pod, taint);
    if (!time || (delay && *delay <= *time)) continue;
    delay = time;
    is_about_loss = is_about_lost_node(taint);
  }
  if (!delay) return;
  const auto urgency = is_about_loss || *delay > Duration() ? Agenda::Urgency::kLater : Agenda::Urgency::kWork;
  around_.agenda.after(*delay, urgency, [this, pod, epoch] {
    const auto now = taints_.find(pod->spec.node_name);
    if (now != taints_.end() && now->second == epoch) evict(*pod);
  });
}

void NodeLifecycle::evict(const api::Pod& pod) {
  const api::ObjectMeta& metadata = pod.metadata;
  around_.history.leaves(pod, Departure::kTainted);
  // Refused: it is gone, or another pod has the name.
  if (!around_.api.remove(api::kind_of<api::Pod>(), metadata.name_space, metadata.name, around_.now(), metadata.uid)) {
    return;
  }
  if (kubelet_.is_down(pod.spec.node_name)) {
    around_.api.finish_deletion(metadata.name_space, metadata.name, metadata.uid);
  }
}

void NodeLifecycle::remove_by_force(const std::vector<api::PodPtr>& pods) {
  for (const api::PodPtr& pod : pods) {
    const api::ObjectMeta& metadata = pod->metadata;
    around_.history.leaves(*pod, Departure::kNodeGone);
    if (!around_.api.remove(api::kind_of<api::Pod>(), metadata.name_space, metadata.name, around_.now(),
                            metadata.uid)) {
      continue;
    }
    around_.api.finish_deletion(metadata.name_space, metadata.name, metadata.uid);
  }
}

void NodeLifecycle::taint(Symbol name, std::string_view effect) {
  const auto node = around_.api.get<api::Node>(Symbol(), name.text());
  if (node == nullptr) return;
  rewrite(around_.api, *node, [&](api::Node& changed) {
    put_ready(changed, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", around_.now());
    const api::Taint taint{.key = Symbol(kUnreachable),
                           .value = {},
                           .effect = Symbol(effect),
                           .time_added = effect == "NoExecute" ? around_.now() : Instant()};
    const bool is_there = std::ranges::any_of(changed.spec.taints, [&](const api::Taint& each) {
      return each.key == taint.key && each.effect == taint.effect;
    });
    if (!is_there) changed.spec.taints.push_back(taint);
  });
}

void NodeLifecycle::fail_node(Symbol node) {
  Epoch& failure = failures_[node];
  if (failure % 2 != 0) return;
  const Epoch now = ++failure;
  kubelet_.fail_node(node);
  taint(node, "NoSchedule");
  for (const api::PodPtr& pod : pods_.list(node)) {
    if (is_ready(*pod)) set_ready(around_.api, *pod, false, around_.now());
  }
  around_.agenda.after(kEvictingTaintAfter, Agenda::Urgency::kLater, [this, node, now] {
    const auto found = failures_.find(node);
    if (found != failures_.end() && found->second == now) taint(node, "NoExecute");
  });
}

void NodeLifecycle::recover_node(Symbol name) {
  const auto found = failures_.find(name);
  if (found == failures_.end() || found->second % 2 == 0) return;
  ++found->second;
  const auto node = around_.api.get<api::Node>(Symbol(), name.text());
  if (node != nullptr) {
    rewrite(around_.api, *node, [&](api::Node& changed) {
      put_ready(changed, "True", "KubeletReady", "kubelet is posting ready status", around_.now());
      std::erase_if(changed.spec.taints, [](const api::Taint& taint) { return taint.key == kUnreachable; });
    });
  }
  kubelet_.recover_node(name);
}

}  // namespace berth::sim
