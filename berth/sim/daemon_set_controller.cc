#include "berth/sim/daemon_set_controller.h"

#include <algorithm>
#include <utility>

#include "berth/api/daemon_pods.h"
#include "berth/api/taint.h"

namespace berth::sim {

namespace {

constexpr std::string_view kRevisionLabel = "controller-revision-hash";

// The node that the pod is on or made for; empty if it says neither.
Symbol node_of(const api::Pod& pod) {
  static const Symbol name("metadata.name");
  if (!pod.spec.node_name.empty()) return pod.spec.node_name;
  const auto& affinity = pod.spec->affinity;
  if (!affinity || !affinity->node_affinity || !affinity->node_affinity->required) return {};
  for (const api::NodeSelectorTerm& term : affinity->node_affinity->required->node_selector_terms) {
    for (const api::NodeSelectorRequirement& field : term.match_fields) {
      if (field.key == name && field.values.size() == 1) return field.values.front();
    }
  }
  return {};
}

const api::OwnerReference* daemon_of(const api::Pod& pod) {
  static const Symbol daemon_set("DaemonSet");
  const api::OwnerReference* owner = api::controller_of(pod.metadata);
  return owner != nullptr && owner->kind == daemon_set ? owner : nullptr;
}

// 0: old pods make room before new ones come.
std::int32_t max_surge(const api::DaemonSet& set, std::size_t nodes) {
  const auto& rolling = set.spec.update_strategy.rolling_update;
  if (set.spec.update_strategy.type == "OnDelete" || !rolling || !rolling->max_surge) return 0;
  return scaled(*rolling->max_surge, static_cast<std::int32_t>(nodes), true);
}

bool is_current(const api::Pod& pod, const PodPrototype& prototype) {
  const Symbol* hash = pod.metadata.labels->find(Symbol(kRevisionLabel));
  return hash != nullptr && *hash == prototype.hash();
}

}  // namespace

DaemonSetController::DaemonSetController(const Surroundings& around, const OwnedPods& pods, PodPrototypes& prototypes,
                                         const Rng& rng)
    : around_(around),
      pods_(pods),
      prototypes_(prototypes),
      names_(rng.fork(0)),
      sets_(around, around.faults.controller, rng.fork(1), [this](const ObjectKey& key) { look(key); }) {}

void DaemonSetController::on_change(const Change& change) {
  const auto set = change.object.as<api::DaemonSet>();
  const std::string& uid = set->metadata.uid;
  if (change.kind == Change::Kind::kDeleted) {
    daemons_.erase(uid);
    return;
  }
  if (!wants_other<api::DaemonSet>(change)) return;
  const auto [at, is_new] =
      daemons_.try_emplace(uid, Daemon{ObjectKey(set->metadata), {}, {}, true, false, {}, {}, {}});
  Daemon& daemon = at->second;
  if (is_new) {
    for (const api::PodPtr& pod : pods_.of(uid).pods) daemon.pods[node_of(*pod)].push_back(pod);
  } else if (!(change.before.as<api::DaemonSet>()->spec.pod_template == set->spec.pod_template)) {
    daemon.is_updated = true;
  }
  daemon.affinity = api::RequiredNodeAffinity(*set->spec.pod_template.spec);
  daemon.looks_at_all = true;
  sets_.add(daemon.key);
}

void DaemonSetController::node_changed(const Change& change) {
  const auto node = change.object.as<api::Node>();
  if (change.kind == Change::Kind::kModified) {
    const auto before = change.before.as<api::Node>();
    if (before->metadata.labels == node->metadata.labels && before->spec == node->spec) return;
  }
  const Symbol name(node->metadata.name);
  for (auto& [uid, daemon] : daemons_) {
    daemon.to_look_at.insert(name);
    sets_.add(daemon.key);
  }
}

void DaemonSetController::pod_changed(const Change& change) {
  const auto pod = change.object.as<api::Pod>();
  const auto before = change.before ? change.before.as<api::Pod>() : nullptr;
  const auto daemon_for = [this](const api::Pod& of) -> Daemon* {
    const api::OwnerReference* owner = daemon_of(of);
    const auto found = owner == nullptr ? daemons_.end() : daemons_.find(owner->uid);
    return found == daemons_.end() ? nullptr : &found->second;
  };
  const api::Pod& last = before != nullptr ? *before : *pod;
  if (Daemon* daemon = daemon_for(last)) {
    const Symbol node = node_of(last);
    std::vector<api::PodPtr>& pods = daemon->pods[node];
    std::erase_if(pods, [&](const api::PodPtr& each) { return each->metadata.uid == pod->metadata.uid; });
    if (pods.empty()) daemon->pods.erase(node);
    daemon->to_look_at.insert(node);
    sets_.add(daemon->key);
  }
  if (change.kind == Change::Kind::kDeleted) return;
  if (Daemon* daemon = daemon_for(*pod)) {
    const Symbol node = node_of(*pod);
    daemon->pods[node].push_back(pod);
    daemon->to_look_at.insert(node);
    sets_.add(daemon->key);
  }
}

void DaemonSetController::look(const ObjectKey& key) {
  const auto set = around_.api.get<api::DaemonSet>(key.name_space, key.name);
  if (set == nullptr || set->metadata.deletion_timestamp.is_set()) return;
  const auto found = daemons_.find(set->metadata.uid);
  if (found == daemons_.end()) return;
  Daemon& daemon = found->second;
  // Writing changes both: what is looked at is taken out first.
  NodeNames nodes = std::exchange(daemon.to_look_at, {});
  if (std::exchange(daemon.looks_at_all, false)) {
    around_.api.for_each<api::Node>([&](const api::NodePtr& node) { nodes.insert(Symbol(node->metadata.name)); });
    for (const auto& [node, pods] : daemon.pods) nodes.insert(node);
  }
  nodes.merge(std::exchange(daemon.refused, {}));
  for (const Symbol node : nodes) {
    if (!node.empty()) look_at_node(*set, daemon, node);
  }
  note_refusals(*set, daemon);
  update_some(*set, daemon);
  write_status(*set, daemon);
}

void DaemonSetController::look_at_node(const api::DaemonSet& set, Daemon& daemon, Symbol name) {
  const auto node = around_.api.get<api::Node>(Symbol(), name.text());
  bool should_start = false, may_stay = false;
  if (node != nullptr && daemon.affinity.matches(name.text(), *node->metadata.labels)) {
    const std::vector<api::Toleration> tolerations = api::daemon_tolerations(*set.spec.pod_template.spec);
    const auto is_tolerated = [&](const api::Taint& taint) { return api::tolerates(tolerations, taint); };
    const auto evicts = [](const api::Taint& taint) { return taint.effect == "NoExecute"; };
    may_stay = std::ranges::all_of(node->spec.taints,
                                   [&](const api::Taint& taint) { return !evicts(taint) || is_tolerated(taint); });
    should_start = api::is_for_node(daemon.affinity, tolerations, *node);
  }
  bool has_pod = false;
  const auto on_node = daemon.pods.find(name);
  const std::vector<api::PodPtr> pods =
      settled(set, daemon, on_node == daemon.pods.end() ? std::vector<api::PodPtr>() : on_node->second);
  for (const api::PodPtr& pod : pods) {
    const PodState state = state_of(*pod);
    if (state == PodState::kTerminating) {
      has_pod = true;  // its place is free only when it is gone
    } else if (!is_active(state) || has_pod || !may_stay) {
      delete_pod(around_, *pod);
      // One that ended is gone at once, and its place is looked at again then.
      has_pod = true;
    } else {
      has_pod = true;
    }
  }
  if (!has_pod && should_start) make_pod(set, daemon, name);
}

void DaemonSetController::note_refusals(const api::DaemonSet& set, Daemon& daemon) {
  const api::ObjectKind& kind = api::kind_of<api::DaemonSet>();
  if (daemon.refused.empty()) {
    around_.failed_creations.succeeded(kind, set.metadata);
    return;
  }
  const auto missing = static_cast<std::int64_t>(daemon.refused.size());
  const auto wanted = static_cast<std::int64_t>(daemon.pods.size()) + missing;
  around_.failed_creations.failed(kind, set.metadata, wanted, missing, daemon.refusal,
                                  [this, key = daemon.key] { sets_.add(key); });
}

void DaemonSetController::make_pod(const api::DaemonSet& set, Daemon& daemon, Symbol node) {
  // After one refusal the others of this time would be refused, too: they wait together.
  if (!daemon.refused.empty()) {
    daemon.refused.insert(node);
    return;
  }
  const auto prototype = prototypes_.of(set);
  constexpr int kNameTries = 4;
  const Interned<api::PodTemplate> spec = api::daemon_template(*prototype->pod().spec, node);
  const Interned<api::Labels> labels =
      with_label(*prototype->pod().metadata.labels, kRevisionLabel, prototype->hash().text());
  for (int i = 0; i < kNameTries; ++i) {
    api::Pod pod = prototype->cast(set.metadata.name + "-" + random_suffix(names_));
    pod.metadata.labels = labels;
    pod.spec.shared = spec;
    const auto made = create(around_, std::move(pod));
    if (made) return;
    daemon.refusal = made.error().message;
    if (made.error().kind != engine::Outcome::Kind::kConflict) break;
  }
  daemon.refused.insert(node);
}

std::vector<api::PodPtr> DaemonSetController::settled(const api::DaemonSet& set, const Daemon& daemon,
                                                      std::vector<api::PodPtr> pods) {
  if (!daemon.is_updated || max_surge(set, daemon.pods.size()) == 0) return pods;
  const auto prototype = prototypes_.of(set);
  const auto is_old = [&](const api::PodPtr& pod) {
    return is_active(state_of(*pod)) && !is_current(*pod, *prototype);
  };
  const auto is_new = [&](const api::PodPtr& pod) { return is_active(state_of(*pod)) && is_current(*pod, *prototype); };
  if (std::ranges::none_of(pods, is_old)) return pods;
  if (std::ranges::none_of(pods, [&](const auto& pod) { return is_new(pod) && state_of(*pod) == PodState::kReady; })) {
    std::erase_if(pods, is_new);
    return pods;
  }
  for (const api::PodPtr& pod : pods) {
    if (is_old(pod)) delete_pod(around_, *pod);
  }
  std::erase_if(pods, is_old);
  return pods;
}

// New pods beside old ones, at most maxSurge that are not ready at a time.
void DaemonSetController::surge_some(const api::DaemonSet& set, Daemon& daemon, std::int32_t surge) {
  const auto prototype = prototypes_.of(set);
  std::vector<Symbol> nodes;
  for (const auto& [node, pods] : daemon.pods) {
    bool has_old = false, has_new = false;
    for (const api::PodPtr& pod : pods) {
      if (!is_active(state_of(*pod))) continue;
      (is_current(*pod, *prototype) ? has_new : has_old) = true;
    }
    if (has_old && has_new) --surge;
    if (has_old && !has_new) nodes.push_back(node);
  }
  nodes.resize(std::min(nodes.size(), static_cast<std::size_t>(std::max(0, surge))));
  for (const Symbol node : nodes) make_pod(set, daemon, node);
  if (!nodes.empty()) note_refusals(set, daemon);
}

// A new template: old pods are deleted, at most maxUnavailable at a time; their places are filled as any others.
void DaemonSetController::update_some(const api::DaemonSet& set, Daemon& daemon) {
  if (!daemon.is_updated || set.spec.update_strategy.type == "OnDelete") return;
  if (const std::int32_t surge = max_surge(set, daemon.pods.size()); surge > 0) return surge_some(set, daemon, surge);
  const auto prototype = prototypes_.of(set);
  const auto& rolling = set.spec.update_strategy.rolling_update;
  const api::IntOrString one{.number = 1, .text = {}};
  std::int32_t may_go = scaled(rolling ? rolling->max_unavailable.value_or(one) : one,
                               static_cast<std::int32_t>(daemon.pods.size()), true);
  std::vector<api::PodPtr> unready, old;
  for (const auto& [node, pods] : daemon.pods) {
    for (const api::PodPtr& pod : pods) {
      const PodState state = state_of(*pod);
      const bool is_old = !is_current(*pod, *prototype);
      if (state == PodState::kReady) {
        if (is_old) old.push_back(pod);
      } else if (is_old && state == PodState::kPending) {
        unready.push_back(pod);
      } else {
        --may_go;
      }
    }
  }
  may_go = std::max(0, may_go);
  old.resize(std::min(old.size(), static_cast<std::size_t>(may_go)));
  for (const api::PodPtr& pod : unready) delete_pod(around_, *pod);
  for (const api::PodPtr& pod : old) delete_pod(around_, *pod);
}

void DaemonSetController::write_status(const api::DaemonSet& set, const Daemon& daemon) {
  const PodCounts counts = pods_.of(set.metadata.uid).counts;
  const auto nodes = static_cast<std::int32_t>(daemon.pods.size());
  rewrite(around_.api, set, [&](api::DaemonSet& changed) {
    changed.status.observed_generation = changed.metadata.generation;
    changed.status.desired_number_scheduled = nodes;
    changed.status.current_number_scheduled = nodes;
    changed.status.number_ready = counts.ready();
    changed.status.number_available = counts.ready();
    changed.status.number_unavailable = std::max(0, nodes - counts.ready());
  });
}

}  // namespace berth::sim
