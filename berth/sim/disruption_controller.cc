#include "berth/sim/disruption_controller.h"

#include <algorithm>
#include <utility>

#include "berth/sim/owned_pods.h"
#include "berth/sim/pod_prototype.h"

namespace berth::sim {

DisruptionController::DisruptionController(const Surroundings& around, const Rng& rng)
    : around_(around),
      to_look_at_(around, around.faults.controller, rng.fork(0), [this](const ObjectKey& key) { look(key); }) {}

void DisruptionController::on_change(const Change& change) {
  const auto object = change.object.as<api::PodDisruptionBudget>();
  const Symbol name_space = object->metadata.name_space;
  if (change.kind == Change::Kind::kDeleted) {
    auto& budgets = budgets_[name_space];
    budgets.erase(object->metadata.name);
    if (budgets.empty()) budgets_.erase(name_space);
    return;
  }
  if (!wants_other<api::PodDisruptionBudget>(change)) return;
  Budget budget;
  // One that is not valid matches nothing.
  if (auto compiled = api::LabelMatcher::compile(object->spec.selector)) budget.selector = *std::move(compiled);
  count_all(name_space, budget);
  budgets_[name_space].insert_or_assign(object->metadata.name, std::move(budget));
  to_look_at_.add(ObjectKey(object->metadata));
}

void DisruptionController::count_all(Symbol name_space, Budget& budget) const {
  around_.api.for_each<api::Pod>([&](const api::PodPtr& pod) {
    if (pod->metadata.name_space == name_space) count(budget, *pod, 1);
  });
}

bool DisruptionController::count(Budget& budget, const api::Pod& pod, std::int32_t sign) {
  const PodState state = state_of(pod);
  // What has ended is not going to be disrupted.
  if (state == PodState::kSucceeded || state == PodState::kFailed) return false;
  if (!budget.selector.matches(*pod.metadata.labels)) return false;
  budget.pods += sign;
  if (state == PodState::kReady) budget.healthy += sign;
  if (const api::OwnerReference* reference = api::controller_of(pod.metadata)) {
    Owner& owner = budget.owners[reference->uid];
    if (owner.name.empty()) owner = {reference->kind.str(), reference->name, 0};
    owner.pods += sign;
    if (owner.pods == 0) budget.owners.erase(reference->uid);
  }
  return true;
}

void DisruptionController::pod_changed(const Change& change) {
  if (budgets_.empty()) return;
  const auto pod = change.object.as<api::Pod>();
  const auto found = budgets_.find(pod->metadata.name_space);
  if (found == budgets_.end()) return;
  const bool is_gone = change.kind == Change::Kind::kDeleted;
  const auto before = change.before ? change.before.as<api::Pod>() : is_gone ? pod : nullptr;
  if (before != nullptr && !is_gone && state_of(*before) == state_of(*pod) &&
      before->metadata.labels.same_as(pod->metadata.labels)) {
    return;
  }
  for (auto& [name, budget] : found->second) {
    const bool was_in = before != nullptr && count(budget, *before, -1);
    const bool is_in = !is_gone && count(budget, *pod, 1);
    if (was_in || is_in) to_look_at_.add(ObjectKey(pod->metadata.name_space, name));
  }
}

void DisruptionController::workload_changed(const Change& change) {
  const Symbol name_space = change.object.metadata().name_space;
  const auto found = budgets_.find(name_space);
  if (found == budgets_.end()) return;
  if (change.kind == Change::Kind::kModified &&
      change.before.metadata().generation == change.object.metadata().generation) {
    return;
  }
  for (const auto& [name, budget] : found->second) to_look_at_.add(ObjectKey(name_space, name));
}

std::int32_t DisruptionController::scale_of(Symbol name_space, const Owner& owner) const {
  const auto replicas = [&]<typename Workload>(const std::shared_ptr<const Workload>& workload) {
    return workload != nullptr ? workload->spec.replicas.value_or(1) : owner.pods;
  };
  if (owner.kind == "StatefulSet") return replicas(around_.api.get<api::StatefulSet>(name_space, owner.name));
  if (owner.kind == "ReplicationController") {
    return replicas(around_.api.get<api::ReplicationController>(name_space, owner.name));
  }
  if (owner.kind == "ReplicaSet") return replicas(around_.api.get<api::ReplicaSet>(name_space, owner.name));
  return owner.pods;
}

std::int32_t DisruptionController::expected_pods(Symbol name_space, const Budget& budget) const {
  static const Symbol deployment_kind("Deployment");
  std::int32_t expected = 0;
  std::map<std::string, bool> counted;  // Deployments: each once, however many ReplicaSets it has
  for (const auto& [uid, owner] : budget.owners) {
    const auto set = owner.kind == "ReplicaSet" ? around_.api.get<api::ReplicaSet>(name_space, owner.name) : nullptr;
    const api::OwnerReference* above = set != nullptr ? api::controller_of(set->metadata) : nullptr;
    const auto deployment = above != nullptr && above->kind == deployment_kind
                                ? around_.api.get<api::Deployment>(name_space, above->name)
                                : nullptr;
    if (deployment == nullptr) {
      expected += scale_of(name_space, owner);
    } else if (counted.emplace(deployment->metadata.uid, true).second) {
      expected += deployment->spec.replicas.value_or(1);
    }
  }
  return expected;
}

void DisruptionController::look(const ObjectKey& key) {
  const auto object = around_.api.get<api::PodDisruptionBudget>(key.name_space, key.name);
  const auto in_namespace = budgets_.find(key.name_space);
  if (object == nullptr || in_namespace == budgets_.end()) return;
  const auto found = in_namespace->second.find(key.name);
  if (found == in_namespace->second.end()) return;
  const Budget& budget = found->second;

  std::int32_t expected = budget.pods, desired = 0;
  if (const auto& most = object->spec.max_unavailable) {
    expected = expected_pods(key.name_space, budget);
    desired = std::max(0, expected - scaled(*most, expected, true));
  } else if (const auto& least = object->spec.min_available) {
    if (least->text) expected = expected_pods(key.name_space, budget);
    desired = scaled(*least, expected, true);
  }
  const std::int32_t allowed = expected > 0 ? std::max(0, budget.healthy - desired) : 0;
  rewrite(around_.api, *object, [&](api::PodDisruptionBudget& changed) {
    changed.status.observed_generation = changed.metadata.generation;
    changed.status.current_healthy = budget.healthy;
    changed.status.desired_healthy = desired;
    changed.status.expected_pods = expected;
    changed.status.disruptions_allowed = allowed;
    // Whoever was let through is gone or going by now.
    changed.status.disrupted_pods.clear();
  });
}

}  // namespace berth::sim
