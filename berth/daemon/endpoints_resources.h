// What every pod asks for and may use, as kube-scheduler shows it under /metrics/resources.
#pragma once

#include <span>
#include <string>

#include "berth/api/meta.h"
#include "berth/api/pod.h"

namespace berth::daemon {

// What the containers may use together: sums and maxima as for requests; a limit on the pod as a whole replaces them.
api::ResourceList pod_limits(const api::PodTemplate& pod);

// kube_pod_resource_request and kube_pod_resource_limit of these pods, which have not ended; in the order of their
// names.
std::string pod_resource_metrics(std::span<const api::PodPtr> pods);

}  // namespace berth::daemon
