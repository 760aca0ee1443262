#include "berth/plugins/volume_claims.h"

#include <algorithm>

namespace berth::plugins {

std::optional<std::string_view> csi_driver_of_inline(const api::Volume& volume) {
  const api::VolumeSource& source = volume.source;
  if (source.gce_persistent_disk) return "pd.csi.storage.gke.io";
  if (source.aws_elastic_block_store) return "ebs.csi.aws.com";
  if (source.cinder) return "cinder.csi.openstack.org";
  if (source.azure_disk) return "disk.csi.azure.com";
  if (source.azure_file) return "file.csi.azure.com";
  if (source.vsphere_volume) return "csi.vsphere.vmware.com";
  if (source.portworx_volume) return "pxd.portworx.com";
  return std::nullopt;
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

}  // namespace berth::plugins
