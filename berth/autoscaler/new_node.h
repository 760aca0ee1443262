// The nodes that a group could add for a pod. Karpenter starts the machine that the pods which wait ask for: in a zone,
// of a capacity type, with a label that the pod's node selector demands, as far as the NodePool's requirements admit
// it. A node group's machine is what it is.
#pragma once

#include <string>
#include <vector>

#include "berth/api/node.h"
#include "berth/api/pod.h"
#include "berth/autoscaler/node_group.h"

namespace berth::autoscaler {

struct NewNode {
  api::NodePtr node;
  const NodeShape* shape = nullptr;  // of the group; null: a machine that no node of the cluster tells of
  Symbol zone;
  std::vector<api::PodPtr> daemons;  // on it
};

// All that are worth trying for the pod, the smallest machine first; in every zone. At the end, for a NodePool that may
// start machines which no node tells of, such nodes: as large as its requirements admit, with whatever the pod asks
// for. `name` is that of the node.
std::vector<NewNode> new_nodes(const NodeGroup& group, const api::PodTemplate& pod, const std::string& name);

// The same node under another name.
NewNode renamed(const NewNode& node, const std::string& name);

}  // namespace berth::autoscaler
