// What preemption would do for a pod that no node can take, in words.
#pragma once

#include "berth/explain/cluster.h"
#include "berth/explain/evaluation.h"
#include "berth/explain/explanation.h"

namespace berth::explain {

// Requires: !evaluation.fits() and no error. Tries every node, where kube-scheduler tries a sample of a large cluster.
Preemption preemption_of(const framework::Profile& profile, const Cluster& cluster, const Evaluation& evaluation);

}  // namespace berth::explain
