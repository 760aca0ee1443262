// The timeline of what mattered: nodes that came and went, rollouts, pods that were rejected, what woke them,
// evictions, faults. Everything of one kind that happened to the pods of one workload within a short time is one line;
// the longer the run, the longer that time. If there are too many lines still, the least important are left out and
// counted.
#pragma once

#include <cstddef>
#include <string_view>

#include "berth/base/time.h"
#include "berth/report/summary.h"
#include "berth/sim/history.h"

namespace berth::report {

// `epoch` is time 0; `now` is where the simulation stands.
Timeline timeline_of(const sim::History& history, Instant epoch, Instant now,
                     std::size_t max_lines = kMaxTimelineLines);

// kube-scheduler's message without what it says about preemption: "0/5 nodes are available: 3 Insufficient cpu".
std::string_view short_message(std::string_view message);

}  // namespace berth::report
