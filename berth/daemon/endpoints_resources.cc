#include "berth/daemon/endpoints_resources.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/pod_requests.h"
#include "berth/daemon/component_metrics.h"

namespace berth::daemon {

namespace {

constexpr std::string_view kRequestHelp =
    "Resources requested by workloads on the cluster, broken down by pod. This shows the resource usage the scheduler "
    "and kubelet expect per pod for resources along with the unit for the resource if any.";
constexpr std::string_view kLimitHelp =
    "Resources limit for workloads on the cluster, broken down by pod. This shows the resource usage the scheduler and "
    "kubelet expect per pod for resources along with the unit for the resource if any.";

void add_to(api::ResourceList& sum, const api::ResourceList& list) {
  for (const auto& [name, quantity] : list) {
    if (sum.contains(name)) {
      sum[name] += quantity;
    } else {
      sum[name] = quantity;
    }
  }
}

void raise_to(api::ResourceList& most, const api::ResourceList& list) {
  for (const auto& [name, quantity] : list) {
    const api::Quantity* present = most.find(name);
    if (present == nullptr || quantity > *present) most[name] = quantity;
  }
}

bool is_sidecar(const api::Container& container) {
  return container.restart_policy && *container.restart_policy == "Always";
}

bool is_pod_level(Symbol name) {
  return name == "cpu" || name == "memory" || api::is_huge_page_resource(name);
}

std::string_view unit_of(Symbol resource) {
  if (resource == "cpu") return "cores";
  if (resource == "memory" || resource == "storage" || resource == "ephemeral-storage") return "bytes";
  if (api::is_huge_page_resource(resource)) return "bytes";
  return resource.text().starts_with("attachable-volumes-") ? "integer" : "";
}

// As Prometheus' own clients do, a family without samples is left out.
bool has_any(const api::ResourceList& amounts) {
  return std::ranges::any_of(amounts, [](const auto& entry) { return !entry.value.is_zero(); });
}

void write_pod(const api::Pod& pod, const api::ResourceList& amounts, MetricText& text) {
  const std::string priority = pod.spec->priority ? std::to_string(*pod.spec->priority) : "";
  for (const auto& [resource, amount] : amounts) {
    if (amount.is_zero()) continue;
    text.sample({{"namespace", pod.metadata.name_space.text()},
                 {"node", pod.spec.node_name.text()},
                 {"pod", pod.metadata.name},
                 {"priority", priority},
                 {"resource", resource.text()},
                 {"scheduler", pod.spec->scheduler_name.text()},
                 {"unit", unit_of(resource)}},
                amount.as_approximate_double());
  }
}

}  // namespace

api::ResourceList pod_limits(const api::PodTemplate& pod) {
  api::ResourceList total;
  for (const api::Container& container : pod.containers) add_to(total, container.resources.limits);
  api::ResourceList sidecars;
  api::ResourceList most_while_starting;
  for (const api::Container& container : pod.init_containers) {
    api::ResourceList limits = container.resources.limits;
    if (is_sidecar(container)) {
      add_to(total, limits);
      add_to(sidecars, limits);
      limits = sidecars;
    } else {
      add_to(limits, sidecars);
    }
    raise_to(most_while_starting, limits);
  }
  raise_to(total, most_while_starting);
  if (pod.resources) {
    for (const auto& [name, quantity] : pod.resources->limits) {
      if (is_pod_level(name)) total[name] = quantity;
    }
  }
  // Overhead counts only where there is a limit at all.
  for (const auto& [name, quantity] : pod.overhead) {
    if (const api::Quantity* limit = total.find(name); limit != nullptr && !limit->is_zero()) total[name] += quantity;
  }
  return total;
}

std::string pod_resource_metrics(std::span<const api::PodPtr> pods) {
  std::vector<const api::Pod*> sorted;
  for (const api::PodPtr& pod : pods) sorted.push_back(pod.get());
  std::ranges::sort(sorted, [](const api::Pod* a, const api::Pod* b) {
    const std::string_view first = a->metadata.name_space.text();
    const std::string_view second = b->metadata.name_space.text();
    return first != second ? first < second : a->metadata.name < b->metadata.name;
  });
  MetricText text;
  const auto write = [&](std::string_view name, std::string_view help, const auto& amounts_of) {
    bool is_begun = false;
    for (const api::Pod* pod : sorted) {
      const api::ResourceList amounts = amounts_of(*pod->spec.shared);
      if (!has_any(amounts)) continue;
      if (!std::exchange(is_begun, true)) {
        text.family(name, engine::MetricType::kGauge, engine::Stability::kStable, help);
      }
      write_pod(*pod, amounts, text);
    }
  };
  write("kube_pod_resource_limit", kLimitHelp, pod_limits);
  write("kube_pod_resource_request", kRequestHelp,
        [](const api::PodTemplate& pod) { return api::pod_requests(pod, api::PodRequestsOptions{}); });
  return text.text();
}

}  // namespace berth::daemon
