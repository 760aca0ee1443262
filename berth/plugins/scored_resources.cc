#include "berth/plugins/scored_resources.h"

#include <algorithm>

namespace berth::plugins {

namespace {

std::int64_t scalar(const api::ResourceVector& resources, Symbol name) {
  const std::int64_t* amount = resources.scalars.find(name);
  return amount != nullptr ? *amount : 0;
}

}  // namespace

std::optional<ScoredResource> ScoredResource::of(const config::ResourceSpec& spec, const api::ResourceVector& needed,
                                                 UsageBasis basis) {
  ScoredResource resource;
  resource.name_ = Symbol(spec.name);
  resource.weight_ = spec.weight;
  resource.basis_ = basis;
  if (spec.name == "cpu") {
    resource.kind_ = Kind::kCpu;
    resource.request_ = needed.milli_cpu;
  } else if (spec.name == "memory") {
    resource.kind_ = Kind::kMemory;
    resource.request_ = needed.memory;
  } else if (spec.name == "ephemeral-storage") {
    resource.kind_ = Kind::kEphemeralStorage;
    resource.request_ = needed.ephemeral_storage;
  } else {
    resource.kind_ = Kind::kScalar;
    resource.request_ = scalar(needed, resource.name_);
    if (resource.request_ == 0) return std::nullopt;
  }
  return resource;
}

ResourceAmounts ScoredResource::on(const cache::NodeState& node) const {
  const bool is_non_zero = basis_ == UsageBasis::kNonZero;
  switch (kind_) {
    case Kind::kCpu:
      return {node.allocatable.milli_cpu, is_non_zero ? node.non_zero_milli_cpu : node.requested.milli_cpu};
    case Kind::kMemory: return {node.allocatable.memory, is_non_zero ? node.non_zero_memory : node.requested.memory};
    case Kind::kEphemeralStorage: return {node.allocatable.ephemeral_storage, node.requested.ephemeral_storage};
    case Kind::kScalar: return {scalar(node.allocatable, name_), scalar(node.requested, name_)};
  }
  return {};
}

ScoredResource::Column::Column(const ScoredResource& resource, const cache::NodeTable& table)
    : resource_(&resource), table_(&table) {
  const cache::NodeColumns& columns = table.columns();
  const bool is_non_zero = resource.basis_ == UsageBasis::kNonZero;
  switch (resource.kind_) {
    case Kind::kCpu:
      allocatable_ = columns.allocatable_milli_cpu.data();
      used_ = (is_non_zero ? columns.non_zero_milli_cpu : columns.requested_milli_cpu).data();
      break;
    case Kind::kMemory:
      allocatable_ = columns.allocatable_memory.data();
      used_ = (is_non_zero ? columns.non_zero_memory : columns.requested_memory).data();
      break;
    case Kind::kEphemeralStorage:
      allocatable_ = columns.allocatable_ephemeral_storage.data();
      used_ = columns.requested_ephemeral_storage.data();
      break;
    case Kind::kScalar: break;
  }
}

std::vector<ScoredResource> scored_resources(const std::vector<config::ResourceSpec>& specs,
                                             const api::ResourceVector& needed, UsageBasis basis) {
  std::vector<ScoredResource> resources;
  for (const config::ResourceSpec& spec : specs) {
    if (const auto resource = ScoredResource::of(spec, needed, basis)) resources.push_back(*resource);
  }
  return resources;
}

std::vector<ScoredResource::Column> columns_of(const std::vector<ScoredResource>& resources,
                                               const cache::NodeTable& table) {
  std::vector<ScoredResource::Column> columns;
  columns.reserve(resources.size());
  for (const ScoredResource& resource : resources) columns.emplace_back(resource, table);
  return columns;
}

api::ResourceVector requests_of(const framework::PodToPlace& pod, const config::FeatureGates& gates, bool use_status) {
  const bool pod_level = gates.enabled(config::Feature::kPodLevelResources);
  const bool by_status = use_status && api::has_resources_in_status(pod->status);
  if (pod_level && !by_status) return pod.compiled->usage.requested;
  const bool pod_level_status = gates.enabled(config::Feature::kInPlacePodLevelResourcesVerticalScaling);
  return api::ResourceVector(
      api::pod_requests(*pod->spec, pod->status,
                        {.use_status = by_status, .pod_level = pod_level, .pod_level_status = pod_level_status}));
}

}  // namespace berth::plugins
