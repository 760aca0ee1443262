#include "berth/sim/pod_garbage.h"

#include <utility>

namespace berth::sim {

PodGarbage::PodGarbage(const Surroundings& around, const OwnedPods& pods, const Rng& rng)
    : around_(around), pods_(pods), rng_(rng) {}

void PodGarbage::owner_deleted(const Change& change, std::vector<std::shared_ptr<const api::ReplicaSet>> sets) {
  const std::string& uid = change.object.metadata().uid;
  gone_.insert(uid);
  around_.agenda.after(around_.faults.controller.draw(rng_), Agenda::Urgency::kWork,
                       [this, uid, sets = std::move(sets)] {
                         for (const auto& set : sets) {
                           const api::ObjectMeta& metadata = set->metadata;
                           static_cast<void>(around_.api.remove(api::kind_of<api::ReplicaSet>(), metadata.name_space,
                                                                metadata.name, around_.now(), metadata.uid));
                         }
                         delete_pods_of(uid);
                       });
}

void PodGarbage::pod_added(const api::Pod& pod) {
  if (gone_.empty()) return;
  const api::OwnerReference* owner = api::controller_of(pod.metadata);
  if (owner == nullptr || !gone_.contains(owner->uid)) return;
  around_.agenda.after(around_.faults.controller.draw(rng_), Agenda::Urgency::kWork,
                       [this, uid = owner->uid] { delete_pods_of(uid); });
}

void PodGarbage::delete_pods_of(const std::string& owner_uid) {
  for (const api::PodPtr& pod : pods_.list(owner_uid)) delete_pod(around_, *pod);
}

}  // namespace berth::sim
