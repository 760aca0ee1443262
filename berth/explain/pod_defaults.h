// A pod from a manifest, as it would be once the API server has it: the defaults that a scheduler notices.
//
// The namespace and the scheduler's name; requests from limits; host ports of pods in the host's network; the priority
// and the preemption policy of its priority class. Nothing else: default tolerations of the not-ready and unreachable
// taints, LimitRanges and webhooks are left out.
#pragma once

#include <string>

#include "berth/api/object.h"
#include "berth/api/pod.h"
#include "berth/base/error.h"
#include "berth/cache/cluster_objects.h"

namespace berth::explain {

// The pod itself, or one made from the template of a Deployment, ReplicaSet, StatefulSet, ReplicationController or Job.
// The error: the object makes no pods that a scheduler places freely.
Result<api::PodPtr> pod_of_manifest(const api::AnyObject& object);

// The error is the API server's: a priority class that is not there.
Result<api::PodPtr> with_api_defaults(const api::Pod& pod, const cache::ClusterObjects& objects);

}  // namespace berth::explain
