// What changed between two versions of an object, as the events that plugins register for.
#pragma once

#include <cstdint>
#include <vector>

#include "berth/api/node.h"
#include "berth/api/pod.h"
#include "berth/queue/cluster_event.h"

namespace berth::queue {

// Which changes of a pod count as one.
enum class PodChange : std::uint8_t {
  kAllButStatus,   // finalizers too (and managed fields, which Berth does not keep)
  kForScheduling,  // not finalizers, but the status of resource claims
};

// At least one event: an unspecific Update if nothing that has an event of its own changed. About AssignedPod if the
// new version has a node, else about UnschedulablePod.
std::vector<ClusterEvent> pod_update_events(const api::Pod& old_pod, const api::Pod& new_pod);

// One event per kind of change; none if nothing changed that a plugin could care about.
std::vector<ClusterEvent> node_update_events(const api::Node& old_node, const api::Node& new_node);

// Whether a pod without a node differs in anything but its status, resource version, generation and managed fields:
// what releases without hints took as worth another attempt. Of finalizers and claim statuses, only one counts: see
// PodChange.
bool differs_for_scheduling(const api::Pod& old_pod, const api::Pod& new_pod,
                            PodChange change = PodChange::kForScheduling);

}  // namespace berth::queue
