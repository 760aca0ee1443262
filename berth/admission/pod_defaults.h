// The defaults of the API (core/v1) that a scheduler notices, and the sums over a pod's containers that admission
// compares with limits. Pure functions of a pod's template.
#pragma once

#include "berth/api/pod.h"

namespace berth::admission {

// The scheduler's name, requests from limits (of containers, and of the pod as a whole), and host ports of pods in the
// host's network.
void set_defaults(api::PodTemplate& spec);

// What the containers ask for together, and what they are limited to: the larger of the sum over containers and
// sidecars and of each init container with the sidecars before it. Requests and limits of the pod as a whole replace
// the sums for cpu and memory. Without overhead.
api::ResourceList sum_of_requests(const api::PodTemplate& spec);
api::ResourceList sum_of_limits(const api::PodTemplate& spec);

// spec.resources names cpu, memory or huge pages.
bool has_pod_level_resources(const api::PodTemplate& spec);

// No container asks for or is limited in cpu or memory, and neither is the pod as a whole.
bool is_best_effort(const api::PodTemplate& spec);

}  // namespace berth::admission
