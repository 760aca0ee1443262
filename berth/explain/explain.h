// Explain: what becomes of one pod in a cluster as it is, said so that the person whose pod is Pending understands it.
//
// The pod goes through the same extension points, with the same plugins and configuration, as in a scheduling attempt;
// nothing is approximated. What is different: every node is looked at, all filters are asked about a node and not only
// up to the first that rejects it, and preemption tries all nodes.
//
// A pure function of its arguments: no clock, no chance, no I/O. Of nodes with the same score the first by name stands
// for all of them, where a scheduler takes any.
#pragma once

#include "berth/base/error.h"
#include "berth/config/feature_gates.h"
#include "berth/config/load.h"
#include "berth/explain/cluster.h"
#include "berth/explain/explanation.h"

namespace berth::explain {

// How many of the best nodes are shown with their scores.
inline constexpr std::size_t kMaxScoredNodes = 5;

// `pod` may be one of the cluster or one that is not there yet; the cluster is as before when this returns. The error:
// a profile of the configuration that cannot be built.
Result<Explanation> explain(Cluster& cluster, const api::PodPtr& pod, const config::LoadedConfig& config,
                            const config::FeatureGates& gates = {});

}  // namespace berth::explain
