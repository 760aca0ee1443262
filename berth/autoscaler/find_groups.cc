#include "berth/autoscaler/find_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "berth/api/autoscaling.h"
#include "berth/api/kinds.h"
#include "berth/autoscaler/machine_objects.h"
#include "berth/autoscaler/node_facts.h"
#include "berth/autoscaler/node_pools.h"
#include "berth/autoscaler/status_text.h"

namespace berth::autoscaler {

namespace {

// By which cloud providers and installers name the pool that a node belongs to.
constexpr std::array<std::string_view, 8> kProviderLabels = {"cloud.google.com/gke-nodepool",
                                                             "eks.amazonaws.com/nodegroup",
                                                             "alpha.eksctl.io/nodegroup-name",
                                                             "kubernetes.azure.com/agentpool",
                                                             "agentpool",
                                                             "kops.k8s.io/instancegroup",
                                                             "doks.digitalocean.com/node-pool",
                                                             "k8s.scaleway.com/pool-name"};
// By which people do.
constexpr std::array<std::string_view, 2> kOwnLabels = {"node.kubernetes.io/pool", "pool"};

struct Membership {
  Symbol key;
  Symbol value;
  bool is_by_provider = false;
};

std::optional<Membership> membership_of(const api::Node& node) {
  for (const std::string_view label : kProviderLabels) {
    const Symbol key(label);
    if (const Symbol* value = node.metadata.labels->find(key)) return Membership{key, *value, true};
  }
  for (const std::string_view label : kOwnLabels) {
    const Symbol key(label);
    if (const Symbol* value = node.metadata.labels->find(key)) return Membership{key, *value, false};
  }
  return std::nullopt;
}

// Whether the object is a part of cluster-autoscaler itself.
bool is_cluster_autoscaler(const api::ObjectMeta& metadata) {
  static const std::array<Symbol, 3> keys = {Symbol("app"), Symbol("k8s-app"), Symbol("app.kubernetes.io/name")};
  if (metadata.name.find("cluster-autoscaler") != std::string::npos) return true;
  return std::ranges::any_of(keys, [&](Symbol key) {
    const Symbol* value = metadata.labels->find(key);
    return value != nullptr && value->text().ends_with("cluster-autoscaler");
  });
}

// Everything that tells of groups, in one pass.
struct Traces {
  std::vector<api::NodePtr> nodes;  // by name
  std::vector<std::shared_ptr<const api::NodePool>> node_pools;
  std::vector<api::AnyObject> partial;
  std::vector<ReportedGroup> reported;
  bool has_report = false;
  bool has_cluster_autoscaler = false;
};

Traces traces_in(std::span<const api::AnyObject> objects) {
  Traces traces;
  for (const api::AnyObject& object : objects) {
    if (api::NodePtr node = object.as<api::Node>()) {
      traces.nodes.push_back(std::move(node));
    } else if (auto pool = object.as<api::NodePool>()) {
      traces.node_pools.push_back(std::move(pool));
    } else if (const auto map = object.as<api::ConfigMap>()) {
      const std::string* text = map->data.find(Symbol("status"));
      if (map->metadata.name != kStatusConfigMap || text == nullptr) continue;
      traces.reported = parse_status(*text);
      traces.has_report = traces.has_cluster_autoscaler = true;
    } else if (api::as_partial(object) != nullptr) {
      traces.partial.push_back(object);
    } else if (!traces.has_cluster_autoscaler &&
               (&object.kind() == &api::kind_of<api::Pod>() || &object.kind() == &api::kind_of<api::Deployment>())) {
      traces.has_cluster_autoscaler = is_cluster_autoscaler(object.metadata());
    }
  }
  std::ranges::sort(traces.nodes, {},
                    [](const api::NodePtr& node) -> const std::string& { return node->metadata.name; });
  return traces;
}

NodeShape shape_of(const api::Node& node) {
  const Symbol type = instance_type_of(node);
  return {std::make_shared<const api::Node>(as_model(node)), type.empty() ? node.metadata.name : type.str(), {}};
}

// One shape per zone and kind of machine, of a healthy node if there is one.
void add_shapes(NodeGroup& group, const std::vector<api::NodePtr>& nodes) {
  struct Model {
    api::NodePtr node;
    bool is_healthy = false;
  };
  std::map<std::pair<std::string, std::string>, Model> models;
  for (const api::NodePtr& node : nodes) {
    const Symbol type = instance_type_of(*node);
    std::string machine = type.str();
    if (type.empty()) {
      for (const auto& [resource, amount] : node->status.allocatable) {
        machine += fmt::format("{}={} ", resource.text(), amount.str());
      }
    }
    Model& model = models[{zone_of(*node).str(), machine}];
    const bool is_well = is_healthy(*node);
    if (model.node == nullptr || (is_well && !model.is_healthy)) model = {node, is_well};
  }
  for (const auto& [key, model] : models) group.shapes.push_back(shape_of(*model.node));
  put_in_order(group.shapes);
}

// The reported groups of a pool: a pool that spans zones has one in each with some providers.
void take_report(NodeGroup& group, const std::vector<const ReportedGroup*>& reported) {
  std::int64_t least = 0, most = 0;
  bool is_most_known = !reported.empty();
  for (const ReportedGroup* each : reported) {
    least += each->min_nodes.value_or(0);
    most += each->max_nodes.value_or(0);
    is_most_known &= each->max_nodes.has_value();
  }
  if (is_most_known) {
    group.min_nodes = least;
    group.max_nodes = most;
  }
  const auto is_held_back = [](const ReportedGroup* each) { return !each->backoff.empty(); };
  if (!reported.empty() && std::ranges::all_of(reported, is_held_back)) {
    group.obstacles.push_back(reported.front()->backoff);
  }
}

class NodeGroups {
 public:
  NodeGroups(const Traces& traces, const FindOptions& options) : traces_(traces), options_(options) {}

  std::vector<NodeGroup> find() {
    collect_machine_objects();
    collect_labelled();
    match_report();
    std::vector<NodeGroup> groups;
    for (auto& [name, found] : found_) {
      const bool is_resized = found.is_sized || found.is_reported ||
                              (traces_.has_cluster_autoscaler && !traces_.has_report && found.is_by_provider) ||
                              options_.assume_autoscaler;
      if (!is_resized) continue;
      add_shapes(found.group, found.nodes);
      if (found.group.shapes.empty() && found.at_zero) found.group.shapes.push_back(*found.at_zero);
      groups.push_back(std::move(found.group));
    }
    return groups;
  }

 private:
  struct Found {
    NodeGroup group;
    std::vector<api::NodePtr> nodes;
    std::optional<NodeShape> at_zero;  // what its object says about its nodes
    bool is_by_provider = false;
    bool is_sized = false;
    bool is_reported = false;
  };

  Found& found(const std::string& name) {
    Found& entry = found_[name];
    entry.group.name = name;
    return entry;
  }

  // MachineDeployments and the like with sizes, and the nodes that they own.
  void collect_machine_objects() {
    const MachineObjects machines(traces_.partial);
    for (const MachineGroup& machine : machines.groups()) {
      if (!machine.max_nodes) continue;
      Found& entry = found(machine.name);
      entry.group.min_nodes = machine.min_nodes;
      entry.group.max_nodes = machine.max_nodes;
      entry.at_zero = machine.shape;
      entry.is_sized = true;
    }
    for (const api::NodePtr& node : traces_.nodes) {
      const std::string owner = machines.owner_of(*node);
      const auto known = found_.find(owner);
      if (owner.empty() || known == found_.end()) continue;
      known->second.nodes.push_back(node);
      ++known->second.group.nodes;
      taken_.insert(node->metadata.name);
    }
  }

  void collect_labelled() {
    static const Symbol karpenter("karpenter.sh/nodepool");
    for (const api::NodePtr& node : traces_.nodes) {
      if (taken_.contains(node->metadata.name) || node->metadata.labels->contains(karpenter)) continue;
      const auto member = membership_of(*node);
      if (!member || member->value.empty()) continue;
      Found& entry = found(member->value.str());
      entry.group.label_key = member->key;
      entry.group.label_value = member->value;
      entry.is_by_provider |= member->is_by_provider;
      entry.nodes.push_back(node);
      ++entry.group.nodes;
    }
  }

  void match_report() {
    std::map<std::string, std::vector<const ReportedGroup*>> by_pool;
    for (const ReportedGroup& reported : traces_.reported) {
      // The longest name that is part of the provider's: "web-2" rather than "web".
      const std::string* best = nullptr;
      for (const auto& [name, entry] : found_) {
        if (names_pool(reported.name, name) && (best == nullptr || name.size() > best->size())) best = &name;
      }
      by_pool[best != nullptr ? *best : reported.name].push_back(&reported);
    }
    for (const auto& [name, reported] : by_pool) {
      Found& entry = found(name);
      entry.is_reported = true;
      take_report(entry.group, reported);
    }
  }

  const Traces& traces_;
  const FindOptions& options_;
  std::map<std::string, Found> found_;
  std::set<std::string> taken_;  // nodes
};

// The pods that come with the models of the shapes.
void add_daemons(std::vector<NodeGroup>& groups, std::span<const api::AnyObject> objects) {
  std::map<std::string, std::vector<NodeShape*>, std::less<>> by_model;
  for (NodeGroup& group : groups) {
    for (NodeShape& shape : group.shapes) by_model[shape.model->metadata.name].push_back(&shape);
  }
  if (by_model.empty()) return;
  for (const api::AnyObject& object : objects) {
    const api::PodPtr pod = object.as<api::Pod>();
    if (pod == nullptr || pod->spec.node_name.empty() || api::is_terminal(*pod) || !comes_with_node(*pod)) continue;
    const auto found = by_model.find(pod->spec.node_name.text());
    if (found == by_model.end()) continue;
    for (NodeShape* shape : found->second) shape->daemons.push_back(pod);
  }
}

}  // namespace

std::vector<NodeGroup> find_groups(std::span<const api::AnyObject> objects, const FindOptions& options) {
  const Traces traces = traces_in(objects);
  std::vector<NodeGroup> groups = node_pools(traces.node_pools, traces.nodes, traces.partial);
  for (NodeGroup& group : NodeGroups(traces, options).find()) groups.push_back(std::move(group));
  add_daemons(groups, objects);
  return groups;
}

}  // namespace berth::autoscaler
