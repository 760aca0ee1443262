// A group of nodes that an autoscaler can make larger: a Karpenter NodePool, or a node group that cluster-autoscaler
// resizes (a managed node group, an agent pool, an instance group, a MachineDeployment).
//
// What a new node of the group would look like is known from a *shape*: the machine of a node that is there already, or
// what the group's own objects say. A NodePool does not list its machines; its shapes are those of the nodes that it
// has, and those of other nodes in the cluster that its requirements admit. A group without any shape has nodes of
// unknown size, and nobody here guesses it.
//
// Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/karpenter.h"
#include "berth/api/node.h"
#include "berth/api/pod.h"

namespace berth::autoscaler {

// A machine that a group may start.
struct NodeShape {
  // Its labels, allocatable resources and capacity are those of a new node; its name and taints are not.
  api::NodePtr model;
  std::string name;                  // "m5.large", or the name of the model
  std::vector<api::PodPtr> daemons;  // what runs on each node of this shape: pods of DaemonSets, static pods
};

// How much of a resource all nodes of a group may have together.
struct GroupLimit {
  Symbol resource;  // "nodes" counts nodes
  api::Quantity limit;
  api::Quantity used;
};

struct NodeGroup {
  enum class Kind : std::uint8_t {
    kNodePool,   // Karpenter chooses machine and zone for the pods that wait
    kNodeGroup,  // cluster-autoscaler sets the group's size; the cloud provider makes the node
  };
  Kind kind = Kind::kNodeGroup;
  std::string name;
  // Nodes of the group have this label. Empty if it is known by other means.
  Symbol label_key;
  Symbol label_value;

  // --- What a new node has
  api::Labels labels;                                  // in addition to those of the shape
  std::vector<api::Taint> taints;                      // without those that are gone once it has started
  std::vector<api::NodePoolRequirement> requirements;  // of a NodePool
  std::vector<Symbol> zones;                           // that it may be in; empty: that of the shape
  std::vector<NodeShape> shapes;                       // the smallest first
  // If no shape is known: the largest machine that the requirements admit, as far as they say.
  std::optional<std::int64_t> most_milli_cpu;
  std::optional<std::int64_t> most_memory;

  // --- How many
  std::int64_t nodes = 0;
  std::optional<std::int64_t> min_nodes;
  std::optional<std::int64_t> max_nodes;
  std::vector<GroupLimit> limits;
  std::int32_t weight = 0;  // of NodePools: the highest is taken first

  // Why it adds no node whatever the pod: "its EC2NodeClass default does not exist".
  std::vector<std::string> obstacles;

  bool chooses_zone() const { return kind == Kind::kNodePool; }
};

// By cpu, then memory, then name and zone.
void put_in_order(std::vector<NodeShape>& shapes);

// "Karpenter's NodePool general", "node group spot"
std::string title_of(const NodeGroup& group);

// Whether a label with that value, or no such label (null), meets the requirement.
bool admits(const api::NodePoolRequirement& requirement, const Symbol* value);
// Whether the requirements on that key all admit the value.
bool admits(const NodeGroup& group, Symbol key, Symbol value);

// Why one more node of that shape would be too many: "its limit of 100 cpu is reached: 98 are in use"; nothing if it
// would not. `planned` are shapes of nodes that are to come anyway.
std::optional<std::string> excess_of(const NodeGroup& group, const NodeShape& shape,
                                     const std::vector<const NodeShape*>& planned = {});

}  // namespace berth::autoscaler
