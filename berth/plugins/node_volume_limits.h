// NodeVolumeLimits keeps a pod off nodes whose CSI drivers cannot attach that many volumes more.
//
// A driver's limit stands in the node's CSINode object; a driver that gives none has no limit. Counted are the distinct
// volumes of the pods on the node, and those that are still attached there without a pod. A volume that is not there
// yet counts for the driver that is going to make it. Disks of Kubernetes' old volume plugins count for the CSI driver
// that took over, where the node has a CSINode object at all. Evicting pods helps.
//
// With the gate VolumeLimitScaling, a node without a driver that insists on being there is not an option either.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_node_volume_limits(const framework::PluginContext& context,
                                                                   const PluginQuirks& quirks);

// A driver that has no room on a node for the volumes that a pod needs there.
struct VolumeLimit {
  Symbol driver;
  std::int64_t attached = 0;  // volumes of pods there, and attachments
  std::int64_t limit = 0;
  std::int64_t wanted = 0;  // that are not there yet
};
// Those for which the filter rejects the node, by name of driver. For explanations: looks at all attachments.
std::vector<VolumeLimit> exceeded_volume_limits(const api::Pod& pod, const cache::NodeState& node,
                                                const cache::ClusterObjects& objects);

}  // namespace berth::plugins
