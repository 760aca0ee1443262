#include "berth/explain/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "berth/api/pod_requests.h"

namespace berth::explain {

namespace {

std::int64_t in_units(Symbol resource, const api::Quantity& quantity) {
  return resource == "cpu" ? quantity.milli_value() : quantity.value();
}
api::Quantity from_units(Symbol resource, std::int64_t value) {
  if (resource == "cpu") return api::Quantity::from_milli(value);
  const bool is_bytes = resource == "memory" || resource == "ephemeral-storage";
  return api::Quantity::from_units(value,
                                   is_bytes ? api::Quantity::Format::kBinarySI : api::Quantity::Format::kDecimalSI);
}

std::int64_t requested(const api::Container& container, Symbol resource) {
  const api::Quantity* found = container.resources.requests.find(resource);
  return found == nullptr ? 0 : in_units(resource, *found);
}

std::int64_t total_request(const api::PodTemplate& spec, Symbol resource) {
  const api::ResourceList list = api::pod_requests(spec, api::PodRequestsOptions{});
  const api::Quantity* found = list.find(resource);
  return found == nullptr ? 0 : in_units(resource, *found);
}

bool is_state(const api::Taint& taint) {
  return !node_state_of(taint).empty();
}

// The same labels as `berth inspect` goes by.
constexpr std::array<std::string_view, 7> kPoolLabels = {
    "karpenter.sh/nodepool",           "cloud.google.com/gke-nodepool", "eks.amazonaws.com/nodegroup",
    "kubernetes.azure.com/agentpool",  "node.kubernetes.io/pool",       "pool",
    "node.kubernetes.io/instance-type"};

}  // namespace

void lower_request(api::PodTemplate& spec, Symbol resource, std::int64_t target) {
  if (spec.resources && spec.resources->requests.contains(resource)) {
    spec.resources->requests[resource] = from_units(resource, target);
    return;
  }
  for (api::Container& container : spec.init_containers) {
    if (requested(container, resource) > target) {
      container.resources.requests[resource] = from_units(resource, target);
    }
  }
  for (std::int64_t excess = total_request(spec, resource) - target; excess > 0;) {
    const auto largest = std::ranges::max_element(
        spec.containers, {}, [&](const api::Container& each) { return requested(each, resource); });
    if (largest == spec.containers.end()) return;
    const std::int64_t has = requested(*largest, resource);
    if (has == 0) return;
    largest->resources.requests[resource] = from_units(resource, std::max<std::int64_t>(0, has - excess));
    excess -= std::min(has, excess);
  }
}

void drop_demand(api::PodTemplate& spec, const Demand& demand) {
  if (!demand.expression) {
    spec.node_selector.erase(demand.key);
    return;
  }
  if (!spec.affinity || !spec.affinity->node_affinity || !spec.affinity->node_affinity->required) return;
  auto& required = spec.affinity->node_affinity->required;
  if (required->node_selector_terms.empty()) return;
  auto& expressions = required->node_selector_terms[0].match_expressions;
  std::erase_if(expressions, [&](const api::NodeSelectorRequirement& each) {
    return each.key == demand.key && each.op == demand.op && each.values == demand.values;
  });
  // A term without conditions would match nothing.
  if (expressions.empty() && required->node_selector_terms[0].match_fields.empty()) required.reset();
}

void replace_demand(api::PodTemplate& spec, const Demand& demand, Symbol key, Symbol value) {
  if (!demand.expression) {
    spec.node_selector.erase(demand.key);
    spec.node_selector[key] = value;
    return;
  }
  if (!spec.affinity || !spec.affinity->node_affinity || !spec.affinity->node_affinity->required) return;
  for (api::NodeSelectorTerm& term : spec.affinity->node_affinity->required->node_selector_terms) {
    for (api::NodeSelectorRequirement& each : term.match_expressions) {
      if (each.key != demand.key || each.op != demand.op || each.values != demand.values) continue;
      each.key = key;
      each.values = {value};
    }
  }
}

std::function<void(api::PodTemplate&)> lower_requests_to(const api::PodTemplate& pod,
                                                         std::span<const std::pair<Symbol, std::int64_t>> targets) {
  struct Request {
    std::optional<Symbol> container;  // unset: of the pod as a whole
    Symbol resource;
    api::Quantity quantity;
  };
  api::PodTemplate lowered = pod;
  for (const auto& [resource, target] : targets) lower_request(lowered, resource, target);
  std::vector<Request> requests;
  const auto compare = [&](std::optional<Symbol> container, const api::ResourceList& before,
                           const api::ResourceList& after) {
    for (const auto& [resource, target] : targets) {
      const api::Quantity* now = after.find(resource);
      const api::Quantity* old = before.find(resource);
      if (now != nullptr && (old == nullptr || !(*old == *now))) requests.push_back({container, resource, *now});
    }
  };
  if (pod.resources && lowered.resources) {
    compare(std::nullopt, pod.resources->requests, lowered.resources->requests);
  }
  const auto compare_all = [&](const std::vector<api::Container>& before, const std::vector<api::Container>& after) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      compare(before[i].name, before[i].resources.requests, after[i].resources.requests);
    }
  };
  compare_all(pod.init_containers, lowered.init_containers);
  compare_all(pod.containers, lowered.containers);
  return [requests](api::PodTemplate& spec) {
    for (const Request& each : requests) {
      const auto set = [&](std::vector<api::Container>& containers) {
        for (api::Container& container : containers) {
          if (container.name == *each.container) container.resources.requests[each.resource] = each.quantity;
        }
      };
      if (!each.container) {
        if (!spec.resources) spec.resources.emplace();
        spec.resources->requests[each.resource] = each.quantity;
        continue;
      }
      set(spec.init_containers);
      set(spec.containers);
    }
  };
}

void remove_cordon(api::Node& node) {
  node.spec.unschedulable = false;
  std::erase_if(node.spec.taints,
                [](const api::Taint& taint) { return taint.key == "node.kubernetes.io/unschedulable"; });
}

void set_label(api::Node& node, Symbol key, Symbol value) {
  api::Labels labels = *node.metadata.labels;
  labels[key] = value;
  node.metadata.labels = std::move(labels);
}

NewNode new_node_like(const Cluster& cluster, const cache::NodeState& model, std::size_t number) {
  static const Symbol hostname("kubernetes.io/hostname");
  api::Node node = *model.node;
  // Not a name that a node has, since it has a blank.
  node.metadata.name = fmt::format("new node {} like {}", number, model.name.text());
  node.metadata.uid.clear();
  node.spec.unschedulable = false;
  std::erase_if(node.spec.taints, is_state);
  api::Labels labels = *node.metadata.labels;
  if (labels.contains(hostname)) labels[hostname] = Symbol(node.metadata.name);
  node.metadata.labels = std::move(labels);

  NewNode result;
  for (const cache::PlacedPod& placed : cluster.cache.nodes().at(model.row).pods) {
    const api::OwnerReference* owner = api::controller_of(placed.pod->metadata);
    if (owner == nullptr || owner->kind != "DaemonSet") continue;
    api::Pod pod = *placed.pod;
    pod.metadata.name = fmt::format("{} on {}", pod.metadata.name, node.metadata.name);
    pod.metadata.uid = pod.metadata.name;
    pod.spec.node_name = Symbol(node.metadata.name);
    result.pods.push_back(std::make_shared<const api::Pod>(std::move(pod)));
  }
  result.node = std::make_shared<const api::Node>(std::move(node));
  return result;
}

std::vector<Pool> pools_of(const Cluster& cluster) {
  std::map<std::string, Pool> pools;
  for (const cache::RowId row : cluster.rows_by_name()) {
    const api::Node& node = *cluster.cache.nodes().at(row).node;
    std::string name;
    for (const std::string_view label : kPoolLabels) {
      const Symbol* value = node.metadata.labels->find(Symbol(label));
      if (value == nullptr) continue;
      name = value->str();
      break;
    }
    std::string key = name;
    if (name.empty()) {
      for (const auto& [resource, amount] : node.status.allocatable) {
        key += fmt::format("\n{}={}", resource.text(), amount.str());
      }
    }
    Pool& pool = pools[key];
    pool.name = name;
    pool.rows.push_back(row);
    const auto is_well = [&](cache::RowId each) {
      const api::Node& candidate = *cluster.cache.nodes().at(each).node;
      return !candidate.spec.unschedulable && std::ranges::none_of(candidate.spec.taints, is_state);
    };
    if (pool.model == cache::kNoRow || (!is_well(pool.model) && is_well(row))) pool.model = row;
  }
  std::vector<Pool> result;
  for (auto& [key, pool] : pools) result.push_back(std::move(pool));
  return result;
}

}  // namespace berth::explain
