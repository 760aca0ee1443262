// What the queue traces of older releases say in another way than those of v1.36: see tests/oracle/legacy/README.md.
#pragma once

#include <string>
#include <string_view>

#include "berth/queue/scheduling_queue.h"
#include "tests/conformance/trace.h"

namespace berth::conformance {

// From the header's `upstream`. Throws if it is a release that the queue has no rules for.
queue::Release release_of(Json header);

// v1.28: a hint function says itself whether a pod is tried at once (`fn.result`). Others are left as they are.
queue::Hint with_result(queue::Hint hint, Json fn);

// Berth's objects do not carry managed fields, which count as a change in v1.17 and v1.20. Here they become an
// annotation, which counts likewise, so that everything else about such updates is compared.
api::PodPtr pod_with_managed_fields(Json op, std::string_view key, InternPool& pool);

// What v1.28's AssignedPodUpdated and that of earlier ones use, which get no event.
queue::ClusterEvent assigned_pod_update();

// addNominated of v1.17 and v1.20 names a node; the empty name means the one in the pod's status.
queue::Nominating nominating_by_node(const std::string& node);

// v1.28: whether a rejected pod's return overlooks events: see Quirks::in_flight_events_get_lost.
bool loses_events(const queue::SchedulingQueue& queue, const queue::QueuedPod& pod);

// The backoff record of v1.17.
void render_backoff_records(const queue::SchedulingQueue& queue, Instant epoch, Flat& into);

// Leaves out of a rendered operation what the release does not have, and says "gated" without naming the gate.
void leave_out_newer(queue::Release release, Flat& rendered);

}  // namespace berth::conformance
