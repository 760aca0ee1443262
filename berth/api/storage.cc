#include "berth/api/storage.h"

namespace berth::api {

template <>
const Schema& schema_of<AzureFilePersistentVolumeSource>() {
  static const Schema schema(
      "AzureFilePersistentVolumeSource",
      {
          field<&AzureFilePersistentVolumeSource::secret_name>("secretName", 1, kAlways),
          field<&AzureFilePersistentVolumeSource::share_name>("shareName", 2, kAlways),
          field<&AzureFilePersistentVolumeSource::read_only>("readOnly", 3),
          field<&AzureFilePersistentVolumeSource::secret_namespace>("secretNamespace", 4, kAlways),
      });
  return schema;
}

template <>
const Schema& schema_of<CinderPersistentVolumeSource>() {
  static const Schema schema("CinderPersistentVolumeSource",
                             {
                                 field<&CinderPersistentVolumeSource::volume_id>("volumeID", 1, kAlways),
                                 field<&CinderPersistentVolumeSource::fs_type>("fsType", 2),
                                 field<&CinderPersistentVolumeSource::read_only>("readOnly", 3),
                             });
  return schema;
}

template <>
const Schema& schema_of<CsiPersistentVolumeSource>() {
  static const Schema schema("CSIPersistentVolumeSource",
                             {
                                 field<&CsiPersistentVolumeSource::driver>("driver", 1, kAlways),
                                 field<&CsiPersistentVolumeSource::volume_handle>("volumeHandle", 2, kAlways),
                                 field<&CsiPersistentVolumeSource::read_only>("readOnly", 3),
                                 field<&CsiPersistentVolumeSource::fs_type>("fsType", 4),
                                 field<&CsiPersistentVolumeSource::volume_attributes>("volumeAttributes", 5),
                             });
  return schema;
}

template <>
const Schema& schema_of<LocalVolumeSource>() {
  static const Schema schema("LocalVolumeSource", {
                                                      field<&LocalVolumeSource::path>("path", 1, kAlways),
                                                      field<&LocalVolumeSource::fs_type>("fsType", 2),
                                                  });
  return schema;
}

template <>
const Schema& schema_of<HostPathVolumeSource>() {
  static const Schema schema("HostPathVolumeSource", {
                                                         field<&HostPathVolumeSource::path>("path", 1, kAlways),
                                                         field<&HostPathVolumeSource::type>("type", 2),
                                                     });
  return schema;
}

template <>
const Schema& schema_of<NfsVolumeSource>() {
  static const Schema schema("NFSVolumeSource", {
                                                    field<&NfsVolumeSource::server>("server", 1, kAlways),
                                                    field<&NfsVolumeSource::path>("path", 2, kAlways),
                                                    field<&NfsVolumeSource::read_only>("readOnly", 3),
                                                });
  return schema;
}

template <>
const Schema& schema_of<PersistentVolumeSource>() {
  static const Schema schema("PersistentVolumeSource",
                             {
                                 field<&PersistentVolumeSource::gce_persistent_disk>("gcePersistentDisk", 1),
                                 field<&PersistentVolumeSource::aws_elastic_block_store>("awsElasticBlockStore", 2),
                                 field<&PersistentVolumeSource::host_path>("hostPath", 3),
                                 field<&PersistentVolumeSource::nfs>("nfs", 5),
                                 field<&PersistentVolumeSource::cinder>("cinder", 8),
                                 field<&PersistentVolumeSource::azure_file>("azureFile", 13),
                                 field<&PersistentVolumeSource::vsphere_volume>("vsphereVolume", 14),
                                 field<&PersistentVolumeSource::azure_disk>("azureDisk", 16),
                                 field<&PersistentVolumeSource::portworx_volume>("portworxVolume", 18),
                                 field<&PersistentVolumeSource::local>("local", 20),
                                 field<&PersistentVolumeSource::csi>("csi", 22),
                             });
  return schema;
}

template <>
const Schema& schema_of<VolumeNodeAffinity>() {
  static const Schema schema("VolumeNodeAffinity", {
                                                       field<&VolumeNodeAffinity::required>("required", 1),
                                                   });
  return schema;
}

template <>
const Schema& schema_of<PersistentVolumeSpec>() {
  static const Schema schema(
      "PersistentVolumeSpec",
      {
          field<&PersistentVolumeSpec::capacity>("capacity", 1),
          inline_field<&PersistentVolumeSpec::source>(2),
          field<&PersistentVolumeSpec::access_modes>("accessModes", 3),
          field<&PersistentVolumeSpec::claim_ref>("claimRef", 4),
          field<&PersistentVolumeSpec::persistent_volume_reclaim_policy>("persistentVolumeReclaimPolicy", 5),
          field<&PersistentVolumeSpec::storage_class_name>("storageClassName", 6),
          field<&PersistentVolumeSpec::volume_mode>("volumeMode", 8),
          field<&PersistentVolumeSpec::node_affinity>("nodeAffinity", 9),
          field<&PersistentVolumeSpec::volume_attributes_class_name>("volumeAttributesClassName", 10),
      });
  return schema;
}

template <>
const Schema& schema_of<PersistentVolumeStatus>() {
  static const Schema schema("PersistentVolumeStatus", {
                                                           field<&PersistentVolumeStatus::phase>("phase", 1),
                                                           field<&PersistentVolumeStatus::message>("message", 2),
                                                           field<&PersistentVolumeStatus::reason>("reason", 3),
                                                           field<&PersistentVolumeStatus::last_phase_transition_time>(
                                                               "lastPhaseTransitionTime", 4),
                                                       });
  return schema;
}

template <>
const Schema& schema_of<PersistentVolume>() {
  static const Schema schema("PersistentVolume", {
                                                     field<&PersistentVolume::metadata>("metadata", 1, kAlways),
                                                     field<&PersistentVolume::spec>("spec", 2, kAlways),
                                                     field<&PersistentVolume::status>("status", 3, kAlways),
                                                 });
  return schema;
}

template <>
const Schema& schema_of<PersistentVolumeClaimStatus>() {
  static const Schema schema("PersistentVolumeClaimStatus",
                             {
                                 field<&PersistentVolumeClaimStatus::phase>("phase", 1),
                                 field<&PersistentVolumeClaimStatus::access_modes>("accessModes", 2),
                                 field<&PersistentVolumeClaimStatus::capacity>("capacity", 3),
                                 field<&PersistentVolumeClaimStatus::current_volume_attributes_class_name>(
                                     "currentVolumeAttributesClassName", 8),
                             });
  return schema;
}

template <>
const Schema& schema_of<PersistentVolumeClaim>() {
  static const Schema schema("PersistentVolumeClaim",
                             {
                                 field<&PersistentVolumeClaim::metadata>("metadata", 1, kAlways),
                                 field<&PersistentVolumeClaim::spec>("spec", 2, kAlways),
                                 field<&PersistentVolumeClaim::status>("status", 3, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<TopologySelectorLabelRequirement>() {
  static const Schema schema("TopologySelectorLabelRequirement",
                             {
                                 field<&TopologySelectorLabelRequirement::key>("key", 1, kAlways),
                                 field<&TopologySelectorLabelRequirement::values>("values", 2, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<TopologySelectorTerm>() {
  static const Schema schema("TopologySelectorTerm",
                             {
                                 field<&TopologySelectorTerm::match_label_expressions>("matchLabelExpressions", 1),
                             });
  return schema;
}

template <>
const Schema& schema_of<StorageClass>() {
  static const Schema schema("StorageClass",
                             {
                                 field<&StorageClass::metadata>("metadata", 1, kAlways),
                                 field<&StorageClass::provisioner>("provisioner", 2, kAlways),
                                 field<&StorageClass::parameters>("parameters", 3),
                                 field<&StorageClass::reclaim_policy>("reclaimPolicy", 4),
                                 field<&StorageClass::allow_volume_expansion>("allowVolumeExpansion", 6),
                                 field<&StorageClass::volume_binding_mode>("volumeBindingMode", 7),
                                 field<&StorageClass::allowed_topologies>("allowedTopologies", 8),
                             });
  return schema;
}

template <>
const Schema& schema_of<VolumeNodeResources>() {
  static const Schema schema("VolumeNodeResources", {
                                                        field<&VolumeNodeResources::count>("count", 1),
                                                    });
  return schema;
}

template <>
const Schema& schema_of<CsiNodeDriver>() {
  static const Schema schema("CSINodeDriver", {
                                                  field<&CsiNodeDriver::name>("name", 1, kAlways),
                                                  field<&CsiNodeDriver::node_id>("nodeID", 2, kAlways),
                                                  field<&CsiNodeDriver::topology_keys>("topologyKeys", 3, kAlways),
                                                  field<&CsiNodeDriver::allocatable>("allocatable", 4),
                                              });
  return schema;
}

template <>
const Schema& schema_of<CsiNodeSpec>() {
  static const Schema schema("CSINodeSpec", {
                                                field<&CsiNodeSpec::drivers>("drivers", 1, kAlways),
                                            });
  return schema;
}

template <>
const Schema& schema_of<CsiNode>() {
  static const Schema schema("CSINode", {
                                            field<&CsiNode::metadata>("metadata", 1, kAlways),
                                            field<&CsiNode::spec>("spec", 2, kAlways),
                                        });
  return schema;
}

template <>
const Schema& schema_of<CsiDriverSpec>() {
  static const Schema schema(
      "CSIDriverSpec",
      {
          field<&CsiDriverSpec::attach_required>("attachRequired", 1),
          field<&CsiDriverSpec::volume_lifecycle_modes>("volumeLifecycleModes", 3),
          field<&CsiDriverSpec::storage_capacity>("storageCapacity", 4),
          field<&CsiDriverSpec::prevent_pod_scheduling_if_missing>("preventPodSchedulingIfMissing", 11),
      });
  return schema;
}

template <>
const Schema& schema_of<CsiDriver>() {
  static const Schema schema("CSIDriver", {
                                              field<&CsiDriver::metadata>("metadata", 1, kAlways),
                                              field<&CsiDriver::spec>("spec", 2, kAlways),
                                          });
  return schema;
}

template <>
const Schema& schema_of<CsiStorageCapacity>() {
  static const Schema schema("CSIStorageCapacity",
                             {
                                 field<&CsiStorageCapacity::metadata>("metadata", 1, kAlways),
                                 field<&CsiStorageCapacity::node_topology>("nodeTopology", 2),
                                 field<&CsiStorageCapacity::storage_class_name>("storageClassName", 3, kAlways),
                                 field<&CsiStorageCapacity::capacity>("capacity", 4),
                                 field<&CsiStorageCapacity::maximum_volume_size>("maximumVolumeSize", 5),
                             });
  return schema;
}

template <>
const Schema& schema_of<VolumeAttachmentSource>() {
  static const Schema schema("VolumeAttachmentSource",
                             {
                                 field<&VolumeAttachmentSource::persistent_volume_name>("persistentVolumeName", 1),
                                 field<&VolumeAttachmentSource::inline_volume_spec>("inlineVolumeSpec", 2),
                             });
  return schema;
}

template <>
const Schema& schema_of<VolumeAttachmentSpec>() {
  static const Schema schema("VolumeAttachmentSpec",
                             {
                                 field<&VolumeAttachmentSpec::attacher>("attacher", 1, kAlways),
                                 field<&VolumeAttachmentSpec::source>("source", 2, kAlways),
                                 field<&VolumeAttachmentSpec::node_name>("nodeName", 3, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<VolumeAttachmentStatus>() {
  static const Schema schema("VolumeAttachmentStatus",
                             {
                                 field<&VolumeAttachmentStatus::attached>("attached", 1, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<VolumeAttachment>() {
  static const Schema schema("VolumeAttachment", {
                                                     field<&VolumeAttachment::metadata>("metadata", 1, kAlways),
                                                     field<&VolumeAttachment::spec>("spec", 2, kAlways),
                                                     field<&VolumeAttachment::status>("status", 3, kAlways),
                                                 });
  return schema;
}

}  // namespace berth::api
