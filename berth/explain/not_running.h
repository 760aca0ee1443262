// Why a pod that has a node does not run, is not ready, has failed or does not go away: from its status, from events,
// and from the state of its node and volumes.
//
// The scheduler is done with such a pod, so nothing here asks plugins. The reason words are those of the kubelet and of
// the controllers; the sentence says what they mean for this pod.
#pragma once

#include <optional>
#include <string>

#include "berth/explain/cluster.h"
#include "berth/explain/explanation.h"

namespace berth::explain {

struct PodTrouble {
  RunningState state;
  // What comes behind "default/p ": "is on n1 but its container a cannot start: image x cannot be pulled (...)".
  std::string text;
  // The node is the reason: elsewhere it would run.
  bool is_of_node = false;
};

// Nothing if the pod runs and is ready, or has ended well. Requires: it has a node, or has ended.
std::optional<PodTrouble> trouble_of(const Cluster& cluster, const api::Pod& pod);

}  // namespace berth::explain
