// When a dump was taken, as far as its own times tell, and how long ago something was by that clock.
//
// Nothing here reads a clock: a dump may be days old. Plain functions.
#pragma once

#include <string>

#include "berth/base/time.h"
#include "berth/explain/cluster.h"

namespace berth::explain {

// The newest time in the dump at which something had happened: an event, a heartbeat, a condition's change, a deletion.
// Unset if it has no times.
Instant newest_time(const Cluster& cluster);

// When the object was asked to end. The deletion timestamp is when it has to have ended: that, less the grace period.
Instant deletion_requested_at(const api::ObjectMeta& metadata);

// "40s", "50m", "3h20m", "2d4h"; nothing shorter than a second.
std::string span_text(Duration span);

}  // namespace berth::explain
