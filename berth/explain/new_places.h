// Where a new node could be so that it helps a pod: which pool it is of, and in which zone, or other domain that the
// pod's spread, affinity or volumes speak of. Also zones in which the pool has no node yet.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "berth/explain/cluster.h"
#include "berth/explain/evaluation.h"
#include "berth/explain/what_if.h"

namespace berth::explain {

// A kind of new node.
struct NewPlace {
  cache::RowId model = cache::kNoRow;             // the node that it is like
  std::vector<std::pair<Symbol, Symbol>> labels;  // that it has otherwise
  std::string pool;                               // may be empty
  std::string text;                               // "in zone b"; empty if it does not matter where
};

// For each pool the places worth trying, the likeliest first: those where the pool has nodes, then others. One place
// per pool if nothing about the pod depends on where.
std::vector<std::vector<NewPlace>> new_places(const Cluster& cluster, const Evaluation& evaluation);

// A node there, with its DaemonSets' pods, and what its CSI drivers say of it.
NewNode new_node_at(const Cluster& cluster, const NewPlace& place, std::size_t number);

}  // namespace berth::explain
