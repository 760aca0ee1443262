// The order in which nodes are visited: one of each zone by turns, so that the first nodes of the list, which is where
// a search that stops early finds its nodes, are spread over the zones.
//
// A zone is region and zone of the node's labels. Zones come in the order in which they were first seen, and so do the
// nodes of a zone. A node that changes its zone moves in the tree at once, but the list keeps its order until a node is
// added or removed, as in kube-scheduler.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/api/node.h"
#include "berth/cache/pod_class.h"

namespace berth::cache {

class NodeOrder {
 public:
  void add(RowId row, const api::Node& node);
  void update(RowId row, const api::Node& old_node, const api::Node& new_node);
  void remove(RowId row, const api::Node& node);

  std::span<const RowId> list() const;

 private:
  struct Zone {
    std::string name;
    std::vector<RowId> rows;
  };
  void remove_from_zone(RowId row, const api::Node& node);
  void add_to_zone(RowId row, const api::Node& node);

  std::vector<Zone> zones_;
  mutable std::vector<RowId> list_;
  mutable bool is_stale_ = false;
};

}  // namespace berth::cache
