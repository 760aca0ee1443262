// How long pods waited from their creation to their binding.
#pragma once

#include <deque>
#include <optional>

#include "berth/report/summary.h"
#include "berth/sim/history.h"

namespace berth::report {

// Nothing if no pod was bound. A percentile is the smallest waiting time that so many of 100 pods did not exceed.
std::optional<WaitingTimes> waiting_times_of(const std::deque<sim::PodTimeline>& pod_timelines);

}  // namespace berth::report
