// InterPodAffinity puts pods near pods that they want to be near to, and keeps them away from others. "Near" is the
// domain of a topology key: the same zone, the same host.
//
// Filter, in order:
// - Affinity: the node must have the topology key of each required term, and in each of those domains there must be a
//   pod that matches all terms. If there is none anywhere and the pod matches its own terms, it may be the first.
// - Anti-affinity: no pod in the domain matches a required anti-affinity term of the pod.
// - Anti-affinity of others: no pod in the domain has a required anti-affinity term that matches the pod.
//
// Score: the sum of the weights of all preferred terms that match, in either direction, of pods in the node's domains;
// anti-affinity counts negative. A required affinity term of a placed pod counts with hardPodAffinityWeight.
//
// Terminating pods count like others. See incoming_pod.h for how namespaces are matched.
#pragma once

#include <memory>

#include "berth/framework/registry.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins {

Result<std::unique_ptr<framework::Plugin>> make_inter_pod_affinity(const framework::PluginContext& context,
                                                                   const PluginQuirks& quirks);

}  // namespace berth::plugins
