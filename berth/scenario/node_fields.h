// Nodes as scenarios describe them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "berth/api/node.h"
#include "berth/scenario/fields.h"

namespace berth::scenario {

struct NodeDraft {
  api::Node node;
  api::Labels labels;
  std::vector<Symbol> zones;  // of many nodes: one after the other
  std::size_t count = 1;
};

std::span<const FieldSpec<NodeDraft>> node_fields();
// Of `pool` and `nodes`, besides those of a node; and of `pool` alone.
std::span<const FieldSpec<NodeDraft>> many_nodes_fields();
std::span<const FieldSpec<NodeDraft>> pool_fields();

// A node of 4 cpu, 16Gi memory and 110 pods that is ready.
NodeDraft new_node();
// To change one that is there.
NodeDraft draft_of(const api::Node& node);
// The node of that name; number `index` of its statement, from 0.
api::Node finish(const NodeDraft& draft, const std::string& name, std::size_t index = 0);

}  // namespace berth::scenario
