#include "berth/autoscaler/node_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "berth/autoscaler/node_facts.h"

namespace berth::autoscaler {

namespace {

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

api::Quantity amount_in(const NodeShape& shape, Symbol resource) {
  if (resource == "nodes") return api::Quantity::from_units(1);
  // Karpenter's limits are about what machines have, not about what they leave to pods.
  const api::NodeStatus& status = shape.model->status;
  if (const api::Quantity* found = status.capacity.find(resource)) return *found;
  const api::Quantity* found = status.allocatable.find(resource);
  return found == nullptr ? api::Quantity() : *found;
}

}  // namespace

void put_in_order(std::vector<NodeShape>& shapes) {
  const auto amount = [](const NodeShape& shape, Symbol resource) {
    const api::Quantity* found = shape.model->status.allocatable.find(resource);
    return found == nullptr ? 0 : found->milli_value();
  };
  std::ranges::sort(shapes, {}, [&](const NodeShape& shape) {
    return std::tuple(amount(shape, Symbol("cpu")), amount(shape, Symbol("memory")), shape.name,
                      zone_of(*shape.model).str(), shape.model->metadata.name);
  });
}

std::string title_of(const NodeGroup& group) {
  return group.kind == NodeGroup::Kind::kNodePool ? fmt::format("Karpenter's NodePool {}", group.name)
                                                  : fmt::format("node group {}", group.name);
}

bool admits(const api::NodePoolRequirement& requirement, const Symbol* value) {
  const auto is_listed = [&] { return std::ranges::find(requirement.values, *value) != requirement.values.end(); };
  if (requirement.op == "In") return value != nullptr && is_listed();
  if (requirement.op == "NotIn") return value == nullptr || !is_listed();
  if (requirement.op == "Exists") return value != nullptr;
  if (requirement.op == "DoesNotExist") return value == nullptr;
  // Gt, Lt, and Gte, Lte of newer releases.
  if (value == nullptr || requirement.values.size() != 1) return false;
  const auto number = number_in(value->text()), bound = number_in(requirement.values[0].text());
  if (!number || !bound) return false;
  if (requirement.op == "Gt") return *number > *bound;
  if (requirement.op == "Lt") return *number < *bound;
  if (requirement.op == "Gte") return *number >= *bound;
  if (requirement.op == "Lte") return *number <= *bound;
  return false;
}

bool admits(const NodeGroup& group, Symbol key, Symbol value) {
  return std::ranges::all_of(group.requirements, [&](const api::NodePoolRequirement& requirement) {
    return requirement.key != key || admits(requirement, &value);
  });
}

std::optional<std::string> excess_of(const NodeGroup& group, const NodeShape& shape,
                                     const std::vector<const NodeShape*>& planned) {
  const auto nodes = group.nodes + static_cast<std::int64_t>(planned.size());
  if (group.max_nodes && nodes >= *group.max_nodes) {
    return fmt::format("it is at its maximum of {} {}", *group.max_nodes, *group.max_nodes == 1 ? "node" : "nodes");
  }
  for (const GroupLimit& limit : group.limits) {
    api::Quantity used = limit.used;
    for (const NodeShape* each : planned) used += amount_in(*each, limit.resource);
    const api::Quantity more = amount_in(shape, limit.resource);
    if (used + more <= limit.limit) continue;
    const std::string of = limit.resource == "nodes" ? "nodes" : limit.resource.str();
    if (used >= limit.limit) {
      return fmt::format("its limit of {} {} is reached: {} in use", limit.limit.str(), of, used.str());
    }
    return fmt::format("its limit of {} {} leaves no room for a node like {}, which has {}: {} in use",
                       limit.limit.str(), of, shape.name, more.str(), used.str());
  }
  return std::nullopt;
}

}  // namespace berth::autoscaler
