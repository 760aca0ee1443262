#include "berth/sim/replica_controller.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <type_traits>

namespace berth::sim {

namespace {

const api::PodTemplateSpec* template_of(const api::ReplicaSet& set) {
  return &set.spec.pod_template;
}
const api::PodTemplateSpec* template_of(const api::ReplicationController& controller) {
  return controller.spec.pod_template.get();
}

std::int32_t deletion_cost(const api::Pod& pod) {
  static const Symbol annotation("controller.kubernetes.io/pod-deletion-cost");
  const std::string* text = pod.metadata.annotations->find(annotation);
  if (text == nullptr) return 0;
  std::int32_t cost = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), cost);
  return error == std::errc() && end == text->data() + text->size() ? cost : 0;
}

// Which pods a controller gives up first: those that cost least.
struct Surplus {
  api::PodPtr pod;
  std::int32_t on_same_node = 0;

  auto rank() const {
    const api::Pod& p = *pod;
    const bool is_assigned = !p.spec.node_name.empty();
    return std::tuple(is_assigned, p.status.phase == "Running", is_ready(p), deletion_cost(p), -on_same_node);
  }
  bool operator<(const Surplus& other) const {
    const auto mine = rank(), others = other.rank();
    if (mine != others) return mine < others;
    const api::Pod &a = *pod, &b = *other.pod;
    if (a.status.start_time != b.status.start_time) return a.status.start_time > b.status.start_time;
    if (a.metadata.creation_timestamp != b.metadata.creation_timestamp) {
      return a.metadata.creation_timestamp > b.metadata.creation_timestamp;
    }
    return a.metadata.name < b.metadata.name;
  }
};

}  // namespace

ReplicaController::ReplicaController(const Surroundings& around, const OwnedPods& pods, PodPrototypes& prototypes,
                                     const Rng& rng)
    : around_(around),
      pods_(pods),
      prototypes_(prototypes),
      names_(rng.fork(0)),
      replica_sets_(around, around.faults.controller, rng.fork(1),
                    [this](const ObjectKey& key) { look<api::ReplicaSet>(key); }),
      replication_controllers_(around, around.faults.controller, rng.fork(2),
                               [this](const ObjectKey& key) { look<api::ReplicationController>(key); }) {}

void ReplicaController::on_change(const Change& change) {
  if (change.kind == Change::Kind::kDeleted) return;
  const ObjectKey key(change.object.metadata());
  if (&change.object.kind() == &api::kind_of<api::ReplicaSet>()) {
    if (wants_other<api::ReplicaSet>(change)) replica_sets_.add(key);
  } else if (wants_other<api::ReplicationController>(change)) {
    replication_controllers_.add(key);
  }
}

void ReplicaController::pod_changed(Symbol name_space, const api::OwnerReference& owner) {
  static const Symbol replica_set("ReplicaSet");
  (owner.kind == replica_set ? replica_sets_ : replication_controllers_).add_owner(name_space, owner);
}

template <typename Workload>
void ReplicaController::look(const ObjectKey& key) {
  const auto workload = around_.api.get<Workload>(key.name_space, key.name);
  if (workload == nullptr || workload->metadata.deletion_timestamp.is_set()) return;
  const std::int32_t wanted = std::max(0, workload->spec.replicas.value_or(1));
  const std::int32_t active = pods_.of(workload->metadata.uid).counts.active();
  if (active < wanted) make_pods(*workload, wanted, wanted - active);
  if (active >= wanted) around_.failed_creations.succeeded(api::kind_of<Workload>(), workload->metadata);
  if (active > wanted) delete_pods(workload->metadata.uid, active - wanted);

  const PodCounts counts = pods_.of(workload->metadata.uid).counts;
  rewrite(around_.api, *workload, [&](Workload& changed) {
    changed.status.replicas = counts.active();
    changed.status.fully_labeled_replicas = counts.active();
    changed.status.ready_replicas = counts.ready();
    changed.status.available_replicas = counts.ready();
    changed.status.observed_generation = changed.metadata.generation;
    // A Deployment that is recreated waits for this to become 0.
    if constexpr (std::is_same_v<Workload, api::ReplicaSet>) {
      changed.status.terminating_replicas = counts.of(PodState::kTerminating);
    }
  });
}

template <typename Workload>
void ReplicaController::make_pods(const Workload& workload, std::int32_t wanted, std::int32_t count) {
  const api::PodTemplateSpec* pod_template = template_of(workload);
  if (pod_template == nullptr) return;
  const auto prototype = prototypes_.of(api::kind_of<Workload>(), workload.metadata, *pod_template);
  for (std::int32_t i = 0; i < count; ++i) {
    const auto made = prototype->make_pod(around_, workload.metadata.name, names_);
    if (made) continue;
    WorkList& list = std::is_same_v<Workload, api::ReplicaSet> ? replica_sets_ : replication_controllers_;
    around_.failed_creations.failed(api::kind_of<Workload>(), workload.metadata, wanted, count - i,
                                    made.error().message,
                                    [&list, key = ObjectKey(workload.metadata)] { list.add(key); });
    return;
  }
  around_.failed_creations.succeeded(api::kind_of<Workload>(), workload.metadata);
}

void ReplicaController::delete_pods(const std::string& owner_uid, std::int32_t count) {
  std::vector<Surplus> candidates;
  absl::flat_hash_map<Symbol, std::int32_t> per_node;
  for (const api::PodPtr& pod : pods_.of(owner_uid).pods) {
    if (!is_active(state_of(*pod))) continue;
    candidates.push_back({pod, 0});
    ++per_node[pod->spec.node_name];
  }
  for (Surplus& candidate : candidates) candidate.on_same_node = per_node[candidate.pod->spec.node_name];
  std::ranges::sort(candidates, [](const Surplus& a, const Surplus& b) { return a < b; });
  candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(count)));
  for (const Surplus& each : candidates) delete_pod(around_, *each.pod);
}

}  // namespace berth::sim
