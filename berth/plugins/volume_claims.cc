#include "berth/plugins/volume_claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/plugins/csi_translation.h"

namespace berth::plugins {

namespace {

const std::string* class_annotation(const api::ObjectMeta& metadata) {
  static const Symbol annotation("volume.beta.kubernetes.io/storage-class");
  return metadata.annotations->find(annotation);
}

}  // namespace

std::optional<std::string_view> csi_driver_of_inline(const api::Volume& volume) {
  const InTreePlugin* plugin = in_tree_plugin_of(volume.source);
  if (plugin == nullptr) return std::nullopt;
  return plugin->driver;
}

bool uses_claim(const api::Pod& pod, std::string_view claim_name, bool with_ephemeral) {
  return std::ranges::any_of(pod.spec->volumes, [&](const api::Volume& volume) {
    if (const auto& claim = volume.source.persistent_volume_claim) return claim->claim_name == claim_name;
    if (!with_ephemeral || !volume.source.ephemeral) return false;
    const std::string& pod_name = pod.metadata.name;
    return claim_name.size() == pod_name.size() + 1 + volume.name.size() && claim_name.starts_with(pod_name) &&
           claim_name[pod_name.size()] == '-' && claim_name.ends_with(volume.name);
  });
}

bool is_claim(const api::Volume& volume) {
  return volume.source.persistent_volume_claim.has_value() || volume.source.ephemeral.has_value();
}

std::optional<std::string> claim_name_of(const api::Pod& pod, const api::Volume& volume) {
  if (const auto& claim = volume.source.persistent_volume_claim) return claim->claim_name;
  if (volume.source.ephemeral) return fmt::format("{}-{}", pod.metadata.name, volume.name);
  return std::nullopt;
}

std::optional<std::string> why_not_made_for(const api::Pod& pod, const api::PersistentVolumeClaim& claim) {
  const api::OwnerReference* owner = api::controller_of(claim.metadata);
  const bool is_same_namespace = claim.metadata.name_space == pod.metadata.name_space;
  if (is_same_namespace && owner != nullptr && owner->uid == pod.metadata.uid) return std::nullopt;
  return fmt::format("PVC {} was not created for pod {} (pod is not owner)", api::full_name(claim.metadata),
                     api::full_name(pod.metadata));
}

Symbol class_of(const api::PersistentVolumeClaim& claim) {
  if (const std::string* annotated = class_annotation(claim.metadata)) return Symbol(*annotated);
  return claim.spec.storage_class_name.value_or(Symbol());
}

Symbol class_of(const api::PersistentVolume& volume) {
  if (const std::string* annotated = class_annotation(volume.metadata)) return Symbol(*annotated);
  return volume.spec.storage_class_name;
}

bool is_fully_bound(const api::PersistentVolumeClaim& claim) {
  static const Symbol bind_completed("pv.kubernetes.io/bind-completed");
  return !claim.spec.volume_name.empty() && claim.metadata.annotations->contains(bind_completed);
}

std::string not_found(std::string_view resource, std::string_view name) {
  return fmt::format("{} \"{}\" not found", resource, name);
}

framework::Reason not_found_reason(std::string_view resource, std::string_view name) {
  return {framework::ReasonCode::kVolumeObjectNotFound, not_found(resource, name)};
}

}  // namespace berth::plugins
