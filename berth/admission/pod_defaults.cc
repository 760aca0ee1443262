#include "berth/admission/pod_defaults.h"

#include <string_view>
#include <vector>

#include "berth/api/pod_requests.h"

namespace berth::admission {

namespace {

struct Names {
  Symbol cpu{"cpu"}, memory{"memory"}, always{"Always"}, default_scheduler{"default-scheduler"};
};
const Names& names() {
  static const Names all;
  return all;
}

void add(api::ResourceList& sum, const api::ResourceList& more) {
  for (const auto& [resource, amount] : more) {
    if (sum.contains(resource)) {
      sum[resource] += amount;
    } else {
      sum[resource] = amount;
    }
  }
}

void raise_to(api::ResourceList& list, const api::ResourceList& least) {
  for (const auto& [resource, amount] : least) {
    const api::Quantity* has = list.find(resource);
    if (has == nullptr || *has < amount) list[resource] = amount;
  }
}

bool is_sidecar(const api::Container& container) {
  return container.restart_policy && *container.restart_policy == names().always;
}

using Part = api::ResourceList api::ResourceRequirements::*;

api::ResourceList sum_over_containers(const api::PodTemplate& spec, Part part) {
  api::ResourceList sum, sidecars, most_of_init;
  for (const api::Container& container : spec.containers) add(sum, container.resources.*part);
  for (const api::Container& container : spec.init_containers) {
    api::ResourceList while_it_runs = sidecars;
    add(while_it_runs, container.resources.*part);
    if (is_sidecar(container)) {
      add(sum, container.resources.*part);
      sidecars = while_it_runs;
    }
    raise_to(most_of_init, while_it_runs);
  }
  raise_to(sum, most_of_init);
  return sum;
}

api::ResourceList sum_of(const api::PodTemplate& spec, Part part) {
  api::ResourceList sum = sum_over_containers(spec, part);
  if (!spec.resources) return sum;
  for (const Symbol resource : {names().cpu, names().memory}) {
    if (const api::Quantity* amount = ((*spec.resources).*part).find(resource)) sum[resource] = *amount;
  }
  return sum;
}

bool is_of_pod_level(Symbol resource) {
  return resource == names().cpu || resource == names().memory || api::is_huge_page_resource(resource);
}

void default_requests(api::Container& container) {
  for (const auto& [resource, limit] : container.resources.limits) {
    if (!container.resources.requests.contains(resource)) container.resources.requests[resource] = limit;
  }
}

void default_host_ports(api::Container& container) {
  for (api::ContainerPort& port : container.ports) {
    if (port.host_port == 0) port.host_port = port.container_port;
  }
}

// What spec.resources leaves open: huge page limits are those of the containers; requests are those of the containers
// or, where these ask for nothing, the pod's limits.
void default_pod_level(api::PodTemplate& spec) {
  if (!spec.resources || (spec.resources->limits.empty() && spec.resources->requests.empty())) return;
  api::ResourceRequirements resources = *spec.resources;
  for (const auto& [resource, limit] : sum_over_containers(spec, &api::ResourceRequirements::limits)) {
    if (api::is_huge_page_resource(resource) && !resources.limits.contains(resource))
      resources.limits[resource] = limit;
  }
  if (!resources.limits.empty()) {
    for (const auto& [resource, request] : sum_over_containers(spec, &api::ResourceRequirements::requests)) {
      const bool may_be_overcommitted = resource == names().cpu || resource == names().memory;
      if (may_be_overcommitted && !resources.requests.contains(resource)) resources.requests[resource] = request;
    }
    for (const auto& [resource, limit] : resources.limits) {
      if (is_of_pod_level(resource) && !resources.requests.contains(resource)) resources.requests[resource] = limit;
    }
  }
  if (!(resources == *spec.resources)) spec.resources.emplace() = std::move(resources);
}

bool names_compute(const api::ResourceRequirements& resources) {
  for (const api::ResourceList* list : {&resources.requests, &resources.limits}) {
    for (const Symbol resource : {names().cpu, names().memory}) {
      const api::Quantity* amount = list->find(resource);
      if (amount != nullptr && amount->sign() > 0) return true;
    }
  }
  return false;
}

}  // namespace

void set_defaults(api::PodTemplate& spec) {
  if (spec.scheduler_name.empty()) spec.scheduler_name = names().default_scheduler;
  for (auto* containers : {&spec.init_containers, &spec.containers}) {
    for (api::Container& container : *containers) {
      default_requests(container);
      if (spec.host_network) default_host_ports(container);
    }
  }
  default_pod_level(spec);
}

api::ResourceList sum_of_requests(const api::PodTemplate& spec) {
  return sum_of(spec, &api::ResourceRequirements::requests);
}

api::ResourceList sum_of_limits(const api::PodTemplate& spec) {
  return sum_of(spec, &api::ResourceRequirements::limits);
}

bool has_pod_level_resources(const api::PodTemplate& spec) {
  if (!spec.resources) return false;
  for (const api::ResourceList* list : {&spec.resources->requests, &spec.resources->limits}) {
    for (const auto& [resource, amount] : *list) {
      if (is_of_pod_level(resource)) return true;
    }
  }
  return false;
}

bool is_best_effort(const api::PodTemplate& spec) {
  if (spec.resources) return !names_compute(*spec.resources);
  for (const auto* containers : {&spec.init_containers, &spec.containers}) {
    for (const api::Container& container : *containers) {
      if (names_compute(container.resources)) return false;
    }
  }
  return true;
}

}  // namespace berth::admission
