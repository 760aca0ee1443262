// Preemption that has begun: the pod is nominated to a node, and the pods that were evicted there for it have not
// ended.
#pragma once

#include <optional>
#include <string>

#include "berth/explain/cluster.h"
#include "berth/explain/evaluation.h"
#include "berth/explain/explanation.h"

namespace berth::explain {

struct PreemptionUnderWay {
  Preemption preemption;
  // What comes behind "default/p ": "is nominated to n1 and waits for default/v, which it preempts there, to end
  // (...)".
  std::string text;
};

// Nothing if the pod waits for no victim. Whether it fits once they are gone is tried out; the cluster is as before
// when this returns. Requires: !evaluation.fits() and no error.
std::optional<PreemptionUnderWay> preemption_under_way(const framework::Profile& profile, Cluster& cluster,
                                                       const Evaluation& evaluation);

}  // namespace berth::explain
