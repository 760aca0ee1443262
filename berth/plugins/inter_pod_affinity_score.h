// The score of InterPodAffinity: how much the pod and those around a node like each other.
#pragma once

#include <cstdint>
#include <memory>

#include "berth/framework/plugin.h"
#include "berth/plugins/incoming_pod.h"

namespace berth::plugins {

// `pod` is of Part::kPreferred. If the result is_constant(), the plugin has nothing to say.
std::unique_ptr<framework::PodScorer> make_affinity_scorer(IncomingPod pod, std::int32_t hard_pod_affinity_weight,
                                                           const cache::NodeTable& table);

}  // namespace berth::plugins
