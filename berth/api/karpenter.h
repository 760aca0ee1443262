// Karpenter's pools of nodes (karpenter.sh/v1): which nodes it would start for a pod that fits nowhere. Custom
// resources are served as JSON only, so their schemas have no protobuf numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/meta.h"
#include "berth/api/node.h"
#include "berth/api/pod.h"

namespace berth::api {

struct NodeClassReference {
  Symbol group;
  Symbol kind;
  std::string name;
  bool operator==(const NodeClassReference&) const = default;
};

struct NodePoolRequirement {
  Symbol key;
  Symbol op;
  std::vector<Symbol> values;
  std::optional<std::int32_t> min_values;
  bool operator==(const NodePoolRequirement&) const = default;
};

struct NodePoolTemplateSpec {
  std::vector<Taint> taints;
  std::vector<Taint> startup_taints;
  std::vector<NodePoolRequirement> requirements;
  NodeClassReference node_class_ref;
  bool operator==(const NodePoolTemplateSpec&) const = default;
};

struct NodePoolTemplate {
  ObjectMeta metadata;
  NodePoolTemplateSpec spec;
  bool operator==(const NodePoolTemplate&) const = default;
};

struct NodePoolSpec {
  NodePoolTemplate node_template;
  ResourceList limits;
  std::optional<std::int32_t> weight;
  std::optional<std::int64_t> replicas;
  bool operator==(const NodePoolSpec&) const = default;
};

struct NodePoolStatus {
  ResourceList resources;
  std::vector<Condition> conditions;
  bool operator==(const NodePoolStatus&) const = default;
};

struct NodePool {
  ObjectMeta metadata;
  NodePoolSpec spec;
  NodePoolStatus status;
  bool operator==(const NodePool&) const = default;
};

BERTH_HAS_SCHEMA(NodeClassReference);
BERTH_HAS_SCHEMA(NodePoolRequirement);
BERTH_HAS_SCHEMA(NodePoolTemplateSpec);
BERTH_HAS_SCHEMA(NodePoolTemplate);
BERTH_HAS_SCHEMA(NodePoolSpec);
BERTH_HAS_SCHEMA(NodePoolStatus);
BERTH_HAS_SCHEMA(NodePool);

}  // namespace berth::api
