#include "berth/plugins/volume_zone_hints.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "berth/plugins/names.h"
#include "berth/plugins/volume_claims.h"

namespace berth::plugins {

namespace {

// "z1__z2" as a sorted list without repetitions; nothing if a part is empty, which makes the whole label invalid.
std::vector<std::string_view> zones_in(std::string_view label) {
  constexpr std::string_view kSeparator = "__";
  std::vector<std::string_view> zones;
  for (std::size_t from = 0;;) {
    const std::size_t to = std::min(label.find(kSeparator, from), label.size());
    if (to == from) return {};
    zones.push_back(label.substr(from, to - from));
    if (to == label.size()) break;
    from = to + kSeparator.size();
  }
  std::ranges::sort(zones);
  zones.erase(std::unique(zones.begin(), zones.end()), zones.end());
  return zones;
}

using Topologies = std::vector<std::pair<Symbol, std::vector<std::string_view>>>;

Topologies topologies_of(const api::PersistentVolume& volume) {
  static const std::array keys = {Symbol("failure-domain.beta.kubernetes.io/zone"),
                                  Symbol("failure-domain.beta.kubernetes.io/region"),
                                  Symbol("topology.kubernetes.io/zone"), Symbol("topology.kubernetes.io/region")};
  Topologies topologies;
  for (const Symbol key : keys) {
    const Symbol* label = volume.metadata.labels->find(key);
    if (label == nullptr) continue;
    if (auto zones = zones_in(label->text()); !zones.empty()) topologies.emplace_back(key, std::move(zones));
  }
  return topologies;
}

}  // namespace

HintAnswer volume_zone_after_storage_class_add(const api::Pod&, const EventObjects& objects) {
  const ObjectsOf<api::StorageClass> storage_class(objects);
  if (!storage_class.has_after()) return HintAnswer::kError;
  const std::optional<Symbol>& mode = storage_class.after->volume_binding_mode;
  return queue_if(mode && *mode == "WaitForFirstConsumer");
}

HintAnswer volume_zone_after_claim_change(const api::Pod& pod, const EventObjects& objects) {
  const ObjectsOf<api::PersistentVolumeClaim> claim(objects);
  if (!claim.has_after()) return HintAnswer::kError;
  const api::ObjectMeta& changed = claim.after->metadata;
  return queue_if(changed.name_space == pod.metadata.name_space && uses_claim(pod, changed.name, false));
}

HintAnswer volume_zone_after_volume_change(const api::Pod&, const EventObjects& objects) {
  const ObjectsOf<api::PersistentVolume> volume(objects);
  if (!volume.has_after()) return HintAnswer::kError;
  return queue_if(volume.before == nullptr || topologies_of(*volume.before) != topologies_of(*volume.after));
}

std::vector<HintRegistration> volume_zone_hints(Symbol profile) {
  constexpr queue::ActionSet kAddOrUpdate = queue::action::kAdd | queue::action::kUpdate;
  HintList hints(profile, name::kVolumeZone);
  hints.add(queue::resource::kStorageClass, queue::action::kAdd, volume_zone_after_storage_class_add);
  hints.add_always(queue::resource::kNode, queue::action::kAdd | queue::action::kUpdateNodeLabel);
  hints.add(queue::resource::kPersistentVolumeClaim, kAddOrUpdate, volume_zone_after_claim_change);
  hints.add(queue::resource::kPersistentVolume, kAddOrUpdate, volume_zone_after_volume_change);
  return std::move(hints).take();
}

}  // namespace berth::plugins
