// What becomes of a DaemonSet in a cluster as it is: which of the nodes that it is for have its pod or can take it, and
// what keeps it off the others.
#pragma once

#include "berth/base/error.h"
#include "berth/config/feature_gates.h"
#include "berth/config/load.h"
#include "berth/explain/cluster.h"
#include "berth/explain/explanation.h"
#include "berth/explain/probe.h"

namespace berth::explain {

// `pod` is what the probe has made of the DaemonSet. The answer is "Fits" if every node that it is for has its pod or
// can take it; otherwise it is that of the first node that cannot, whose groups and suggestions are shown. The cluster
// is as before when this returns. The error: a profile that cannot be built.
Result<Explanation> explain_daemon_set(Cluster& cluster, const api::DaemonSet& set, const api::PodPtr& pod,
                                       const config::LoadedConfig& config, const config::FeatureGates& gates = {});

}  // namespace berth::explain
