// Karpenter's NodePools as groups: what their templates, requirements and limits mean, and which machines they could
// start as far as nodes of the cluster tell.
#pragma once

#include <memory>
#include <vector>

#include "berth/api/karpenter.h"
#include "berth/api/node.h"
#include "berth/api/object.h"
#include "berth/autoscaler/node_group.h"

namespace berth::autoscaler {

// By weight, the highest first, then by name. `nodes` are in order of their names; node classes are among `others`.
std::vector<NodeGroup> node_pools(const std::vector<std::shared_ptr<const api::NodePool>>& pools,
                                  const std::vector<api::NodePtr>& nodes, const std::vector<api::AnyObject>& others);

}  // namespace berth::autoscaler
