// Node, as the scheduler sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "berth/api/meta.h"

namespace berth::api {

struct Taint {
  Symbol key;
  Symbol value;
  Symbol effect;
  Instant time_added;
  bool operator==(const Taint&) const = default;
};

struct NodeSpec {
  std::string provider_id;
  bool unschedulable = false;
  std::vector<Taint> taints;
  bool operator==(const NodeSpec&) const = default;
};

struct NodeCondition {
  Symbol type;
  Symbol status;
  Instant last_heartbeat_time;
  Instant last_transition_time;
  Symbol reason;
  std::string message;
  bool operator==(const NodeCondition&) const = default;
};

struct ContainerImage {
  std::vector<Symbol> names;
  std::int64_t size_bytes = 0;
  bool operator==(const ContainerImage&) const = default;
};

struct NodeStatus {
  ResourceList capacity;
  ResourceList allocatable;
  std::vector<NodeCondition> conditions;
  Interned<std::vector<ContainerImage>> images;
  Interned<std::vector<Symbol>> declared_features;
  bool operator==(const NodeStatus&) const = default;
};

struct Node {
  ObjectMeta metadata;
  NodeSpec spec;
  NodeStatus status;
  bool operator==(const Node&) const = default;
};

using NodePtr = std::shared_ptr<const Node>;

BERTH_HAS_SCHEMA(Taint);
BERTH_HAS_SCHEMA(NodeSpec);
BERTH_HAS_SCHEMA(NodeCondition);
BERTH_HAS_SCHEMA(ContainerImage);
BERTH_HAS_SCHEMA(NodeStatus);
BERTH_HAS_SCHEMA(Node);

// Empty if the node has no such condition.
const NodeCondition* find_condition(const Node& node, Symbol type);

}  // namespace berth::api
