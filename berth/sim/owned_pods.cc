#include "berth/sim/owned_pods.h"

#include <algorithm>
#include <utility>

namespace berth::sim {

bool is_ready(const api::Pod& pod) {
  static const Symbol running("Running"), ready("Ready"), is_true("True");
  if (pod.status.phase != running) return false;
  const api::PodCondition* condition = api::find_condition(pod, ready);
  return condition != nullptr && condition->status == is_true;
}

PodState state_of(const api::Pod& pod) {
  static const Symbol succeeded("Succeeded"), failed("Failed");
  if (pod.status.phase == succeeded) return PodState::kSucceeded;
  if (pod.status.phase == failed) return PodState::kFailed;
  if (pod.metadata.deletion_timestamp.is_set()) return PodState::kTerminating;
  return is_ready(pod) ? PodState::kReady : PodState::kPending;
}

void OwnedPods::on_change(const Change& change) {
  const auto before = change.before ? change.before.as<api::Pod>() : nullptr;
  const auto now = change.object.as<api::Pod>();
  const api::OwnerReference* was = before != nullptr ? api::controller_of(before->metadata) : nullptr;
  const api::OwnerReference* is = change.kind != Change::Kind::kDeleted ? api::controller_of(now->metadata) : nullptr;
  if (was != nullptr && is != nullptr && was->uid == is->uid && replace(is->uid, before, now)) return;
  if (was != nullptr) remove(was->uid, before);
  if (is != nullptr) add(is->uid, now);
}

void OwnedPods::add(const std::string& owner_uid, const api::PodPtr& pod) {
  Group& group = groups_[owner_uid];
  places_[pod.get()] = static_cast<std::uint32_t>(group.pods.size());
  group.pods.push_back(pod);
  ++group.counts.by_state[static_cast<std::size_t>(state_of(*pod))];
}

bool OwnedPods::replace(const std::string& owner_uid, const api::PodPtr& before, const api::PodPtr& now) {
  const auto place = places_.find(before.get());
  if (place == places_.end()) return false;
  const std::uint32_t at = place->second;
  places_.erase(place);
  places_[now.get()] = at;
  Group& group = groups_[owner_uid];
  group.pods[at] = now;
  --group.counts.by_state[static_cast<std::size_t>(state_of(*before))];
  ++group.counts.by_state[static_cast<std::size_t>(state_of(*now))];
  return true;
}

void OwnedPods::remove(const std::string& owner_uid, const api::PodPtr& pod) {
  const auto place = places_.find(pod.get());
  if (place == places_.end()) return;
  const std::uint32_t at = place->second;
  places_.erase(place);
  const auto found = groups_.find(owner_uid);
  Group& group = found->second;
  --group.counts.by_state[static_cast<std::size_t>(state_of(*pod))];
  // The last one takes its place.
  if (at + 1 < group.pods.size()) {
    group.pods[at] = std::move(group.pods.back());
    places_[group.pods[at].get()] = at;
  }
  group.pods.pop_back();
  if (group.pods.empty()) groups_.erase(found);
}

const OwnedPods::Group& OwnedPods::of(const std::string& owner_uid) const {
  static const Group none;
  const auto found = groups_.find(owner_uid);
  return found == groups_.end() ? none : found->second;
}

std::vector<api::PodPtr> OwnedPods::list(const std::string& owner_uid) const {
  std::vector<api::PodPtr> pods = of(owner_uid).pods;
  std::ranges::sort(pods,
                    [](const api::PodPtr& a, const api::PodPtr& b) { return a->metadata.name < b->metadata.name; });
  return pods;
}

void NodePods::on_change(const Change& change) {
  const auto before = change.before ? change.before.as<api::Pod>() : nullptr;
  const auto now = change.object.as<api::Pod>();
  const bool is_gone = change.kind == Change::Kind::kDeleted;
  const Symbol was_on = before != nullptr ? before->spec.node_name : is_gone ? now->spec.node_name : Symbol();
  const Symbol is_on = is_gone ? Symbol() : now->spec.node_name;
  if (!was_on.empty()) {
    std::vector<api::PodPtr>& row = pods_[was_on];
    // The one that is held is the one that the API server had, mostly; a name tells for sure.
    auto at = std::ranges::find(row, before);
    if (at == row.end()) {
      at = std::ranges::find_if(row, [&](const api::PodPtr& pod) { return pod->metadata.uid == now->metadata.uid; });
    }
    if (at != row.end()) {
      if (is_on == was_on) {
        *at = now;
        return;
      }
      row.erase(at);
    }
    if (row.empty()) pods_.erase(was_on);
  }
  if (!is_on.empty()) pods_[is_on].push_back(now);
}

std::vector<api::PodPtr> NodePods::list(Symbol node) const {
  const auto found = pods_.find(node);
  return found == pods_.end() ? std::vector<api::PodPtr>() : found->second;
}

}  // namespace berth::sim
