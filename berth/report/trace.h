// A simulation as a trace that Perfetto (ui.perfetto.dev) and chrome://tracing show: JSON in the trace event format, in
// virtual microseconds.
//
// Tracks: one per pod with its time in active, backoff, unschedulable, gated, binding and running, its tries and what
// woke it; a counter per queue; one per label of cluster event; and what happened to nodes, the scheduler and the
// scenario. Arrows lead from the event that woke a pod over its wake-up and its try to its binding.
//
// Written as it goes: a trace is never in memory as a whole. The same history gives the same bytes.
#pragma once

#include <cstddef>
#include <iosfwd>

#include "berth/base/time.h"
#include "berth/sim/history.h"

namespace berth::report {

// Pods that get a track of their own; viewers become slow with more. The first ones that were created.
inline constexpr std::size_t kMaxPodTracks = 5'000;

struct TraceOptions {
  Instant epoch;  // time 0
  Instant end;    // where the simulation stands: what goes on then ends here
  std::size_t max_pods = kMaxPodTracks;
};
void write_trace(const sim::History& history, const TraceOptions& options, std::ostream& out);

}  // namespace berth::report
