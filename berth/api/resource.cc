#include "berth/api/resource.h"

namespace berth::api {

template <>
const Schema& schema_of<Counter>() {
  static const Schema schema("Counter", {
                                            field<&Counter::value>("value", 1, kAlways),
                                        });
  return schema;
}

template <>
const Schema& schema_of<CounterSet>() {
  static const Schema schema("CounterSet", {
                                               field<&CounterSet::name>("name", 1, kAlways),
                                               field<&CounterSet::counters>("counters", 2),
                                           });
  return schema;
}

template <>
const Schema& schema_of<ResourcePool>() {
  static const Schema schema("ResourcePool",
                             {
                                 field<&ResourcePool::name>("name", 1, kAlways),
                                 field<&ResourcePool::generation>("generation", 2, kAlways),
                                 field<&ResourcePool::resource_slice_count>("resourceSliceCount", 3, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<DeviceAttribute>() {
  static const Schema schema("DeviceAttribute", {
                                                    field<&DeviceAttribute::int_value>("int", 2),
                                                    field<&DeviceAttribute::bool_value>("bool", 3),
                                                    field<&DeviceAttribute::string_value>("string", 4),
                                                    field<&DeviceAttribute::version_value>("version", 5),
                                                    field<&DeviceAttribute::int_values>("ints", 6),
                                                    field<&DeviceAttribute::bool_values>("bools", 7),
                                                    field<&DeviceAttribute::string_values>("strings", 8),
                                                    field<&DeviceAttribute::version_values>("versions", 9),
                                                });
  return schema;
}

template <>
const Schema& schema_of<CapacityRequestPolicyRange>() {
  static const Schema schema("CapacityRequestPolicyRange", {
                                                               field<&CapacityRequestPolicyRange::min>("min", 1),
                                                               field<&CapacityRequestPolicyRange::max>("max", 2),
                                                               field<&CapacityRequestPolicyRange::step>("step", 3),
                                                           });
  return schema;
}

template <>
const Schema& schema_of<CapacityRequestPolicy>() {
  static const Schema schema("CapacityRequestPolicy",
                             {
                                 field<&CapacityRequestPolicy::default_value>("default", 1, kAlways),
                                 field<&CapacityRequestPolicy::valid_values>("validValues", 3),
                                 field<&CapacityRequestPolicy::valid_range>("validRange", 4),
                             });
  return schema;
}

template <>
const Schema& schema_of<DeviceCapacity>() {
  static const Schema schema("DeviceCapacity", {
                                                   field<&DeviceCapacity::value>("value", 1, kAlways),
                                                   field<&DeviceCapacity::request_policy>("requestPolicy", 2),
                                               });
  return schema;
}

template <>
const Schema& schema_of<DeviceCounterConsumption>() {
  static const Schema schema("DeviceCounterConsumption",
                             {
                                 field<&DeviceCounterConsumption::counter_set>("counterSet", 1, kAlways),
                                 field<&DeviceCounterConsumption::counters>("counters", 2),
                             });
  return schema;
}

template <>
const Schema& schema_of<DeviceTaint>() {
  static const Schema schema("DeviceTaint", {
                                                field<&DeviceTaint::key>("key", 1, kAlways),
                                                field<&DeviceTaint::value>("value", 2),
                                                field<&DeviceTaint::effect>("effect", 3, kAlways),
                                                field<&DeviceTaint::time_added>("timeAdded", 4),
                                            });
  return schema;
}

template <>
const Schema& schema_of<NodeAllocatableResourceMapping>() {
  static const Schema schema(
      "NodeAllocatableResourceMapping",
      {
          field<&NodeAllocatableResourceMapping::capacity_key>("capacityKey", 1),
          field<&NodeAllocatableResourceMapping::allocation_multiplier>("allocationMultiplier", 2),
      });
  return schema;
}

template <>
const Schema& schema_of<Device>() {
  static const Schema schema(
      "Device", {
                    field<&Device::name>("name", 1, kAlways),
                    field<&Device::attributes>("attributes", 2),
                    field<&Device::capacity>("capacity", 3),
                    field<&Device::consumes_counters>("consumesCounters", 4),
                    field<&Device::node_name>("nodeName", 5),
                    field<&Device::node_selector>("nodeSelector", 6),
                    field<&Device::all_nodes>("allNodes", 7),
                    field<&Device::taints>("taints", 8),
                    field<&Device::binds_to_node>("bindsToNode", 9),
                    field<&Device::binding_conditions>("bindingConditions", 10),
                    field<&Device::binding_failure_conditions>("bindingFailureConditions", 11),
                    field<&Device::allow_multiple_allocations>("allowMultipleAllocations", 12),
                    field<&Device::node_allocatable_resource_mappings>("nodeAllocatableResourceMappings", 13),
                });
  return schema;
}

template <>
const Schema& schema_of<ResourceSliceSpec>() {
  static const Schema schema("ResourceSliceSpec",
                             {
                                 field<&ResourceSliceSpec::driver>("driver", 1, kAlways),
                                 field<&ResourceSliceSpec::pool>("pool", 2, kAlways),
                                 field<&ResourceSliceSpec::node_name>("nodeName", 3),
                                 field<&ResourceSliceSpec::node_selector>("nodeSelector", 4),
                                 field<&ResourceSliceSpec::all_nodes>("allNodes", 5),
                                 field<&ResourceSliceSpec::devices>("devices", 6),
                                 field<&ResourceSliceSpec::per_device_node_selection>("perDeviceNodeSelection", 7),
                                 field<&ResourceSliceSpec::shared_counters>("sharedCounters", 8),
                             });
  return schema;
}

template <>
const Schema& schema_of<ResourceSlice>() {
  static const Schema schema("ResourceSlice", {
                                                  field<&ResourceSlice::metadata>("metadata", 1, kAlways),
                                                  field<&ResourceSlice::spec>("spec", 2, kAlways),
                                              });
  return schema;
}

template <>
const Schema& schema_of<CelDeviceSelector>() {
  static const Schema schema("CELDeviceSelector", {
                                                      field<&CelDeviceSelector::expression>("expression", 1, kAlways),
                                                  });
  return schema;
}

template <>
const Schema& schema_of<DeviceSelector>() {
  static const Schema schema("DeviceSelector", {
                                                   field<&DeviceSelector::cel>("cel", 1),
                                               });
  return schema;
}

template <>
const Schema& schema_of<DeviceToleration>() {
  static const Schema schema("DeviceToleration",
                             {
                                 field<&DeviceToleration::key>("key", 1),
                                 field<&DeviceToleration::op>("operator", 2),
                                 field<&DeviceToleration::value>("value", 3),
                                 field<&DeviceToleration::effect>("effect", 4),
                                 field<&DeviceToleration::toleration_seconds>("tolerationSeconds", 5),
                             });
  return schema;
}

template <>
const Schema& schema_of<CapacityRequirements>() {
  static const Schema schema("CapacityRequirements", {
                                                         field<&CapacityRequirements::requests>("requests", 1),
                                                     });
  return schema;
}

template <>
const Schema& schema_of<ExactDeviceRequest>() {
  static const Schema schema("ExactDeviceRequest",
                             {
                                 field<&ExactDeviceRequest::device_class_name>("deviceClassName", 1, kAlways),
                                 field<&ExactDeviceRequest::selectors>("selectors", 2),
                                 field<&ExactDeviceRequest::allocation_mode>("allocationMode", 3),
                                 field<&ExactDeviceRequest::count>("count", 4),
                                 field<&ExactDeviceRequest::admin_access>("adminAccess", 5),
                                 field<&ExactDeviceRequest::tolerations>("tolerations", 6),
                                 field<&ExactDeviceRequest::capacity>("capacity", 7),
                             });
  return schema;
}

template <>
const Schema& schema_of<DeviceSubRequest>() {
  static const Schema schema("DeviceSubRequest",
                             {
                                 field<&DeviceSubRequest::name>("name", 1, kAlways),
                                 field<&DeviceSubRequest::device_class_name>("deviceClassName", 2, kAlways),
                                 field<&DeviceSubRequest::selectors>("selectors", 3),
                                 field<&DeviceSubRequest::allocation_mode>("allocationMode", 4),
                                 field<&DeviceSubRequest::count>("count", 5),
                                 field<&DeviceSubRequest::tolerations>("tolerations", 6),
                                 field<&DeviceSubRequest::capacity>("capacity", 7),
                             });
  return schema;
}

template <>
const Schema& schema_of<DeviceRequest>() {
  static const Schema schema("DeviceRequest", {
                                                  field<&DeviceRequest::name>("name", 1, kAlways),
                                                  field<&DeviceRequest::exactly>("exactly", 2),
                                                  field<&DeviceRequest::first_available>("firstAvailable", 3),
                                              });
  return schema;
}

template <>
const Schema& schema_of<DeviceConstraint>() {
  static const Schema schema("DeviceConstraint",
                             {
                                 field<&DeviceConstraint::requests>("requests", 1),
                                 field<&DeviceConstraint::match_attribute>("matchAttribute", 2),
                                 field<&DeviceConstraint::distinct_attribute>("distinctAttribute", 3),
                             });
  return schema;
}

template <>
const Schema& schema_of<OpaqueDeviceConfiguration>() {
  static const Schema schema("OpaqueDeviceConfiguration",
                             {
                                 field<&OpaqueDeviceConfiguration::driver>("driver", 1, kAlways),
                                 field<&OpaqueDeviceConfiguration::parameters>("parameters", 2, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<DeviceConfiguration>() {
  static const Schema schema("DeviceConfiguration", {
                                                        field<&DeviceConfiguration::opaque>("opaque", 1),
                                                    });
  return schema;
}

template <>
const Schema& schema_of<DeviceClaimConfiguration>() {
  static const Schema schema("DeviceClaimConfiguration", {
                                                             field<&DeviceClaimConfiguration::requests>("requests", 1),
                                                             inline_field<&DeviceClaimConfiguration::configuration>(2),
                                                         });
  return schema;
}

template <>
const Schema& schema_of<DeviceClaim>() {
  static const Schema schema("DeviceClaim", {
                                                field<&DeviceClaim::requests>("requests", 1, kAlways),
                                                field<&DeviceClaim::constraints>("constraints", 2),
                                                field<&DeviceClaim::config>("config", 3),
                                            });
  return schema;
}

template <>
const Schema& schema_of<ResourceClaimSpec>() {
  static const Schema schema("ResourceClaimSpec", {
                                                      field<&ResourceClaimSpec::devices>("devices", 1, kAlways),
                                                  });
  return schema;
}

template <>
const Schema& schema_of<DeviceRequestAllocationResult>() {
  static const Schema schema(
      "DeviceRequestAllocationResult",
      {
          field<&DeviceRequestAllocationResult::request>("request", 1, kAlways),
          field<&DeviceRequestAllocationResult::driver>("driver", 2, kAlways),
          field<&DeviceRequestAllocationResult::pool>("pool", 3, kAlways),
          field<&DeviceRequestAllocationResult::device>("device", 4, kAlways),
          field<&DeviceRequestAllocationResult::admin_access>("adminAccess", 5),
          field<&DeviceRequestAllocationResult::tolerations>("tolerations", 6),
          field<&DeviceRequestAllocationResult::binding_conditions>("bindingConditions", 7),
          field<&DeviceRequestAllocationResult::binding_failure_conditions>("bindingFailureConditions", 8),
          field<&DeviceRequestAllocationResult::share_id>("shareID", 9),
          field<&DeviceRequestAllocationResult::consumed_capacity>("consumedCapacity", 10),
      });
  return schema;
}

template <>
const Schema& schema_of<DeviceAllocationConfiguration>() {
  static const Schema schema("DeviceAllocationConfiguration",
                             {
                                 field<&DeviceAllocationConfiguration::source>("source", 1, kAlways),
                                 field<&DeviceAllocationConfiguration::requests>("requests", 2),
                                 inline_field<&DeviceAllocationConfiguration::configuration>(3),
                             });
  return schema;
}

template <>
const Schema& schema_of<DeviceAllocationResult>() {
  static const Schema schema("DeviceAllocationResult", {
                                                           field<&DeviceAllocationResult::results>("results", 1),
                                                           field<&DeviceAllocationResult::config>("config", 2),
                                                       });
  return schema;
}

template <>
const Schema& schema_of<AllocationResult>() {
  static const Schema schema("AllocationResult",
                             {
                                 field<&AllocationResult::devices>("devices", 1, kAlways),
                                 field<&AllocationResult::node_selector>("nodeSelector", 3),
                                 field<&AllocationResult::allocation_timestamp>("allocationTimestamp", 5),
                             });
  return schema;
}

template <>
const Schema& schema_of<ResourceClaimConsumerReference>() {
  static const Schema schema("ResourceClaimConsumerReference",
                             {
                                 field<&ResourceClaimConsumerReference::api_group>("apiGroup", 1),
                                 field<&ResourceClaimConsumerReference::resource>("resource", 3, kAlways),
                                 field<&ResourceClaimConsumerReference::name>("name", 4, kAlways),
                                 field<&ResourceClaimConsumerReference::uid>("uid", 5, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<NetworkDeviceData>() {
  static const Schema schema("NetworkDeviceData", {
                                                      field<&NetworkDeviceData::interface_name>("interfaceName", 1),
                                                      field<&NetworkDeviceData::ips>("ips", 2),
                                                      field<&NetworkDeviceData::hardware_address>("hardwareAddress", 3),
                                                  });
  return schema;
}

template <>
const Schema& schema_of<AllocatedDeviceStatus>() {
  static const Schema schema("AllocatedDeviceStatus",
                             {
                                 field<&AllocatedDeviceStatus::driver>("driver", 1, kAlways),
                                 field<&AllocatedDeviceStatus::pool>("pool", 2, kAlways),
                                 field<&AllocatedDeviceStatus::device>("device", 3, kAlways),
                                 field<&AllocatedDeviceStatus::share_id>("shareID", 7),
                                 field<&AllocatedDeviceStatus::conditions>("conditions", 4, kAlways),
                                 field<&AllocatedDeviceStatus::data>("data", 5),
                                 field<&AllocatedDeviceStatus::network_data>("networkData", 6),
                             });
  return schema;
}

template <>
const Schema& schema_of<ResourceClaimStatus>() {
  static const Schema schema("ResourceClaimStatus", {
                                                        field<&ResourceClaimStatus::allocation>("allocation", 1),
                                                        field<&ResourceClaimStatus::reserved_for>("reservedFor", 2),
                                                        field<&ResourceClaimStatus::devices>("devices", 4),
                                                    });
  return schema;
}

template <>
const Schema& schema_of<ResourceClaim>() {
  static const Schema schema("ResourceClaim", {
                                                  field<&ResourceClaim::metadata>("metadata", 1, kAlways),
                                                  field<&ResourceClaim::spec>("spec", 2, kAlways),
                                                  field<&ResourceClaim::status>("status", 3, kAlways),
                                              });
  return schema;
}

template <>
const Schema& schema_of<ResourceClaimTemplateSpec>() {
  static const Schema schema("ResourceClaimTemplateSpec",
                             {
                                 field<&ResourceClaimTemplateSpec::metadata>("metadata", 1, kAlways),
                                 field<&ResourceClaimTemplateSpec::spec>("spec", 2, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<ResourceClaimTemplate>() {
  static const Schema schema("ResourceClaimTemplate",
                             {
                                 field<&ResourceClaimTemplate::metadata>("metadata", 1, kAlways),
                                 field<&ResourceClaimTemplate::spec>("spec", 2, kAlways),
                             });
  return schema;
}

template <>
const Schema& schema_of<DeviceClassConfiguration>() {
  static const Schema schema("DeviceClassConfiguration", {
                                                             inline_field<&DeviceClassConfiguration::configuration>(1),
                                                         });
  return schema;
}

template <>
const Schema& schema_of<DeviceClassSpec>() {
  static const Schema schema("DeviceClassSpec",
                             {
                                 field<&DeviceClassSpec::selectors>("selectors", 1),
                                 field<&DeviceClassSpec::config>("config", 2),
                                 field<&DeviceClassSpec::extended_resource_name>("extendedResourceName", 4),
                             });
  return schema;
}

template <>
const Schema& schema_of<DeviceClass>() {
  static const Schema schema("DeviceClass", {
                                                field<&DeviceClass::metadata>("metadata", 1, kAlways),
                                                field<&DeviceClass::spec>("spec", 2, kAlways),
                                            });
  return schema;
}

}  // namespace berth::api
