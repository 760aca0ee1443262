// The workload that a pod belongs to, as people name it: the Deployment and not the ReplicaSet between them.
#pragma once

#include <optional>
#include <string>

#include "berth/api/pod.h"

namespace berth::api {

struct PodWorkload {
  Symbol kind;  // "Deployment"
  std::string name;
  bool operator==(const PodWorkload&) const = default;
};

// Nothing if no controller made the pod. A Deployment's pods are owned by a ReplicaSet named after it and a hash, which
// is also a label of the pod; so no other object is needed to tell.
std::optional<PodWorkload> workload_of(const Pod& pod);

}  // namespace berth::api
