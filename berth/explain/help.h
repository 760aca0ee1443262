// What would make a pod fit: the smallest change of its request, a toleration, a label, a node more.
//
// Each thing is first guessed from what is wrong with the nodes nearest to taking the pod, then tried out on the pod or
// the cluster with the profile's own plugins, and said only if the pod fits then.
#pragma once

#include <string>
#include <vector>

#include "berth/explain/cluster.h"
#include "berth/explain/diagnosis.h"
#include "berth/explain/evaluation.h"
#include "berth/explain/explanation.h"

namespace berth::explain {

// How many things are said; more would not be read.
inline constexpr std::size_t kMaxHelp = 5;

struct FoundHelp {
  std::vector<Help> help;  // most useful first
  std::string none;        // if there is none: why, as a sentence
};
// The cluster is as before when this returns. Requires: !evaluation.fits() and no error.
FoundHelp what_would_help(const framework::Profile& profile, Cluster& cluster, const Evaluation& evaluation,
                          const Diagnosis& diagnosis, const Preemption& preemption);

}  // namespace berth::explain
