#include "berth/api/volume.h"

namespace berth::api {

template <>
const Schema& schema_of<PersistentVolumeClaimVolumeSource>() {
  static const Schema schema("PersistentVolumeClaimVolumeSource",
                             {
                                 field<&PersistentVolumeClaimVolumeSource::claim_name>("claimName", 1, kAlways),
                                 field<&PersistentVolumeClaimVolumeSource::read_only>("readOnly", 2),
                             });
  return schema;
}

template <>
const Schema& schema_of<GcePersistentDiskVolumeSource>() {
  static const Schema schema("GCEPersistentDiskVolumeSource",
                             {
                                 field<&GcePersistentDiskVolumeSource::pd_name>("pdName", 1, kAlways),
                                 field<&GcePersistentDiskVolumeSource::fs_type>("fsType", 2),
                                 field<&GcePersistentDiskVolumeSource::partition>("partition", 3),
                                 field<&GcePersistentDiskVolumeSource::read_only>("readOnly", 4),
                             });
  return schema;
}

template <>
const Schema& schema_of<AwsElasticBlockStoreVolumeSource>() {
  static const Schema schema("AWSElasticBlockStoreVolumeSource",
                             {
                                 field<&AwsElasticBlockStoreVolumeSource::volume_id>("volumeID", 1, kAlways),
                                 field<&AwsElasticBlockStoreVolumeSource::fs_type>("fsType", 2),
                                 field<&AwsElasticBlockStoreVolumeSource::partition>("partition", 3),
                                 field<&AwsElasticBlockStoreVolumeSource::read_only>("readOnly", 4),
                             });
  return schema;
}

template <>
const Schema& schema_of<RbdVolumeSource>() {
  static const Schema schema("RBDVolumeSource", {
                                                    field<&RbdVolumeSource::monitors>("monitors", 1, kAlways),
                                                    field<&RbdVolumeSource::image>("image", 2, kAlways),
                                                    field<&RbdVolumeSource::fs_type>("fsType", 3),
                                                    field<&RbdVolumeSource::pool>("pool", 4),
                                                    field<&RbdVolumeSource::user>("user", 5),
                                                    field<&RbdVolumeSource::read_only>("readOnly", 8),
                                                });
  return schema;
}

template <>
const Schema& schema_of<IscsiVolumeSource>() {
  static const Schema schema("ISCSIVolumeSource",
                             {
                                 field<&IscsiVolumeSource::target_portal>("targetPortal", 1, kAlways),
                                 field<&IscsiVolumeSource::iqn>("iqn", 2, kAlways),
                                 field<&IscsiVolumeSource::lun>("lun", 3, kAlways),
                                 field<&IscsiVolumeSource::fs_type>("fsType", 5),
                                 field<&IscsiVolumeSource::read_only>("readOnly", 6),
                             });
  return schema;
}

template <>
const Schema& schema_of<AzureDiskVolumeSource>() {
  static const Schema schema("AzureDiskVolumeSource",
                             {
                                 field<&AzureDiskVolumeSource::disk_name>("diskName", 1, kAlways),
                                 field<&AzureDiskVolumeSource::disk_uri>("diskURI", 2, kAlways),
                                 field<&AzureDiskVolumeSource::read_only>("readOnly", 5),
                                 field<&AzureDiskVolumeSource::kind>("kind", 6),
                             });
  return schema;
}

template <>
const Schema& schema_of<AzureFileVolumeSource>() {
  static const Schema schema("AzureFileVolumeSource",
                             {
                                 field<&AzureFileVolumeSource::secret_name>("secretName", 1, kAlways),
                                 field<&AzureFileVolumeSource::share_name>("shareName", 2, kAlways),
                                 field<&AzureFileVolumeSource::read_only>("readOnly", 3),
                             });
  return schema;
}

template <>
const Schema& schema_of<CinderVolumeSource>() {
  static const Schema schema("CinderVolumeSource", {
                                                       field<&CinderVolumeSource::volume_id>("volumeID", 1, kAlways),
                                                       field<&CinderVolumeSource::fs_type>("fsType", 2),
                                                       field<&CinderVolumeSource::read_only>("readOnly", 3),
                                                   });
  return schema;
}

template <>
const Schema& schema_of<VsphereVirtualDiskVolumeSource>() {
  static const Schema schema("VsphereVirtualDiskVolumeSource",
                             {
                                 field<&VsphereVirtualDiskVolumeSource::volume_path>("volumePath", 1, kAlways),
                                 field<&VsphereVirtualDiskVolumeSource::fs_type>("fsType", 2),
                             });
  return schema;
}

template <>
const Schema& schema_of<PortworxVolumeSource>() {
  static const Schema schema("PortworxVolumeSource",
                             {
                                 field<&PortworxVolumeSource::volume_id>("volumeID", 1, kAlways),
                                 field<&PortworxVolumeSource::fs_type>("fsType", 2),
                                 field<&PortworxVolumeSource::read_only>("readOnly", 3),
                             });
  return schema;
}

template <>
const Schema& schema_of<CsiVolumeSource>() {
  static const Schema schema("CSIVolumeSource", {
                                                    field<&CsiVolumeSource::driver>("driver", 1, kAlways),
                                                    field<&CsiVolumeSource::read_only>("readOnly", 2),
                                                    field<&CsiVolumeSource::fs_type>("fsType", 3),
                                                    field<&CsiVolumeSource::volume_attributes>("volumeAttributes", 4),
                                                });
  return schema;
}

template <>
const Schema& schema_of<ImageVolumeSource>() {
  static const Schema schema("ImageVolumeSource", {
                                                      field<&ImageVolumeSource::reference>("reference", 1),
                                                  });
  return schema;
}

template <>
const Schema& schema_of<VolumeResourceRequirements>() {
  static const Schema schema("VolumeResourceRequirements",
                             {
                                 field<&VolumeResourceRequirements::limits>("limits", 1),
                                 field<&VolumeResourceRequirements::requests>("requests", 2),
                             });
  return schema;
}

template <>
const Schema& schema_of<TypedObjectReference>() {
  static const Schema schema("TypedObjectReference",
                             {
                                 field<&TypedObjectReference::api_group>("apiGroup", 1, kAlways),
                                 field<&TypedObjectReference::kind>("kind", 2, kAlways),
                                 field<&TypedObjectReference::name>("name", 3, kAlways),
                                 field<&TypedObjectReference::name_space>("namespace", 4),
                             });
  return schema;
}

template <>
const Schema& schema_of<PersistentVolumeClaimSpec>() {
  static const Schema schema(
      "PersistentVolumeClaimSpec",
      {
          field<&PersistentVolumeClaimSpec::access_modes>("accessModes", 1),
          field<&PersistentVolumeClaimSpec::selector>("selector", 4),
          field<&PersistentVolumeClaimSpec::resources>("resources", 2, kAlways),
          field<&PersistentVolumeClaimSpec::volume_name>("volumeName", 3),
          field<&PersistentVolumeClaimSpec::storage_class_name>("storageClassName", 5),
          field<&PersistentVolumeClaimSpec::volume_mode>("volumeMode", 6),
          field<&PersistentVolumeClaimSpec::data_source>("dataSource", 7),
          field<&PersistentVolumeClaimSpec::data_source_ref>("dataSourceRef", 8),
          field<&PersistentVolumeClaimSpec::volume_attributes_class_name>("volumeAttributesClassName", 9),
      });
  return schema;
}

template <>
const Schema& schema_of<PersistentVolumeClaimTemplate>() {
  static const Schema schema("PersistentVolumeClaimTemplate",
                             {
                                 field<&PersistentVolumeClaimTemplate::metadata>("metadata", 1, kAlways),
                                 field<&PersistentVolumeClaimTemplate::spec>("spec", 2, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<EphemeralVolumeSource>() {
  static const Schema schema("EphemeralVolumeSource",
                             {
                                 field<&EphemeralVolumeSource::volume_claim_template>("volumeClaimTemplate", 1),
                             });
  return schema;
}

template <>
const Schema& schema_of<VolumeSource>() {
  static const Schema schema("VolumeSource",
                             {
                                 field<&VolumeSource::gce_persistent_disk>("gcePersistentDisk", 3),
                                 field<&VolumeSource::aws_elastic_block_store>("awsElasticBlockStore", 4),
                                 field<&VolumeSource::iscsi>("iscsi", 8),
                                 field<&VolumeSource::persistent_volume_claim>("persistentVolumeClaim", 10),
                                 field<&VolumeSource::rbd>("rbd", 11),
                                 field<&VolumeSource::cinder>("cinder", 13),
                                 field<&VolumeSource::azure_file>("azureFile", 18),
                                 field<&VolumeSource::vsphere_volume>("vsphereVolume", 20),
                                 field<&VolumeSource::azure_disk>("azureDisk", 22),
                                 field<&VolumeSource::portworx_volume>("portworxVolume", 24),
                                 field<&VolumeSource::csi>("csi", 28),
                                 field<&VolumeSource::ephemeral>("ephemeral", 29),
                                 field<&VolumeSource::image>("image", 30),
                             });
  return schema;
}

template <>
const Schema& schema_of<Volume>() {
  static const Schema schema("Volume", {
                                           field<&Volume::name>("name", 1, kAlways),
                                           inline_field<&Volume::source>(2),
                                       });
  return schema;
}

}  // namespace berth::api
