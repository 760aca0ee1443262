#include "berth/autoscaler/new_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "berth/api/pod_requests.h"
#include "berth/autoscaler/node_facts.h"

namespace berth::autoscaler {

namespace {

// A machine of unknown size is larger than any that there is.
constexpr std::int64_t kPlentyOfMilliCpu = 1'000'000'000;
constexpr std::int64_t kPlentyOfBytes = std::int64_t{1} << 50;
constexpr std::int64_t kPlentyOfOthers = 1'000'000;

// The values that the pod demands of a label of its node, in nodeSelector or in any term of its required affinity.
std::vector<Symbol> demanded(const api::PodTemplate& pod, Symbol key) {
  std::vector<Symbol> values;
  if (const Symbol* value = pod.node_selector.find(key)) values.push_back(*value);
  if (!pod.affinity || !pod.affinity->node_affinity || !pod.affinity->node_affinity->required) return values;
  for (const api::NodeSelectorTerm& term : pod.affinity->node_affinity->required->node_selector_terms) {
    for (const api::NodeSelectorRequirement& expression : term.match_expressions) {
      if (expression.key != key || expression.op != "In") continue;
      values.insert(values.end(), expression.values.begin(), expression.values.end());
    }
  }
  return values;
}

// What Karpenter sets a label to that its pool leaves open: what the pod wants, else what it prefers itself.
std::optional<Symbol> chosen(const NodeGroup& group, const api::PodTemplate& pod, Symbol key) {
  static const Symbol capacity_type("karpenter.sh/capacity-type"), spot("spot"), on_demand("on-demand");
  for (const Symbol value : demanded(pod, key)) {
    if (admits(group, key, value)) return value;
  }
  const auto is_about_key = [&](const api::NodePoolRequirement& requirement) { return requirement.key == key; };
  const bool is_restricted = std::ranges::any_of(group.requirements, is_about_key);
  if (key == capacity_type) {
    if (is_restricted && admits(group, key, spot)) return spot;
    return admits(group, key, on_demand) ? std::optional(on_demand) : std::nullopt;
  }
  for (const api::NodePoolRequirement& requirement : group.requirements) {
    if (requirement.key != key || requirement.op != "In") continue;
    for (const Symbol value : requirement.values) {
      if (admits(group, key, value)) return value;
    }
  }
  return std::nullopt;
}

// The labels that a NodePool decides about, besides those of the machine and the zone.
api::Labels pool_labels(const NodeGroup& group, const api::PodTemplate& pod, bool with_machine) {
  static const Symbol capacity_type("karpenter.sh/capacity-type");
  api::Labels labels = group.labels;
  const auto set = [&](Symbol key) {
    if (group.labels.contains(key)) return;
    if (const auto value = chosen(group, pod, key)) labels[key] = *value;
  };
  for (const api::NodePoolRequirement& requirement : group.requirements) {
    if (is_zone_key(requirement.key) || (is_of_machine(requirement.key) && !with_machine)) continue;
    set(requirement.key);
  }
  set(capacity_type);
  if (with_machine) {
    // Labels of machines that the pod asks for and the requirements do not mention.
    for (const auto& [key, value] : pod.node_selector) {
      if (is_of_machine(key)) set(key);
    }
    for (const std::string_view key : {"kubernetes.io/os", "kubernetes.io/arch", "node.kubernetes.io/instance-type"}) {
      set(Symbol(key));
    }
  }
  return labels;
}

NewNode make(const NodeGroup& group, const NodeShape* shape, api::Node node, api::Labels labels, Symbol zone,
             const std::string& name) {
  static const Symbol hostname("kubernetes.io/hostname"), zone_key("topology.kubernetes.io/zone");
  if (!zone.empty()) labels[zone_key] = zone;
  labels[hostname] = Symbol(name);
  node.metadata.name = name;
  node.metadata.labels = std::move(labels);
  node.spec.taints.insert(node.spec.taints.end(), group.taints.begin(), group.taints.end());
  NewNode result;
  result.zone = zone_of(node);
  result.shape = shape;
  if (shape != nullptr) {
    for (const api::PodPtr& daemon : shape->daemons) {
      api::Pod pod = *daemon;
      pod.metadata.name = fmt::format("{} on {}", pod.metadata.name, name);
      pod.metadata.uid = pod.metadata.name;
      pod.spec.node_name = Symbol(name);
      result.daemons.push_back(std::make_shared<const api::Pod>(std::move(pod)));
    }
  }
  result.node = std::make_shared<const api::Node>(std::move(node));
  return result;
}

std::vector<Symbol> zones_of(const NodeGroup& group) {
  return group.zones.empty() ? std::vector<Symbol>{Symbol()} : group.zones;
}

// Whether the pool lists its machines, and all of them are known.
bool knows_all_machines(const NodeGroup& group) {
  return std::ranges::any_of(group.requirements, [&](const api::NodePoolRequirement& requirement) {
    if (requirement.key != "node.kubernetes.io/instance-type" || requirement.op != "In") return false;
    return std::ranges::all_of(requirement.values, [&](Symbol value) {
      return std::ranges::any_of(group.shapes, [&](const NodeShape& shape) { return shape.name == value.text(); });
    });
  });
}

// Families of machines that have no accelerators are named by a category of their own.
bool may_have_accelerators(const NodeGroup& group) {
  constexpr std::array<std::string_view, 7> kWith = {"g", "gr", "p", "inf", "trn", "dl", "f"};
  return std::ranges::none_of(group.requirements, [&](const api::NodePoolRequirement& requirement) {
    if (!requirement.key.text().ends_with("/instance-category") || requirement.op != "In") return false;
    return std::ranges::none_of(requirement.values,
                                [&](Symbol value) { return std::ranges::find(kWith, value.text()) != kWith.end(); });
  });
}

api::Node unknown_machine(const NodeGroup& group, const api::PodTemplate& pod) {
  api::Node node;
  api::ResourceList& amounts = node.status.allocatable;
  amounts[Symbol("cpu")] = api::Quantity::from_milli(group.most_milli_cpu.value_or(kPlentyOfMilliCpu));
  amounts[Symbol("memory")] = api::Quantity::from_units(group.most_memory.value_or(kPlentyOfBytes));
  amounts[Symbol("pods")] = api::Quantity::from_units(kPlentyOfOthers);
  amounts[Symbol("ephemeral-storage")] = api::Quantity::from_units(kPlentyOfBytes);
  if (may_have_accelerators(group)) {
    for (const auto& [resource, amount] : api::pod_requests(pod, api::PodRequestsOptions{})) {
      if (api::is_extended_resource(resource)) amounts[resource] = api::Quantity::from_units(kPlentyOfOthers);
    }
  }
  node.status.capacity = amounts;
  return node;
}

}  // namespace

std::vector<NewNode> new_nodes(const NodeGroup& group, const api::PodTemplate& pod, const std::string& name) {
  std::vector<NewNode> result;
  const bool is_pool = group.kind == NodeGroup::Kind::kNodePool;
  const api::Labels chosen_labels = is_pool ? pool_labels(group, pod, false) : group.labels;
  for (const NodeShape& shape : group.shapes) {
    api::Labels labels = *shape.model->metadata.labels;
    for (const auto& [key, value] : chosen_labels) labels[key] = value;
    for (const Symbol zone : zones_of(group)) result.push_back(make(group, &shape, *shape.model, labels, zone, name));
  }
  if (!is_pool || knows_all_machines(group)) return result;
  const api::Labels labels = pool_labels(group, pod, true);
  const api::Node machine = unknown_machine(group, pod);
  for (const Symbol zone : zones_of(group)) result.push_back(make(group, nullptr, machine, labels, zone, name));
  return result;
}

NewNode renamed(const NewNode& node, const std::string& name) {
  static const Symbol hostname("kubernetes.io/hostname");
  NewNode result = node;
  api::Node copy = *node.node;
  api::Labels labels = *copy.metadata.labels;
  labels[hostname] = Symbol(name);
  copy.metadata.labels = std::move(labels);
  copy.metadata.name = name;
  result.node = std::make_shared<const api::Node>(std::move(copy));
  for (api::PodPtr& daemon : result.daemons) {
    api::Pod pod = *daemon;
    const std::string_view base = std::string_view(pod.metadata.name).substr(0, pod.metadata.name.find(" on "));
    pod.metadata.name = fmt::format("{} on {}", base, name);
    pod.metadata.uid = pod.metadata.name;
    pod.spec.node_name = Symbol(name);
    daemon = std::make_shared<const api::Pod>(std::move(pod));
  }
  return result;
}

}  // namespace berth::autoscaler
