// Why a pod is in phase Failed: rejected by its kubelet, evicted, lost with its node, or ended by its own containers.
#pragma once

#include <optional>

#include "berth/explain/not_running.h"

namespace berth::explain {

// Nothing if the pod has succeeded. Requires: it has ended.
std::optional<PodTrouble> failure_of(const Cluster& cluster, const api::Pod& pod);

}  // namespace berth::explain
