// How much a pod asks of its node, computed as kube-scheduler v1.36.3 does.
//
// Two forms. A ResourceList keeps names and quantities as they were written. A ResourceVector is what the scheduler
// adds, subtracts and compares: whole numbers, CPU in thousandths, everything else in units rounded up; names that the
// scheduler does not count are not in it.
#pragma once

#include <cstdint>

#include "berth/api/meta.h"
#include "berth/api/pod.h"

namespace berth::api {

struct ResourceVector {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  std::int64_t allowed_pods = 0;  // of nodes; a pod's is 0 unless its list names "pods"
  // Extended resources, huge pages and other scalar names. An entry of 0 is an entry.
  FlatMap<std::int64_t> scalars;

  ResourceVector() = default;
  explicit ResourceVector(const ResourceList& list) { add(list); }

  // Each quantity is rounded before it is added.
  void add(const ResourceList& list);
  ResourceVector& operator+=(const ResourceVector& other);
  // Entries of scalars stay, even at 0.
  ResourceVector& operator-=(const ResourceVector& other);

  bool operator==(const ResourceVector&) const = default;
};

// A name outside of Kubernetes' own: "example.com/gpu".
bool is_extended_resource(Symbol name);
// "hugepages-2Mi"
bool is_huge_page_resource(Symbol name);
// A name that a ResourceVector counts among its scalars.
bool is_scalar_resource(Symbol name);

// CPU and memory that a container without a request of its own counts for where nodes are compared by load.
inline constexpr std::int64_t kDefaultMilliCpuRequest = 100;
inline constexpr std::int64_t kDefaultMemoryRequest = 200 * 1024 * 1024;

struct PodRequestsOptions {
  // Containers count with what they have been given, if that is more than what they ask for (resize in place).
  bool use_status = false;
  // spec.resources, where it is set, replaces the sum over the containers.
  bool pod_level = true;
  // With use_status: the same for spec.resources (gate InPlacePodLevelResourcesVerticalScaling).
  bool pod_level_status = true;
  // Adds status.nodeAllocatableResourceClaimStatuses (gate DRANodeAllocatableResources).
  bool node_allocatable_claims = false;
  // What a container counts for that does not name these resources. May be null.
  const ResourceList* non_missing = nullptr;
};

ResourceList pod_requests(const PodTemplate& pod, const PodStatus& status, const PodRequestsOptions& options);

// Without a look at the status: what holds for all pods of a template. Requires: !options.use_status.
ResourceList pod_requests(const PodTemplate& pod, const PodRequestsOptions& options);

// Whether the status may change what the pod counts for: it does once the pod runs, on nodes that report it.
bool has_resources_in_status(const PodStatus& status);

// True if spec.resources asks for CPU, memory or huge pages.
bool has_pod_level_requests(const PodTemplate& pod);

// What a pod adds to the node it is on.
struct PodUsage {
  ResourceVector requested;
  // CPU and memory with the defaults above for what is not asked for.
  std::int64_t non_zero_milli_cpu = 0;
  std::int64_t non_zero_memory = 0;
  bool operator==(const PodUsage&) const = default;
};

// `options` says which gates are on; its non_missing is not looked at.
PodUsage pod_usage(const PodTemplate& pod, const PodStatus& status,
                   const PodRequestsOptions& options = {.use_status = true});

}  // namespace berth::api
