// Where the pods are and how full the nodes: the placement table, utilisation and fragmentation of a report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/explain/cluster.h"
#include "berth/report/summary.h"

namespace berth::report {

struct Occupancy {
  std::string by;  // "node" or "pool"
  std::vector<PlacementRow> rows;
  std::vector<Utilisation> utilisation;  // cpu, memory and pods first, then by name; only what nodes have
  std::optional<Fragmentation> fragmentation;
};

// By node up to `max_node_rows` nodes, by pool above. The cluster is only read; compiling pods needs it changeable.
Occupancy occupancy_of(explain::Cluster& cluster, std::size_t max_node_rows = kMaxNodeRows);

}  // namespace berth::report
