#include "berth/api/pod_requests.h"

#include <algorithm>

#include "berth/api/names.h"
#include "berth/base/check.h"

namespace berth::api {

namespace {

const Symbol& cpu() {
  static const Symbol name("cpu");
  return name;
}

const Symbol& memory() {
  static const Symbol name("memory");
  return name;
}

// Sums of absurd quantities wrap around, as Go's int64 does.
std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapping_subtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

void add_to(ResourceList& sum, const ResourceList& list) {
  for (const auto& [name, quantity] : list) {
    if (sum.contains(name)) {
      sum[name] += quantity;
    } else {
      sum[name] = quantity;
    }
  }
}

// A name that is not there yet is added, even with 0.
void raise_to(ResourceList& most, const ResourceList& list) {
  for (const auto& [name, quantity] : list) {
    const Quantity* present = most.find(name);
    if (present == nullptr || quantity > *present) most[name] = quantity;
  }
}

bool is_sidecar(const Container& container) {
  static const Symbol kAlwaysRestart("Always");
  return container.restart_policy == kAlwaysRestart;
}

bool is_pod_level_resource(Symbol name) {
  return name == cpu() || name == memory() || is_huge_page_resource(name);
}

bool is_resize_infeasible(const PodStatus& status) {
  for (const PodCondition& condition : status.conditions) {
    if (condition.type == "PodResizePending") return condition.reason == "Infeasible";
  }
  return false;
}

// What counts while a resize is under way: the most of what is asked for, actually in force and promised. A resize that
// the node cannot do does not count.
ResourceList in_place(const PodStatus& status, const ResourceList& asked, const ResourceList& in_force,
                      const ResourceList& promised) {
  ResourceList most;
  if (!is_resize_infeasible(status)) most = asked;
  raise_to(most, in_force);
  raise_to(most, promised);
  return most;
}

const ContainerStatus* find_status(const PodStatus& status, Symbol name) {
  // Of several statuses with one name, the last counts, and init containers come after the others.
  const ContainerStatus* found = nullptr;
  for (const ContainerStatus& each : *status.container_statuses) {
    if (each.name == name) found = &each;
  }
  for (const ContainerStatus& each : *status.init_container_statuses) {
    if (each.name == name) found = &each;
  }
  return found;
}

ResourceList container_requests(const Container& container, const PodStatus& status, bool use_status,
                                const ResourceList* non_missing) {
  const ResourceList& asked = container.resources.requests;
  const ContainerStatus* given = use_status ? find_status(status, container.name) : nullptr;
  ResourceList requests = given != nullptr && given->resources.has_value()
                              ? in_place(status, asked, given->resources->requests, given->allocated_resources)
                              : asked;
  if (non_missing == nullptr) return requests;
  for (const auto& [name, quantity] : *non_missing) {
    if (!requests.contains(name)) requests[name] = quantity;
  }
  return requests;
}

ResourceList sum_over_containers(const PodTemplate& pod, const PodStatus& status, const PodRequestsOptions& options) {
  ResourceList total;
  for (const Container& container : pod.containers) {
    add_to(total, container_requests(container, status, options.use_status, options.non_missing));
  }
  ResourceList sidecars;
  ResourceList most_while_starting;
  for (const Container& container : pod.init_containers) {
    const bool sidecar = is_sidecar(container);
    ResourceList requests = container_requests(container, status, options.use_status && sidecar, options.non_missing);
    if (sidecar) {
      add_to(total, requests);
      add_to(sidecars, requests);
      raise_to(most_while_starting, sidecars);
    } else {
      add_to(requests, sidecars);
      raise_to(most_while_starting, requests);
    }
  }
  raise_to(total, most_while_starting);
  if (options.node_allocatable_claims) {
    for (const NodeAllocatableResourceClaimStatus& claim : *status.node_allocatable_resource_claim_statuses) {
      add_to(total, claim.resources);
    }
  }
  return total;
}

}  // namespace

void ResourceVector::add(const ResourceList& list) {
  static const Symbol kEphemeralStorage("ephemeral-storage");
  static const Symbol kPods("pods");
  for (const auto& [name, quantity] : list) {
    if (name == cpu()) {
      milli_cpu = wrapping_add(milli_cpu, quantity.milli_value());
    } else if (name == api::memory()) {
      memory = wrapping_add(memory, quantity.value());
    } else if (name == kPods) {
      allowed_pods = wrapping_add(allowed_pods, quantity.value());
    } else if (name == kEphemeralStorage) {
      ephemeral_storage = wrapping_add(ephemeral_storage, quantity.value());
    } else if (is_scalar_resource(name)) {
      std::int64_t& scalar = scalars[name];
      scalar = wrapping_add(scalar, quantity.value());
    }
  }
}

ResourceVector& ResourceVector::operator+=(const ResourceVector& other) {
  milli_cpu = wrapping_add(milli_cpu, other.milli_cpu);
  memory = wrapping_add(memory, other.memory);
  ephemeral_storage = wrapping_add(ephemeral_storage, other.ephemeral_storage);
  allowed_pods = wrapping_add(allowed_pods, other.allowed_pods);
  for (const auto& [name, amount] : other.scalars) {
    std::int64_t& scalar = scalars[name];
    scalar = wrapping_add(scalar, amount);
  }
  return *this;
}

ResourceVector& ResourceVector::operator-=(const ResourceVector& other) {
  milli_cpu = wrapping_subtract(milli_cpu, other.milli_cpu);
  memory = wrapping_subtract(memory, other.memory);
  ephemeral_storage = wrapping_subtract(ephemeral_storage, other.ephemeral_storage);
  allowed_pods = wrapping_subtract(allowed_pods, other.allowed_pods);
  for (const auto& [name, amount] : other.scalars) {
    std::int64_t& scalar = scalars[name];
    scalar = wrapping_subtract(scalar, amount);
  }
  return *this;
}

bool is_extended_resource(Symbol name) {
  const std::string_view text = name.text();
  if (!text.contains('/') || text.contains("kubernetes.io/") || text.starts_with("requests.")) return false;
  return is_qualified_name("requests." + std::string(text));
}

bool is_huge_page_resource(Symbol name) {
  return name.text().starts_with("hugepages-");
}

bool is_scalar_resource(Symbol name) {
  const std::string_view text = name.text();
  return text.starts_with("hugepages-") || text.starts_with("attachable-volumes-") || text.contains("kubernetes.io/") ||
         is_extended_resource(name);
}

bool has_resources_in_status(const PodStatus& status) {
  const auto has_resources = [](const ContainerStatus& each) { return each.resources.has_value(); };
  return status.resources->has_value() || std::ranges::any_of(*status.container_statuses, has_resources) ||
         std::ranges::any_of(*status.init_container_statuses, has_resources);
}

bool has_pod_level_requests(const PodTemplate& pod) {
  return pod.resources && std::ranges::any_of(pod.resources->requests,
                                              [](const auto& entry) { return is_pod_level_resource(entry.key); });
}

ResourceList pod_requests(const PodTemplate& pod, const PodStatus& status, const PodRequestsOptions& options) {
  ResourceList total = sum_over_containers(pod, status, options);
  if (options.pod_level && has_pod_level_requests(pod)) {
    const ResourceList& asked = pod.resources->requests;
    const bool in_status = options.use_status && options.pod_level_status && status.resources->has_value();
    const ResourceList effective =
        in_status ? in_place(status, asked, (*status.resources)->requests, *status.allocated_resources) : asked;
    for (const auto& [name, quantity] : asked) {
      if (!is_pod_level_resource(name)) continue;
      const Quantity* amount = effective.find(name);
      total[name] = amount != nullptr ? *amount : Quantity();
    }
  }
  add_to(total, pod.overhead);
  return total;
}

ResourceList pod_requests(const PodTemplate& pod, const PodRequestsOptions& options) {
  BERTH_CHECK(!options.use_status && !options.node_allocatable_claims, "these need the status of a pod");
  static const PodStatus kNoStatus;
  return pod_requests(pod, kNoStatus, options);
}

PodUsage pod_usage(const PodTemplate& pod, const PodStatus& status, const PodRequestsOptions& options) {
  PodRequestsOptions plain = options;
  plain.non_missing = nullptr;
  const ResourceList requests = pod_requests(pod, status, plain);
  const bool has_pod_level = options.pod_level && has_pod_level_requests(pod);
  ResourceList defaults;
  if (!has_pod_level || !requests.contains(cpu())) defaults[cpu()] = Quantity::from_milli(kDefaultMilliCpuRequest);
  if (!has_pod_level || !requests.contains(memory())) defaults[memory()] = Quantity::from_units(kDefaultMemoryRequest);
  PodRequestsOptions with_defaults = plain;
  with_defaults.non_missing = &defaults;
  const ResourceList non_zero = pod_requests(pod, status, with_defaults);
  PodUsage usage{.requested = ResourceVector(requests)};
  if (const Quantity* amount = non_zero.find(cpu())) usage.non_zero_milli_cpu = amount->milli_value();
  if (const Quantity* amount = non_zero.find(memory())) usage.non_zero_memory = amount->value();
  return usage;
}

}  // namespace berth::api
