// Storage objects that decide where a pod can go: volumes and claims, their classes, and what CSI drivers say about
// nodes, limits and free capacity.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/meta.h"
#include "berth/api/pod.h"
#include "berth/api/volume.h"

namespace berth::api {

struct AzureFilePersistentVolumeSource {
  std::string secret_name;
  std::string share_name;
  bool read_only = false;
  std::optional<Symbol> secret_namespace;
  bool operator==(const AzureFilePersistentVolumeSource&) const = default;
};

struct CinderPersistentVolumeSource {
  std::string volume_id;
  Symbol fs_type;
  bool read_only = false;
  bool operator==(const CinderPersistentVolumeSource&) const = default;
};

struct CsiPersistentVolumeSource {
  Symbol driver;
  std::string volume_handle;
  bool read_only = false;
  Symbol fs_type;
  FlatMap<std::string> volume_attributes;
  bool operator==(const CsiPersistentVolumeSource&) const = default;
};

struct LocalVolumeSource {
  std::string path;
  std::optional<Symbol> fs_type;
  bool operator==(const LocalVolumeSource&) const = default;
};

struct HostPathVolumeSource {
  std::string path;
  std::optional<Symbol> type;
  bool operator==(const HostPathVolumeSource&) const = default;
};

struct NfsVolumeSource {
  std::string server;
  std::string path;
  bool read_only = false;
  bool operator==(const NfsVolumeSource&) const = default;
};

struct PersistentVolumeSource {
  Box<GcePersistentDiskVolumeSource> gce_persistent_disk;
  Box<AwsElasticBlockStoreVolumeSource> aws_elastic_block_store;
  Box<HostPathVolumeSource> host_path;
  Box<NfsVolumeSource> nfs;
  Box<CinderPersistentVolumeSource> cinder;
  Box<AzureFilePersistentVolumeSource> azure_file;
  Box<VsphereVirtualDiskVolumeSource> vsphere_volume;
  Box<AzureDiskVolumeSource> azure_disk;
  Box<PortworxVolumeSource> portworx_volume;
  Box<LocalVolumeSource> local;
  Box<CsiPersistentVolumeSource> csi;
  bool operator==(const PersistentVolumeSource&) const = default;
};

struct VolumeNodeAffinity {
  std::optional<NodeSelector> required;
  bool operator==(const VolumeNodeAffinity&) const = default;
};

struct PersistentVolumeSpec {
  ResourceList capacity;
  PersistentVolumeSource source;
  std::vector<Symbol> access_modes;
  Box<ObjectReference> claim_ref;
  Symbol persistent_volume_reclaim_policy;
  Symbol storage_class_name;
  std::optional<Symbol> volume_mode;
  Interned<std::optional<VolumeNodeAffinity>> node_affinity;
  std::optional<Symbol> volume_attributes_class_name;
  bool operator==(const PersistentVolumeSpec&) const = default;
};

struct PersistentVolumeStatus {
  Symbol phase;
  std::string message;
  Symbol reason;
  Instant last_phase_transition_time;
  bool operator==(const PersistentVolumeStatus&) const = default;
};

struct PersistentVolume {
  ObjectMeta metadata;
  PersistentVolumeSpec spec;
  PersistentVolumeStatus status;
  bool operator==(const PersistentVolume&) const = default;
};

struct PersistentVolumeClaimStatus {
  Symbol phase;
  std::vector<Symbol> access_modes;
  ResourceList capacity;
  std::optional<Symbol> current_volume_attributes_class_name;
  bool operator==(const PersistentVolumeClaimStatus&) const = default;
};

struct PersistentVolumeClaim {
  ObjectMeta metadata;
  PersistentVolumeClaimSpec spec;
  PersistentVolumeClaimStatus status;
  bool operator==(const PersistentVolumeClaim&) const = default;
};

struct TopologySelectorLabelRequirement {
  Symbol key;
  std::vector<Symbol> values;
  bool operator==(const TopologySelectorLabelRequirement&) const = default;
};

struct TopologySelectorTerm {
  std::vector<TopologySelectorLabelRequirement> match_label_expressions;
  bool operator==(const TopologySelectorTerm&) const = default;
};

struct StorageClass {
  ObjectMeta metadata;
  Symbol provisioner;
  FlatMap<std::string> parameters;
  std::optional<Symbol> reclaim_policy;
  std::optional<bool> allow_volume_expansion;
  std::optional<Symbol> volume_binding_mode;
  std::vector<TopologySelectorTerm> allowed_topologies;
  bool operator==(const StorageClass&) const = default;
};

struct VolumeNodeResources {
  std::optional<std::int32_t> count;
  bool operator==(const VolumeNodeResources&) const = default;
};

struct CsiNodeDriver {
  Symbol name;
  std::string node_id;
  std::vector<Symbol> topology_keys;
  std::optional<VolumeNodeResources> allocatable;
  bool operator==(const CsiNodeDriver&) const = default;
};

struct CsiNodeSpec {
  std::vector<CsiNodeDriver> drivers;
  bool operator==(const CsiNodeSpec&) const = default;
};

// Named after its node.
struct CsiNode {
  ObjectMeta metadata;
  CsiNodeSpec spec;
  bool operator==(const CsiNode&) const = default;
};

struct CsiDriverSpec {
  std::optional<bool> attach_required;
  std::vector<Symbol> volume_lifecycle_modes;
  std::optional<bool> storage_capacity;
  std::optional<bool> prevent_pod_scheduling_if_missing;
  bool operator==(const CsiDriverSpec&) const = default;
};

struct CsiDriver {
  ObjectMeta metadata;
  CsiDriverSpec spec;
  bool operator==(const CsiDriver&) const = default;
};

struct CsiStorageCapacity {
  ObjectMeta metadata;
  std::optional<LabelSelector> node_topology;
  Symbol storage_class_name;
  std::optional<Quantity> capacity;
  std::optional<Quantity> maximum_volume_size;
  bool operator==(const CsiStorageCapacity&) const = default;
};

struct VolumeAttachmentSource {
  std::optional<std::string> persistent_volume_name;
  Box<PersistentVolumeSpec> inline_volume_spec;
  bool operator==(const VolumeAttachmentSource&) const = default;
};

struct VolumeAttachmentSpec {
  Symbol attacher;
  VolumeAttachmentSource source;
  Symbol node_name;
  bool operator==(const VolumeAttachmentSpec&) const = default;
};

struct VolumeAttachmentStatus {
  bool attached = false;
  bool operator==(const VolumeAttachmentStatus&) const = default;
};

struct VolumeAttachment {
  ObjectMeta metadata;
  VolumeAttachmentSpec spec;
  VolumeAttachmentStatus status;
  bool operator==(const VolumeAttachment&) const = default;
};

BERTH_HAS_SCHEMA(AzureFilePersistentVolumeSource);
BERTH_HAS_SCHEMA(CinderPersistentVolumeSource);
BERTH_HAS_SCHEMA(CsiPersistentVolumeSource);
BERTH_HAS_SCHEMA(LocalVolumeSource);
BERTH_HAS_SCHEMA(HostPathVolumeSource);
BERTH_HAS_SCHEMA(NfsVolumeSource);
BERTH_HAS_SCHEMA(PersistentVolumeSource);
BERTH_HAS_SCHEMA(VolumeNodeAffinity);
BERTH_HAS_SCHEMA(PersistentVolumeSpec);
BERTH_HAS_SCHEMA(PersistentVolumeStatus);
BERTH_HAS_SCHEMA(PersistentVolume);
BERTH_HAS_SCHEMA(PersistentVolumeClaimStatus);
BERTH_HAS_SCHEMA(PersistentVolumeClaim);
BERTH_HAS_SCHEMA(TopologySelectorLabelRequirement);
BERTH_HAS_SCHEMA(TopologySelectorTerm);
BERTH_HAS_SCHEMA(StorageClass);
BERTH_HAS_SCHEMA(VolumeNodeResources);
BERTH_HAS_SCHEMA(CsiNodeDriver);
BERTH_HAS_SCHEMA(CsiNodeSpec);
BERTH_HAS_SCHEMA(CsiNode);
BERTH_HAS_SCHEMA(CsiDriverSpec);
BERTH_HAS_SCHEMA(CsiDriver);
BERTH_HAS_SCHEMA(CsiStorageCapacity);
BERTH_HAS_SCHEMA(VolumeAttachmentSource);
BERTH_HAS_SCHEMA(VolumeAttachmentSpec);
BERTH_HAS_SCHEMA(VolumeAttachmentStatus);
BERTH_HAS_SCHEMA(VolumeAttachment);

}  // namespace berth::api
