// A pod that InterPodAffinity rejected is woken when a pod comes that it wants to be near, when one goes that it or
// that kept it away, when nodes come, go or move between the domains of its terms, and by a change of its own labels.
#pragma once

#include <functional>
#include <vector>

#include "berth/plugins/hint_quirks.h"
#include "berth/plugins/hint_support.h"

namespace berth::plugins {

struct InterPodAffinityHintOptions {
  CompilePod compile;
  // The labels of a namespace, for terms that select namespaces by them; null if it is unknown. Empty: none has any.
  std::function<const api::Labels*(Symbol name_space)> find_namespace_labels;
  // Whether a pod on some node has a required anti-affinity term with that topology key. Empty: each key may be one.
  std::function<bool(Symbol topology_key)> is_anti_affinity_key;
  HintQuirks quirks;
};

// Both answer kError if required terms do not parse: the pod's own, or those of a deleted pod.
HintAnswer inter_pod_affinity_after_pod_change(const api::Pod& pod, const EventObjects& objects,
                                               const InterPodAffinityHintOptions& options);
HintAnswer inter_pod_affinity_after_node_change(const api::Pod& pod, const EventObjects& objects,
                                                const InterPodAffinityHintOptions& options);

// A namespace came, went or changed its labels.
HintAnswer inter_pod_affinity_after_namespace_change(const api::Pod& pod, const EventObjects& objects);

std::vector<HintRegistration> inter_pod_affinity_hints(Symbol profile, const InterPodAffinityHintOptions& options);

}  // namespace berth::plugins
