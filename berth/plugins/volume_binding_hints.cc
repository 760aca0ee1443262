#include "berth/plugins/volume_binding_hints.h"

#include <algorithm>

#include "berth/plugins/names.h"
#include "berth/plugins/volume_claims.h"

namespace berth::plugins {

HintAnswer volume_binding_after_storage_class_change(const api::Pod&, const EventObjects& objects) {
  const ObjectsOf<api::StorageClass> storage_class(objects);
  if (!storage_class.has_after()) return HintAnswer::kError;
  return queue_if(storage_class.before == nullptr ||
                  storage_class.before->allowed_topologies != storage_class.after->allowed_topologies);
}

HintAnswer volume_binding_after_claim_change(const api::Pod& pod, const EventObjects& objects) {
  const ObjectsOf<api::PersistentVolumeClaim> claim(objects);
  if (!claim.has_after()) return HintAnswer::kError;
  const api::ObjectMeta& changed = claim.after->metadata;
  return queue_if(changed.name_space == pod.metadata.name_space && uses_claim(pod, changed.name, true));
}

HintAnswer volume_binding_after_csi_node_change(const api::Pod&, const EventObjects& objects) {
  static const Symbol migrated_plugins("storage.alpha.kubernetes.io/migrated-plugins");
  if (!objects.old_object) return HintAnswer::kQueue;
  const ObjectsOf<api::CsiNode> node(objects);
  if (!node.has_both()) return HintAnswer::kError;
  const auto migrated = [](const api::CsiNode& any) {
    const std::string* plugins = any.metadata.annotations->find(migrated_plugins);
    return plugins != nullptr ? std::string_view(*plugins) : std::string_view();
  };
  return queue_if(migrated(*node.before) != migrated(*node.after));
}

HintAnswer volume_binding_after_csi_driver_update(const api::Pod& pod, const EventObjects& objects,
                                                  const VolumeBindingHintOptions& options) {
  const ObjectsOf<api::CsiDriver> driver(objects);
  if (!driver.has_both()) return HintAnswer::kError;
  const auto checks_capacity = [](const api::CsiDriver& any) { return any.spec.storage_capacity.value_or(false); };
  if (!checks_capacity(*driver.before) || checks_capacity(*driver.after)) return HintAnswer::kSkip;
  return queue_if(std::ranges::any_of(pod.spec->volumes, [&](const api::Volume& volume) {
    if (volume.source.csi) return volume.source.csi->driver == driver.after->metadata.name;
    return !options.quirks.csi_driver_change_ignores_claims && is_claim(volume);
  }));
}

HintAnswer volume_binding_after_capacity_change(const api::Pod&, const EventObjects& objects) {
  const ObjectsOf<api::CsiStorageCapacity> capacity(objects);
  if (!capacity.has_after()) return HintAnswer::kError;
  if (capacity.before == nullptr) return HintAnswer::kQueue;
  const auto largest_volume = [](const api::CsiStorageCapacity& any) {
    return any.maximum_volume_size ? any.maximum_volume_size : any.capacity;
  };
  const std::optional<api::Quantity> before = largest_volume(*capacity.before), after = largest_volume(*capacity.after);
  return queue_if(after && (!before || after->value() > before->value()));
}

std::vector<HintRegistration> volume_binding_hints(Symbol profile, const VolumeBindingHintOptions& options) {
  constexpr queue::ActionSet kAddOrUpdate = queue::action::kAdd | queue::action::kUpdate;
  HintList hints(profile, name::kVolumeBinding);
  hints.add(queue::resource::kStorageClass, kAddOrUpdate, volume_binding_after_storage_class_change);
  // Claims of ephemeral volumes are named after the pod.
  hints.add(queue::resource::kPersistentVolumeClaim, kAddOrUpdate, volume_binding_after_claim_change, HintScope::kPod);
  hints.add_always(queue::resource::kPersistentVolume, kAddOrUpdate);
  hints.add_always(queue::resource::kNode, queue::action::kAdd | queue::action::kUpdateNodeLabel);
  hints.add(queue::resource::kCSINode, kAddOrUpdate, volume_binding_after_csi_node_change);
  hints.add(queue::resource::kCSIDriver, queue::action::kUpdate,
            [options](const api::Pod& pod, const EventObjects& objects) {
              return volume_binding_after_csi_driver_update(pod, objects, options);
            });
  hints.add(queue::resource::kCSIStorageCapacity, kAddOrUpdate, volume_binding_after_capacity_change);
  return std::move(hints).take();
}

}  // namespace berth::plugins
