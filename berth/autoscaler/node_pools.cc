#include "berth/autoscaler/node_pools.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "berth/autoscaler/node_facts.h"

namespace berth::autoscaler {

namespace {

constexpr std::string_view kPoolLabel = "karpenter.sh/nodepool";
// More kinds of machines would not make the answer better: the smallest that fits is taken.
constexpr std::size_t kMaxShapes = 40;

bool is_in_pool(const api::Node& node, const api::NodePool& pool) {
  static const Symbol key(kPoolLabel);
  const Symbol* value = node.metadata.labels->find(key);
  return value != nullptr && value->text() == pool.metadata.name;
}

// Whether the machine of the node meets the requirements on machines. `is_known_to_fit`: a node that the pool made
// does, where nothing says otherwise.
bool admits_machine(const NodeGroup& group, const api::Node& node, bool is_known_to_fit) {
  return std::ranges::all_of(group.requirements, [&](const api::NodePoolRequirement& requirement) {
    if (!is_of_machine(requirement.key)) return true;
    const std::optional<Symbol> value = machine_label(node, requirement.key);
    if (!value && is_known_to_fit) return true;
    return admits(requirement, value ? &*value : nullptr);
  });
}

// The node with the labels of its machine only: Karpenter does not know those that others add later.
NodeShape machine_of(const api::Node& node) {
  auto model = std::make_shared<api::Node>(as_model(node));
  api::Labels labels;
  for (const auto& [key, value] : *model->metadata.labels) {
    if (is_of_machine(key) || is_zone_key(key)) labels[key] = value;
  }
  model->metadata.labels = std::move(labels);
  model->spec.taints.clear();
  const Symbol type = instance_type_of(node);
  return {std::move(model), type.empty() ? node.metadata.name : type.str(), {}};
}

// Nodes of the pool first, then others that the requirements admit; one per kind of machine.
void add_shapes(NodeGroup& group, const api::NodePool& pool, const std::vector<api::NodePtr>& nodes) {
  std::set<std::string> seen;
  const auto add = [&](bool of_the_pool, bool healthy) {
    for (const api::NodePtr& node : nodes) {
      if (group.shapes.size() == kMaxShapes) return;
      if (is_in_pool(*node, pool) != of_the_pool || is_healthy(*node) != healthy) continue;
      // Without an instance type there is no telling whether Karpenter could start such a machine elsewhere.
      if (!of_the_pool && instance_type_of(*node).empty()) continue;
      if (!admits_machine(group, *node, of_the_pool)) continue;
      NodeShape shape = machine_of(*node);
      if (seen.insert(shape.name).second) group.shapes.push_back(std::move(shape));
    }
  };
  add(true, true);
  add(true, false);
  add(false, true);
  put_in_order(group.shapes);
}

void add_zones(NodeGroup& group, const std::vector<api::NodePtr>& nodes) {
  static const Symbol zone("topology.kubernetes.io/zone");
  std::set<Symbol, SymbolTextLess> zones;
  for (const api::NodePoolRequirement& requirement : group.requirements) {
    if (is_zone_key(requirement.key) && requirement.op == "In") {
      zones.insert(requirement.values.begin(), requirement.values.end());
    }
  }
  if (zones.empty()) {
    for (const api::NodePtr& node : nodes) {
      if (const Symbol found = zone_of(*node); !found.empty()) zones.insert(found);
    }
  }
  for (const Symbol each : zones) {
    if (admits(group, zone, each)) group.zones.push_back(each);
  }
}

// The largest number that the requirement admits, if it says one.
std::optional<std::int64_t> most_of(const api::NodePoolRequirement& requirement) {
  std::optional<std::int64_t> most;
  for (const Symbol value : requirement.values) {
    std::int64_t number = 0;
    const std::string_view text = value.text();
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) return std::nullopt;
    most = std::max(most.value_or(number), number);
  }
  if (requirement.op == "In" || requirement.op == "Lte") return most;
  if (requirement.op == "Lt" && most) return *most - 1;
  return std::nullopt;
}

void add_bounds(NodeGroup& group) {
  for (const api::NodePoolRequirement& requirement : group.requirements) {
    const std::string_view key = requirement.key.text();
    const auto most = most_of(requirement);
    if (!most) continue;
    if (key.ends_with("/instance-cpu") || key.ends_with("/sku-cpu")) {
      group.most_milli_cpu = std::min(group.most_milli_cpu.value_or(*most * 1000), *most * 1000);
    }
    if (key.ends_with("/instance-memory") || key.ends_with("/sku-memory")) {
      const std::int64_t bytes = *most * 1024 * 1024;
      group.most_memory = std::min(group.most_memory.value_or(bytes), bytes);
    }
  }
}

void add_limits(NodeGroup& group, const api::NodePool& pool) {
  for (const auto& [resource, limit] : pool.spec.limits) {
    const api::Quantity* used = pool.status.resources.find(resource);
    api::Quantity in_use = used == nullptr ? api::Quantity() : *used;
    if (resource == "nodes" && used == nullptr) in_use = api::Quantity::from_units(group.nodes);
    group.limits.push_back({resource, limit, std::move(in_use)});
  }
}

// Without a status, what the nodes of the pool have is what is in use.
void count_use(NodeGroup& group, const api::NodePool& pool, const std::vector<api::NodePtr>& nodes) {
  if (!pool.status.resources.empty()) return;
  for (GroupLimit& limit : group.limits) {
    if (limit.resource == "nodes") continue;
    for (const api::NodePtr& node : nodes) {
      if (!is_in_pool(*node, pool)) continue;
      const api::Quantity* found = node->status.capacity.find(limit.resource);
      if (found == nullptr) found = node->status.allocatable.find(limit.resource);
      if (found != nullptr) limit.used += *found;
    }
  }
}

std::optional<std::string> class_obstacle(const api::NodeClassReference& reference,
                                          const std::vector<api::AnyObject>& others) {
  bool is_kind_read = false;
  for (const api::AnyObject& object : others) {
    if (object.kind().kind != reference.kind.text()) continue;
    is_kind_read = true;
    if (object.metadata().name == reference.name) return std::nullopt;
  }
  // If no such class was read at all, there is no saying.
  if (!is_kind_read || reference.name.empty()) return std::nullopt;
  return fmt::format("its {} {} does not exist", reference.kind.text(), reference.name);
}

void add_obstacles(NodeGroup& group, const api::NodePool& pool, const std::vector<api::AnyObject>& others) {
  if (pool.metadata.deletion_timestamp.is_set()) group.obstacles.emplace_back("it is being deleted");
  if (pool.spec.replicas) {
    group.obstacles.push_back(fmt::format("it has a fixed number of nodes (replicas: {})", *pool.spec.replicas));
  }
  if (auto missing = class_obstacle(pool.spec.node_template.spec.node_class_ref, others)) {
    group.obstacles.push_back(*std::move(missing));
    return;  // it is not ready because of that
  }
  for (const api::Condition& condition : pool.status.conditions) {
    if (condition.type != "Ready" || condition.status != "False") continue;
    const std::string_view why = condition.message.empty() ? condition.reason.text() : condition.message;
    group.obstacles.push_back(why.empty() ? "it is not ready" : fmt::format("it is not ready: {}", why));
  }
}

NodeGroup group_of(const api::NodePool& pool, const std::vector<api::NodePtr>& nodes,
                   const std::vector<api::AnyObject>& others) {
  const api::NodePoolTemplate& node_template = pool.spec.node_template;
  NodeGroup group;
  group.kind = NodeGroup::Kind::kNodePool;
  group.name = pool.metadata.name;
  group.label_key = Symbol(kPoolLabel);
  group.label_value = Symbol(pool.metadata.name);
  group.weight = pool.spec.weight.value_or(0);
  group.labels = *node_template.metadata.labels;
  group.labels[group.label_key] = group.label_value;
  group.taints = node_template.spec.taints;  // startupTaints are gone before pods have to go there
  group.requirements = node_template.spec.requirements;
  group.nodes = std::ranges::count_if(nodes, [&](const api::NodePtr& node) { return is_in_pool(*node, pool); });
  add_shapes(group, pool, nodes);
  add_zones(group, nodes);
  if (group.shapes.empty()) add_bounds(group);
  add_limits(group, pool);
  count_use(group, pool, nodes);
  add_obstacles(group, pool, others);
  return group;
}

}  // namespace

std::vector<NodeGroup> node_pools(const std::vector<std::shared_ptr<const api::NodePool>>& pools,
                                  const std::vector<api::NodePtr>& nodes, const std::vector<api::AnyObject>& others) {
  std::vector<NodeGroup> groups;
  groups.reserve(pools.size());
  for (const auto& pool : pools) groups.push_back(group_of(*pool, nodes, others));
  std::ranges::sort(groups, [](const NodeGroup& a, const NodeGroup& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.name < b.name;
  });
  return groups;
}

}  // namespace berth::autoscaler
