#include "berth/sim/stateful_set_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace berth::sim {

namespace {

constexpr std::string_view kRevisionLabel = "controller-revision-hash";
constexpr std::string_view kPodNameLabel = "statefulset.kubernetes.io/pod-name";
constexpr std::string_view kPodIndexLabel = "apps.kubernetes.io/pod-index";

bool is_parallel(const api::StatefulSet& set) {
  return set.spec.pod_management_policy == "Parallel";
}
std::int32_t first_of(const api::StatefulSet& set) {
  return set.spec.ordinals ? set.spec.ordinals->start : 0;
}
std::int32_t end_of(const api::StatefulSet& set) {
  return first_of(set) + std::max(0, set.spec.replicas.value_or(1));
}

std::optional<std::int32_t> number_of(const api::StatefulSet& set, const api::Pod& pod) {
  const std::string& name = pod.metadata.name;
  const std::size_t front = set.metadata.name.size() + 1;
  if (name.size() <= front || !name.starts_with(set.metadata.name) || name[front - 1] != '-') return std::nullopt;
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + front, name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 0) return std::nullopt;
  return number;
}

std::string claim_name(const api::PersistentVolumeClaim& claim_template, const api::StatefulSet& set,
                       std::int32_t number) {
  return fmt::format("{}-{}-{}", claim_template.metadata.name, set.metadata.name, number);
}

// The volumes of the template, with the claims of this number in place of those of the same name.
Interned<api::PodTemplate> with_claims(const Interned<api::PodTemplate>& spec, const api::StatefulSet& set,
                                       std::int32_t number) {
  if (set.spec.volume_claim_templates.empty()) return spec;
  api::PodTemplate own = *spec;
  for (const api::PersistentVolumeClaim& each : set.spec.volume_claim_templates) {
    std::erase_if(own.volumes, [&](const api::Volume& volume) { return volume.name == each.metadata.name; });
    api::Volume volume;
    volume.name = each.metadata.name;
    volume.source.persistent_volume_claim.emplace().claim_name = claim_name(each, set, number);
    own.volumes.push_back(std::move(volume));
  }
  return own;
}

Symbol revision_of(const api::StatefulSet& set, const PodPrototype& prototype) {
  return Symbol(fmt::format("{}-{}", set.metadata.name, prototype.hash().text()));
}

}  // namespace

StatefulSetController::StatefulSetController(const Surroundings& around, const OwnedPods& pods,
                                             PodPrototypes& prototypes, const Rng& rng)
    : around_(around),
      pods_(pods),
      prototypes_(prototypes),
      sets_(around, around.faults.controller, rng.fork(0), [this](const ObjectKey& key) { look(key); }) {}

void StatefulSetController::on_change(const Change& change) {
  const auto set = change.object.as<api::StatefulSet>();
  if (change.kind == Change::Kind::kDeleted) {
    updated_.erase(set->metadata.uid);
    return;
  }
  if (!wants_other<api::StatefulSet>(change)) return;
  if (change.kind == Change::Kind::kModified &&
      !(change.before.as<api::StatefulSet>()->spec.pod_template == set->spec.pod_template)) {
    updated_.insert(set->metadata.uid);
  }
  sets_.add(ObjectKey(set->metadata));
}

StatefulSetController::Pods StatefulSetController::pods_of(const api::StatefulSet& set) const {
  Pods pods;
  for (const api::PodPtr& pod : pods_.of(set.metadata.uid).pods) {
    if (const auto number = number_of(set, *pod)) pods.emplace(*number, pod);
  }
  return pods;
}

void StatefulSetController::look(const ObjectKey& key) {
  const auto set = around_.api.get<api::StatefulSet>(key.name_space, key.name);
  if (set == nullptr || set->metadata.deletion_timestamp.is_set()) return;
  const Pods pods = pods_of(*set);
  if (!fill(*set, pods) && !remove_surplus(*set, pods)) update_one(*set, pods);
  write_status(*set);
}

bool StatefulSetController::fill(const api::StatefulSet& set, const Pods& pods) {
  const bool in_order = !is_parallel(set);
  bool is_complete = true;
  for (std::int32_t number = first_of(set); number < end_of(set); ++number) {
    const auto found = pods.find(number);
    if (found == pods.end()) {
      if (const auto made = make_pod(set, number); !made) {
        creation_failed(set, pods, number, made.error());
        return true;
      }
      is_complete = false;
    } else {
      const PodState state = state_of(*found->second);
      // The name has to become free first.
      if (state == PodState::kSucceeded || state == PodState::kFailed) delete_pod(around_, *found->second);
      if (state == PodState::kReady) continue;
      is_complete = false;
    }
    if (in_order) break;
  }
  around_.failed_creations.succeeded(api::kind_of<api::StatefulSet>(), set.metadata);
  return !is_complete && in_order;
}

void StatefulSetController::creation_failed(const api::StatefulSet& set, const Pods& pods, std::int32_t number,
                                            const ApiError& error) {
  std::int64_t missing = 0;
  for (std::int32_t each = number; each < end_of(set); ++each) missing += pods.contains(each) ? 0 : 1;
  around_.failed_creations.failed(api::kind_of<api::StatefulSet>(), set.metadata, end_of(set) - first_of(set), missing,
                                  error.message, [this, key = ObjectKey(set.metadata)] { sets_.add(key); });
}

bool StatefulSetController::remove_surplus(const api::StatefulSet& set, const Pods& pods) {
  const std::int32_t first = first_of(set), end = end_of(set);
  bool is_complete = true;
  for (auto at = pods.rbegin(); at != pods.rend(); ++at) {
    if (at->first >= first && at->first < end) continue;
    is_complete = false;
    if (!at->second->metadata.deletion_timestamp.is_set()) delete_pod(around_, *at->second);
    if (!is_parallel(set)) return true;
  }
  return !is_complete;
}

void StatefulSetController::update_one(const api::StatefulSet& set, const Pods& pods) {
  if (!updated_.contains(set.metadata.uid) || set.spec.update_strategy.type == "OnDelete") return;
  const auto& rolling = set.spec.update_strategy.rolling_update;
  const std::int32_t partition = rolling ? rolling->partition.value_or(0) : 0;
  const Symbol revision = revision_of(set, *prototypes_.of(set)), label(kRevisionLabel);
  for (std::int32_t number = end_of(set) - 1; number >= std::max(partition, first_of(set)); --number) {
    const auto found = pods.find(number);
    if (found == pods.end()) return;
    const api::Pod& pod = *found->second;
    const Symbol* has = pod.metadata.labels->find(label);
    if (has == nullptr || *has != revision) {
      if (state_of(pod) != PodState::kTerminating) delete_pod(around_, pod);
      return;
    }
    if (state_of(pod) != PodState::kReady) return;
  }
}

ApiResult<void> StatefulSetController::make_pod(const api::StatefulSet& set, std::int32_t number) {
  if (auto made = make_claims(set, number); !made) return made;
  const auto prototype = prototypes_.of(set);
  api::Pod pod = prototype->cast(fmt::format("{}-{}", set.metadata.name, number));
  api::Labels labels = with_label(*pod.metadata.labels, kRevisionLabel, revision_of(set, *prototype).text());
  labels = with_label(labels, kPodNameLabel, pod.metadata.name);
  pod.metadata.labels = with_label(labels, kPodIndexLabel, fmt::format("{}", number));
  pod.spec.shared = with_claims(pod.spec.shared, set, number);
  // A pod of another owner may have the name, too: the set waits, as upstream's.
  if (auto made = create(around_, std::move(pod)); !made) return std::unexpected(std::move(made).error());
  return {};
}

ApiResult<void> StatefulSetController::make_claims(const api::StatefulSet& set, std::int32_t number) {
  for (const api::PersistentVolumeClaim& each : set.spec.volume_claim_templates) {
    api::PersistentVolumeClaim claim = each;
    claim.metadata.name = claim_name(each, set, number);
    claim.metadata.name_space = set.metadata.name_space;
    if (set.spec.selector) {
      api::Labels labels = *claim.metadata.labels;
      for (const auto& [key, value] : set.spec.selector->match_labels) labels[key] = value;
      claim.metadata.labels = std::move(labels);
    }
    if (around_.api.get<api::PersistentVolumeClaim>(claim.metadata.name_space, claim.metadata.name) != nullptr)
      continue;
    if (auto made = create(around_, std::move(claim)); !made) return std::unexpected(std::move(made).error());
  }
  return {};
}

void StatefulSetController::write_status(const api::StatefulSet& set) {
  const PodCounts counts = pods_.of(set.metadata.uid).counts;
  rewrite(around_.api, set, [&](api::StatefulSet& changed) {
    changed.status.observed_generation = changed.metadata.generation;
    changed.status.replicas = counts.active();
    changed.status.ready_replicas = counts.ready();
    changed.status.available_replicas = counts.ready();
    changed.status.current_replicas = counts.active();
  });
}

}  // namespace berth::sim
