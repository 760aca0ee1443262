// Finds the groups of nodes that an autoscaler resizes in what was read of a cluster.
//
// Karpenter is there if there are NodePools. cluster-autoscaler leaves fewer traces: its status ConfigMap, its own
// pods, or sizes that are annotated on MachineDeployments. Only if there is one of these do the labels of nodes that
// name a pool count as groups that can grow: otherwise nobody is known to resize them.
#pragma once

#include <span>
#include <vector>

#include "berth/api/object.h"
#include "berth/autoscaler/node_group.h"

namespace berth::autoscaler {

struct FindOptions {
  // Pools that nothing is known to resize count as node groups too: somebody asks what if they were resized.
  bool assume_autoscaler = false;
};

// NodePools by weight and name, then node groups by name.
std::vector<NodeGroup> find_groups(std::span<const api::AnyObject> objects, const FindOptions& options = {});

}  // namespace berth::autoscaler
