// A pod that NodeVolumeLimits rejected is woken when a node's CSI drivers report for the first time or allow more
// volumes, when a pod with volumes goes or a volume is detached, and when a claim appears that it refers to.
#pragma once

#include <vector>

#include "berth/plugins/hint_quirks.h"
#include "berth/plugins/hint_support.h"

namespace berth::plugins {

struct NodeVolumeLimitsHintOptions {
  HintQuirks quirks;
};

HintAnswer node_volume_limits_after_csi_node_update(const api::Pod& pod, const EventObjects& objects,
                                                    const NodeVolumeLimitsHintOptions& options);
HintAnswer node_volume_limits_after_pod_delete(const api::Pod& pod, const EventObjects& objects);
HintAnswer node_volume_limits_after_claim_add(const api::Pod& pod, const EventObjects& objects);
// kError if a disk of the pod has an id that no CSI driver could make sense of.
HintAnswer node_volume_limits_after_detach(const api::Pod& pod, const EventObjects& objects,
                                           const NodeVolumeLimitsHintOptions& options);

std::vector<HintRegistration> node_volume_limits_hints(Symbol profile, const NodeVolumeLimitsHintOptions& options);

}  // namespace berth::plugins
