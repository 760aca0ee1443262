// Volumes of a pod: the sources whose placement matters to the scheduler. A volume of any other kind (a config map, a
// projected token) is not kept at all, so that the random name of a pod's token volume does not tell pods of one
// template apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/meta.h"

namespace berth::api {

struct PersistentVolumeClaimVolumeSource {
  std::string claim_name;
  bool read_only = false;
  bool operator==(const PersistentVolumeClaimVolumeSource&) const = default;
};

struct GcePersistentDiskVolumeSource {
  std::string pd_name;
  Symbol fs_type;
  std::int32_t partition = 0;
  bool read_only = false;
  bool operator==(const GcePersistentDiskVolumeSource&) const = default;
};

struct AwsElasticBlockStoreVolumeSource {
  std::string volume_id;
  Symbol fs_type;
  std::int32_t partition = 0;
  bool read_only = false;
  bool operator==(const AwsElasticBlockStoreVolumeSource&) const = default;
};

struct RbdVolumeSource {
  std::vector<std::string> monitors;
  std::string image;
  Symbol fs_type;
  Symbol pool;
  Symbol user;
  bool read_only = false;
  bool operator==(const RbdVolumeSource&) const = default;
};

struct IscsiVolumeSource {
  std::string target_portal;
  std::string iqn;
  std::int32_t lun = 0;
  Symbol fs_type;
  bool read_only = false;
  bool operator==(const IscsiVolumeSource&) const = default;
};

struct AzureDiskVolumeSource {
  std::string disk_name;
  std::string disk_uri;
  std::optional<bool> read_only;
  std::optional<Symbol> kind;
  bool operator==(const AzureDiskVolumeSource&) const = default;
};

struct AzureFileVolumeSource {
  std::string secret_name;
  std::string share_name;
  bool read_only = false;
  bool operator==(const AzureFileVolumeSource&) const = default;
};

struct CinderVolumeSource {
  std::string volume_id;
  Symbol fs_type;
  bool read_only = false;
  bool operator==(const CinderVolumeSource&) const = default;
};

struct VsphereVirtualDiskVolumeSource {
  std::string volume_path;
  Symbol fs_type;
  bool operator==(const VsphereVirtualDiskVolumeSource&) const = default;
};

struct PortworxVolumeSource {
  std::string volume_id;
  Symbol fs_type;
  bool read_only = false;
  bool operator==(const PortworxVolumeSource&) const = default;
};

struct CsiVolumeSource {
  Symbol driver;
  std::optional<bool> read_only;
  std::optional<Symbol> fs_type;
  FlatMap<std::string> volume_attributes;
  bool operator==(const CsiVolumeSource&) const = default;
};

// An image that is mounted as a volume.
struct ImageVolumeSource {
  Symbol reference;
  bool operator==(const ImageVolumeSource&) const = default;
};

struct VolumeResourceRequirements {
  ResourceList limits;
  ResourceList requests;
  bool operator==(const VolumeResourceRequirements&) const = default;
};

struct TypedObjectReference {
  std::optional<Symbol> api_group;
  Symbol kind;
  std::string name;
  std::optional<Symbol> name_space;
  bool operator==(const TypedObjectReference&) const = default;
};

// Also the spec of a PersistentVolumeClaim object.
struct PersistentVolumeClaimSpec {
  std::vector<Symbol> access_modes;
  std::optional<LabelSelector> selector;
  VolumeResourceRequirements resources;
  std::string volume_name;
  std::optional<Symbol> storage_class_name;
  std::optional<Symbol> volume_mode;
  std::optional<TypedObjectReference> data_source;
  std::optional<TypedObjectReference> data_source_ref;
  std::optional<Symbol> volume_attributes_class_name;
  bool operator==(const PersistentVolumeClaimSpec&) const = default;
};

struct PersistentVolumeClaimTemplate {
  ObjectMeta metadata;
  PersistentVolumeClaimSpec spec;
  bool operator==(const PersistentVolumeClaimTemplate&) const = default;
};

struct EphemeralVolumeSource {
  Box<PersistentVolumeClaimTemplate> volume_claim_template;
  bool operator==(const EphemeralVolumeSource&) const = default;
};

struct VolumeSource {
  Box<GcePersistentDiskVolumeSource> gce_persistent_disk;
  Box<AwsElasticBlockStoreVolumeSource> aws_elastic_block_store;
  Box<IscsiVolumeSource> iscsi;
  Box<PersistentVolumeClaimVolumeSource> persistent_volume_claim;
  Box<RbdVolumeSource> rbd;
  Box<CinderVolumeSource> cinder;
  Box<AzureFileVolumeSource> azure_file;
  Box<VsphereVirtualDiskVolumeSource> vsphere_volume;
  Box<AzureDiskVolumeSource> azure_disk;
  Box<PortworxVolumeSource> portworx_volume;
  Box<CsiVolumeSource> csi;
  Box<EphemeralVolumeSource> ephemeral;
  Box<ImageVolumeSource> image;
  bool operator==(const VolumeSource&) const = default;
};

struct Volume {
  std::string name;
  VolumeSource source;
  bool operator==(const Volume&) const = default;
};

BERTH_HAS_SCHEMA(PersistentVolumeClaimVolumeSource);
BERTH_HAS_SCHEMA(GcePersistentDiskVolumeSource);
BERTH_HAS_SCHEMA(AwsElasticBlockStoreVolumeSource);
BERTH_HAS_SCHEMA(RbdVolumeSource);
BERTH_HAS_SCHEMA(IscsiVolumeSource);
BERTH_HAS_SCHEMA(AzureDiskVolumeSource);
BERTH_HAS_SCHEMA(AzureFileVolumeSource);
BERTH_HAS_SCHEMA(CinderVolumeSource);
BERTH_HAS_SCHEMA(VsphereVirtualDiskVolumeSource);
BERTH_HAS_SCHEMA(PortworxVolumeSource);
BERTH_HAS_SCHEMA(CsiVolumeSource);
BERTH_HAS_SCHEMA(ImageVolumeSource);
BERTH_HAS_SCHEMA(VolumeResourceRequirements);
BERTH_HAS_SCHEMA(TypedObjectReference);
BERTH_HAS_SCHEMA(PersistentVolumeClaimSpec);
BERTH_HAS_SCHEMA(PersistentVolumeClaimTemplate);
BERTH_HAS_SCHEMA(EphemeralVolumeSource);
BERTH_HAS_SCHEMA(VolumeSource);
BERTH_HAS_SCHEMA(Volume);

}  // namespace berth::api
