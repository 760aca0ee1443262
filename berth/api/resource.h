// Devices of dynamic resource allocation (resource.k8s.io/v1): what drivers offer (slices), what classes of devices
// there are, and what claims want and got. The types are complete: the scheduler allocates devices itself and writes
// claims back whole, so each field has to survive the way through Berth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/meta.h"
#include "berth/api/pod.h"

namespace berth::api {

// Slices

struct Counter {
  Quantity value;
  bool operator==(const Counter&) const = default;
};

struct CounterSet {
  Symbol name;
  FlatMap<Counter> counters;
  bool operator==(const CounterSet&) const = default;
};

struct ResourcePool {
  Symbol name;
  std::int64_t generation = 0;
  std::int64_t resource_slice_count = 0;
  bool operator==(const ResourcePool&) const = default;
};

// Exactly one member is set.
struct DeviceAttribute {
  std::optional<std::int64_t> int_value;
  std::optional<bool> bool_value;
  std::optional<Symbol> string_value;
  std::optional<Symbol> version_value;
  std::vector<std::int64_t> int_values;
  std::vector<Flag> bool_values;
  std::vector<Symbol> string_values;
  std::vector<Symbol> version_values;
  bool operator==(const DeviceAttribute&) const = default;
};

struct CapacityRequestPolicyRange {
  std::optional<Quantity> min;
  std::optional<Quantity> max;
  std::optional<Quantity> step;
  bool operator==(const CapacityRequestPolicyRange&) const = default;
};

struct CapacityRequestPolicy {
  std::optional<Quantity> default_value;
  std::vector<Quantity> valid_values;
  std::optional<CapacityRequestPolicyRange> valid_range;
  bool operator==(const CapacityRequestPolicy&) const = default;
};

struct DeviceCapacity {
  Quantity value;
  Box<CapacityRequestPolicy> request_policy;
  bool operator==(const DeviceCapacity&) const = default;
};

struct DeviceCounterConsumption {
  Symbol counter_set;
  FlatMap<Counter> counters;
  bool operator==(const DeviceCounterConsumption&) const = default;
};

struct DeviceTaint {
  Symbol key;
  Symbol value;
  Symbol effect;
  Instant time_added;
  bool operator==(const DeviceTaint&) const = default;
};

struct NodeAllocatableResourceMapping {
  std::optional<Symbol> capacity_key;
  std::optional<Quantity> allocation_multiplier;
  bool operator==(const NodeAllocatableResourceMapping&) const = default;
};

struct Device {
  Symbol name;
  FlatMap<DeviceAttribute> attributes;
  FlatMap<DeviceCapacity> capacity;
  std::vector<DeviceCounterConsumption> consumes_counters;
  std::optional<Symbol> node_name;
  Box<NodeSelector> node_selector;
  std::optional<bool> all_nodes;
  std::vector<DeviceTaint> taints;
  std::optional<bool> binds_to_node;
  std::vector<Symbol> binding_conditions;
  std::vector<Symbol> binding_failure_conditions;
  std::optional<bool> allow_multiple_allocations;
  FlatMap<NodeAllocatableResourceMapping> node_allocatable_resource_mappings;
  bool operator==(const Device&) const = default;
};

struct ResourceSliceSpec {
  Symbol driver;
  ResourcePool pool;
  std::optional<Symbol> node_name;
  Box<NodeSelector> node_selector;
  std::optional<bool> all_nodes;
  std::vector<Device> devices;
  std::optional<bool> per_device_node_selection;
  std::vector<CounterSet> shared_counters;
  bool operator==(const ResourceSliceSpec&) const = default;
};

struct ResourceSlice {
  ObjectMeta metadata;
  ResourceSliceSpec spec;
  bool operator==(const ResourceSlice&) const = default;
};

// Claims

struct CelDeviceSelector {
  Symbol expression;
  bool operator==(const CelDeviceSelector&) const = default;
};

struct DeviceSelector {
  std::optional<CelDeviceSelector> cel;
  bool operator==(const DeviceSelector&) const = default;
};

struct DeviceToleration {
  Symbol key;
  Symbol op;
  Symbol value;
  Symbol effect;
  std::optional<std::int64_t> toleration_seconds;
  bool operator==(const DeviceToleration&) const = default;
};

struct CapacityRequirements {
  FlatMap<Quantity> requests;
  bool operator==(const CapacityRequirements&) const = default;
};

struct ExactDeviceRequest {
  Symbol device_class_name;
  std::vector<DeviceSelector> selectors;
  Symbol allocation_mode;
  std::int64_t count = 0;
  std::optional<bool> admin_access;
  std::vector<DeviceToleration> tolerations;
  std::optional<CapacityRequirements> capacity;
  bool operator==(const ExactDeviceRequest&) const = default;
};

struct DeviceSubRequest {
  Symbol name;
  Symbol device_class_name;
  std::vector<DeviceSelector> selectors;
  Symbol allocation_mode;
  std::int64_t count = 0;
  std::vector<DeviceToleration> tolerations;
  std::optional<CapacityRequirements> capacity;
  bool operator==(const DeviceSubRequest&) const = default;
};

// Either exactly one kind of device or the first alternative that can be had.
struct DeviceRequest {
  Symbol name;
  Box<ExactDeviceRequest> exactly;
  std::vector<DeviceSubRequest> first_available;
  bool operator==(const DeviceRequest&) const = default;
};

struct DeviceConstraint {
  std::vector<Symbol> requests;
  std::optional<Symbol> match_attribute;
  std::optional<Symbol> distinct_attribute;
  bool operator==(const DeviceConstraint&) const = default;
};

struct OpaqueDeviceConfiguration {
  Symbol driver;
  RawJson parameters;
  bool operator==(const OpaqueDeviceConfiguration&) const = default;
};

struct DeviceConfiguration {
  std::optional<OpaqueDeviceConfiguration> opaque;
  bool operator==(const DeviceConfiguration&) const = default;
};

struct DeviceClaimConfiguration {
  std::vector<Symbol> requests;
  DeviceConfiguration configuration;
  bool operator==(const DeviceClaimConfiguration&) const = default;
};

struct DeviceClaim {
  std::vector<DeviceRequest> requests;
  std::vector<DeviceConstraint> constraints;
  std::vector<DeviceClaimConfiguration> config;
  bool operator==(const DeviceClaim&) const = default;
};

struct ResourceClaimSpec {
  DeviceClaim devices;
  bool operator==(const ResourceClaimSpec&) const = default;
};

struct DeviceRequestAllocationResult {
  Symbol request;
  Symbol driver;
  Symbol pool;
  Symbol device;
  std::optional<bool> admin_access;
  std::vector<DeviceToleration> tolerations;
  std::vector<Symbol> binding_conditions;
  std::vector<Symbol> binding_failure_conditions;
  std::optional<std::string> share_id;
  FlatMap<Quantity> consumed_capacity;
  bool operator==(const DeviceRequestAllocationResult&) const = default;
};

struct DeviceAllocationConfiguration {
  Symbol source;
  std::vector<Symbol> requests;
  DeviceConfiguration configuration;
  bool operator==(const DeviceAllocationConfiguration&) const = default;
};

struct DeviceAllocationResult {
  std::vector<DeviceRequestAllocationResult> results;
  std::vector<DeviceAllocationConfiguration> config;
  bool operator==(const DeviceAllocationResult&) const = default;
};

struct AllocationResult {
  DeviceAllocationResult devices;
  Box<NodeSelector> node_selector;
  Instant allocation_timestamp;
  bool operator==(const AllocationResult&) const = default;
};

struct ResourceClaimConsumerReference {
  Symbol api_group;
  Symbol resource;
  std::string name;
  std::string uid;
  bool operator==(const ResourceClaimConsumerReference&) const = default;
};

struct NetworkDeviceData {
  Symbol interface_name;
  std::vector<std::string> ips;
  std::string hardware_address;
  bool operator==(const NetworkDeviceData&) const = default;
};

struct AllocatedDeviceStatus {
  Symbol driver;
  Symbol pool;
  Symbol device;
  std::optional<std::string> share_id;
  std::vector<Condition> conditions;
  std::optional<RawJson> data;
  Box<NetworkDeviceData> network_data;
  bool operator==(const AllocatedDeviceStatus&) const = default;
};

struct ResourceClaimStatus {
  Box<AllocationResult> allocation;
  std::vector<ResourceClaimConsumerReference> reserved_for;
  std::vector<AllocatedDeviceStatus> devices;
  bool operator==(const ResourceClaimStatus&) const = default;
};

struct ResourceClaim {
  ObjectMeta metadata;
  ResourceClaimSpec spec;
  ResourceClaimStatus status;
  bool operator==(const ResourceClaim&) const = default;
};

struct ResourceClaimTemplateSpec {
  ObjectMeta metadata;
  ResourceClaimSpec spec;
  bool operator==(const ResourceClaimTemplateSpec&) const = default;
};

// The scheduler does not read it; the simulator makes claims from it.
struct ResourceClaimTemplate {
  ObjectMeta metadata;
  ResourceClaimTemplateSpec spec;
  bool operator==(const ResourceClaimTemplate&) const = default;
};

// Classes

struct DeviceClassConfiguration {
  DeviceConfiguration configuration;
  bool operator==(const DeviceClassConfiguration&) const = default;
};

struct DeviceClassSpec {
  std::vector<DeviceSelector> selectors;
  std::vector<DeviceClassConfiguration> config;
  std::optional<Symbol> extended_resource_name;
  bool operator==(const DeviceClassSpec&) const = default;
};

struct DeviceClass {
  ObjectMeta metadata;
  DeviceClassSpec spec;
  bool operator==(const DeviceClass&) const = default;
};

BERTH_HAS_SCHEMA(Counter);
BERTH_HAS_SCHEMA(CounterSet);
BERTH_HAS_SCHEMA(ResourcePool);
BERTH_HAS_SCHEMA(DeviceAttribute);
BERTH_HAS_SCHEMA(CapacityRequestPolicyRange);
BERTH_HAS_SCHEMA(CapacityRequestPolicy);
BERTH_HAS_SCHEMA(DeviceCapacity);
BERTH_HAS_SCHEMA(DeviceCounterConsumption);
BERTH_HAS_SCHEMA(DeviceTaint);
BERTH_HAS_SCHEMA(NodeAllocatableResourceMapping);
BERTH_HAS_SCHEMA(Device);
BERTH_HAS_SCHEMA(ResourceSliceSpec);
BERTH_HAS_SCHEMA(ResourceSlice);
BERTH_HAS_SCHEMA(CelDeviceSelector);
BERTH_HAS_SCHEMA(DeviceSelector);
BERTH_HAS_SCHEMA(DeviceToleration);
BERTH_HAS_SCHEMA(CapacityRequirements);
BERTH_HAS_SCHEMA(ExactDeviceRequest);
BERTH_HAS_SCHEMA(DeviceSubRequest);
BERTH_HAS_SCHEMA(DeviceRequest);
BERTH_HAS_SCHEMA(DeviceConstraint);
BERTH_HAS_SCHEMA(OpaqueDeviceConfiguration);
BERTH_HAS_SCHEMA(DeviceConfiguration);
BERTH_HAS_SCHEMA(DeviceClaimConfiguration);
BERTH_HAS_SCHEMA(DeviceClaim);
BERTH_HAS_SCHEMA(ResourceClaimSpec);
BERTH_HAS_SCHEMA(DeviceRequestAllocationResult);
BERTH_HAS_SCHEMA(DeviceAllocationConfiguration);
BERTH_HAS_SCHEMA(DeviceAllocationResult);
BERTH_HAS_SCHEMA(AllocationResult);
BERTH_HAS_SCHEMA(ResourceClaimConsumerReference);
BERTH_HAS_SCHEMA(NetworkDeviceData);
BERTH_HAS_SCHEMA(AllocatedDeviceStatus);
BERTH_HAS_SCHEMA(ResourceClaimStatus);
BERTH_HAS_SCHEMA(ResourceClaim);
BERTH_HAS_SCHEMA(ResourceClaimTemplateSpec);
BERTH_HAS_SCHEMA(ResourceClaimTemplate);
BERTH_HAS_SCHEMA(DeviceClassConfiguration);
BERTH_HAS_SCHEMA(DeviceClassSpec);
BERTH_HAS_SCHEMA(DeviceClass);

}  // namespace berth::api
