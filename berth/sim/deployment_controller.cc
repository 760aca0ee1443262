#include "berth/sim/deployment_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "berth/sim/pod_prototype.h"

namespace berth::sim {

namespace {

constexpr std::string_view kHashLabel = "pod-template-hash";
constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
constexpr std::int32_t kDefaultHistory = 10;  // spec.revisionHistoryLimit
constexpr int kHashTries = 8;                 // another Deployment may have a ReplicaSet of that name

const api::IntOrString& a_quarter() {
  static const api::IntOrString quarter{.number = 0, .text = "25%"};
  return quarter;
}

std::int64_t revision_of(const api::ReplicaSet& set) {
  const std::string* text = set.metadata.annotations->find(Symbol(kRevision));
  std::int64_t revision = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), revision);
  return revision;
}

// But for the hash that the controller puts on it.
bool has_template(const api::ReplicaSet& set, const api::PodTemplateSpec& wanted) {
  const api::PodTemplateSpec& own = set.spec.pod_template;
  if (!(own.spec == wanted.spec) || !(own.metadata.annotations == wanted.metadata.annotations)) return false;
  const Symbol hash(kHashLabel);
  api::Labels own_labels = *own.metadata.labels, wanted_labels = *wanted.metadata.labels;
  own_labels.erase(hash);
  wanted_labels.erase(hash);
  return own_labels == wanted_labels;
}

std::int32_t replicas_of(const api::ReplicaSet& set) {
  return set.spec.replicas.value_or(1);
}

const api::OwnerReference* deployment_of(const api::ObjectMeta& set) {
  static const Symbol deployment("Deployment");
  const api::OwnerReference* owner = api::controller_of(set);
  return owner != nullptr && owner->kind == deployment ? owner : nullptr;
}

struct Bounds {
  std::int32_t surge;
  std::int32_t unavailable;
};
Bounds bounds_of(const api::Deployment& deployment, std::int32_t wanted) {
  const api::RollingUpdate none;
  const api::RollingUpdate& rolling =
      deployment.spec.strategy.rolling_update ? *deployment.spec.strategy.rolling_update : none;
  Bounds bounds{scaled(rolling.max_surge.value_or(a_quarter()), wanted, true),
                scaled(rolling.max_unavailable.value_or(a_quarter()), wanted, false)};
  // With neither, nothing could ever move.
  if (bounds.surge == 0 && bounds.unavailable == 0) bounds.unavailable = 1;
  return bounds;
}

}  // namespace

DeploymentController::DeploymentController(const Surroundings& around, const OwnedPods& pods, const Rng& rng)
    : around_(around),
      pods_(pods),
      rollouts_(around.history, around.agenda, pods),
      deployments_(around, around.faults.controller, rng.fork(0), [this](const auto& key) { look(key); }) {}

void DeploymentController::on_change(const Change& change) {
  const api::ObjectMeta& metadata = change.object.metadata();
  if (&change.object.kind() == &api::kind_of<api::Deployment>()) {
    if (change.kind == Change::Kind::kDeleted) {
      sets_.erase(metadata.uid);
      rollouts_.forget(metadata.uid);
    } else if (wants_other<api::Deployment>(change)) {
      deployments_.add(ObjectKey(metadata));
    }
    return;
  }
  const api::OwnerReference* owner = deployment_of(metadata);
  if (owner == nullptr) return;
  if (change.kind == Change::Kind::kDeleted) {
    if (const auto found = sets_.find(owner->uid); found != sets_.end()) found->second.erase(metadata.name);
  } else {
    sets_[owner->uid].insert(metadata.name);
  }
  deployments_.add_owner(metadata.name_space, *owner);
}

std::vector<std::shared_ptr<const api::ReplicaSet>> DeploymentController::sets_of(
    const api::Deployment& deployment) const {
  std::vector<SetPtr> sets;
  const auto names = sets_.find(deployment.metadata.uid);
  if (names == sets_.end()) return sets;
  for (const std::string& name : names->second) {
    if (auto set = around_.api.get<api::ReplicaSet>(deployment.metadata.name_space, name))
      sets.push_back(std::move(set));
  }
  return sets;
}

void DeploymentController::look(const ObjectKey& key) {
  Revisions rollout;
  rollout.deployment = around_.api.get<api::Deployment>(key.name_space, key.name);
  if (rollout.deployment == nullptr || rollout.deployment->metadata.deletion_timestamp.is_set()) return;
  const api::Deployment& deployment = *rollout.deployment;
  // It came with a dump that has its pods, perhaps, but not its ReplicaSets: making them would make all pods again.
  if (!sets_.contains(deployment.metadata.uid) && deployment.status.replicas > 0) return;
  rollout.wanted = std::max(0, deployment.spec.replicas.value_or(1));
  rollout.old = sets_of(deployment);
  std::ranges::sort(rollout.old, [](const SetPtr& a, const SetPtr& b) {
    const auto of_a = revision_of(*a), of_b = revision_of(*b);
    if (of_a != of_b) return of_a < of_b;
    if (a->metadata.creation_timestamp != b->metadata.creation_timestamp) {
      return a->metadata.creation_timestamp < b->metadata.creation_timestamp;
    }
    return a->metadata.name < b->metadata.name;
  });
  // The newest of those that look the same: ReplicaSets of a real cluster may differ in what is not read here, such as
  // environment variables. A paused Deployment stays with the newest that it has.
  auto current = rollout.old.end();
  for (auto set = rollout.old.begin(); set != rollout.old.end(); ++set) {
    if (has_template(**set, deployment.spec.pod_template)) current = set;
  }
  if (current == rollout.old.end() && deployment.spec.paused && !rollout.old.empty()) {
    current = std::prev(rollout.old.end());
  }
  if (current != rollout.old.end()) {
    rollout.current = *current;
    rollout.old.erase(current);
  } else if (!deployment.spec.paused) {
    const std::int64_t newest = rollout.old.empty() ? 0 : revision_of(*rollout.old.back());
    rollout.current = make_set(deployment, newest + 1);
  }
  if (rollout.current == nullptr) return;

  if (deployment.spec.strategy.type == "Recreate") {
    recreate(rollout);
  } else {
    roll(rollout);
  }
  forget_oldest(rollout);
  write_status(rollout);
}

DeploymentController::SetPtr DeploymentController::make_set(const api::Deployment& deployment, std::int64_t revision) {
  for (int i = 0; i < kHashTries; ++i) {
    const std::string hash = template_hash(deployment.spec.pod_template, static_cast<std::uint64_t>(i));
    api::ReplicaSet set;
    set.metadata.name = fmt::format("{}-{}", deployment.metadata.name, hash);
    set.metadata.name_space = deployment.metadata.name_space;
    set.metadata.labels = with_label(*deployment.spec.pod_template.metadata.labels, kHashLabel, hash);
    set.metadata.annotations =
        with_annotation(*deployment.metadata.annotations, kRevision, fmt::format("{}", revision));
    set.metadata.owner_references = controlled_by(api::kind_of<api::Deployment>(), deployment.metadata);
    set.spec.replicas = 0;
    set.spec.min_ready_seconds = deployment.spec.min_ready_seconds;
    set.spec.selector = deployment.spec.selector.value_or(api::LabelSelector{});
    set.spec.selector->match_labels = with_label(set.spec.selector->match_labels, kHashLabel, hash);
    set.spec.pod_template = deployment.spec.pod_template;
    set.spec.pod_template.metadata.labels = set.metadata.labels;
    const auto made = create(around_, set);
    const api::ObjectKind& kind = api::kind_of<api::Deployment>();
    if (made) {
      around_.failed_creations.succeeded(kind, deployment.metadata);
      return around_.api.get<api::ReplicaSet>(set.metadata.name_space, set.metadata.name);
    }
    if (made.error().kind == engine::Outcome::Kind::kConflict) continue;
    const std::int64_t wanted = deployment.spec.replicas.value_or(1);
    around_.failed_creations.failed(kind, deployment.metadata, wanted, wanted, made.error().message,
                                    [this, key = ObjectKey(deployment.metadata)] { deployments_.add(key); });
    return nullptr;
  }
  return nullptr;
}

void DeploymentController::scale(SetPtr& set, std::int32_t replicas) {
  if (replicas_of(*set) == replicas) return;
  rewrite(around_.api, *set, [&](api::ReplicaSet& changed) { changed.spec.replicas = replicas; });
  if (auto now = around_.api.get<api::ReplicaSet>(set->metadata.name_space, set->metadata.name)) set = std::move(now);
}

void DeploymentController::roll(Revisions& rollout) {
  const Bounds bounds = bounds_of(*rollout.deployment, rollout.wanted);
  grow_current(rollout, rollout.wanted + bounds.surge);
  shrink_old(rollout, rollout.wanted - bounds.unavailable);
}

void DeploymentController::grow_current(Revisions& rollout, std::int32_t limit) {
  const std::int32_t has = replicas_of(*rollout.current);
  if (has >= rollout.wanted) {
    scale(rollout.current, rollout.wanted);
    return;
  }
  std::int32_t all = has;
  for (const SetPtr& set : rollout.old) all += replicas_of(*set);
  scale(rollout.current, has + std::clamp(limit - all, 0, rollout.wanted - has));
}

void DeploymentController::shrink_old(Revisions& rollout, std::int32_t min_available) {
  const auto ready = [this](const SetPtr& set) { return pods_.of(set->metadata.uid).counts.ready(); };
  std::int32_t all = replicas_of(*rollout.current), available = ready(rollout.current);
  const std::int32_t not_ready_yet = std::max(0, all - available);
  for (const SetPtr& set : rollout.old) {
    all += replicas_of(*set);
    available += ready(set);
  }
  // Pods that are not ready go first: that costs nothing.
  std::int32_t may_go = all - min_available - not_ready_yet;
  for (SetPtr& set : rollout.old) {
    if (may_go <= 0) return;
    const std::int32_t unhealthy = std::max(0, replicas_of(*set) - ready(set));
    const std::int32_t less = std::min(may_go, unhealthy);
    scale(set, replicas_of(*set) - less);
    may_go -= less;
  }
  std::int32_t ready_may_go = available - min_available;
  for (SetPtr& set : rollout.old) {
    if (ready_may_go <= 0) return;
    const std::int32_t less = std::min(ready_may_go, replicas_of(*set));
    scale(set, replicas_of(*set) - less);
    ready_may_go -= less;
  }
}

void DeploymentController::recreate(Revisions& rollout) {
  bool are_old_gone = true;
  for (SetPtr& set : rollout.old) {
    scale(set, 0);
    const PodCounts& counts = pods_.of(set->metadata.uid).counts;
    if (counts.active() + counts.of(PodState::kTerminating) > 0) are_old_gone = false;
  }
  if (are_old_gone) scale(rollout.current, rollout.wanted);
}

void DeploymentController::forget_oldest(const Revisions& rollout) {
  const std::int32_t limit = rollout.deployment->spec.revision_history_limit.value_or(kDefaultHistory);
  std::int32_t too_many = static_cast<std::int32_t>(rollout.old.size()) - std::max(0, limit);
  for (const SetPtr& set : rollout.old) {
    if (too_many <= 0) return;
    if (replicas_of(*set) > 0 || pods_.of(set->metadata.uid).counts.total() > 0) continue;
    const api::ObjectMeta& metadata = set->metadata;
    static_cast<void>(around_.api.remove(api::kind_of<api::ReplicaSet>(), metadata.name_space, metadata.name,
                                         around_.now(), metadata.uid));
    --too_many;
  }
}

void DeploymentController::write_status(const Revisions& rollout) {
  const PodCounts updated = pods_.of(rollout.current->metadata.uid).counts;
  std::int32_t all = updated.active(), ready = updated.ready();
  for (const SetPtr& set : rollout.old) {
    const PodCounts& counts = pods_.of(set->metadata.uid).counts;
    all += counts.active();
    ready += counts.ready();
  }
  rewrite(around_.api, *rollout.deployment, [&](api::Deployment& changed) {
    changed.status.observed_generation = changed.metadata.generation;
    changed.status.replicas = all;
    changed.status.updated_replicas = updated.active();
    changed.status.ready_replicas = ready;
    changed.status.available_replicas = ready;
    changed.status.unavailable_replicas = std::max(0, rollout.wanted - ready);
  });
  rollouts_.look(
      *rollout.deployment, *rollout.current,
      {.wanted = rollout.wanted, .updated = updated.active(), .ready = updated.ready(), .old = all - updated.active()});
}

}  // namespace berth::sim
