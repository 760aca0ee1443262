// What woke pods, and whether it was worth it: wake-ups by event, useful and wasted.
#pragma once

#include <optional>

#include "berth/report/summary.h"
#include "berth/sim/history.h"

namespace berth::report {

// Nothing if no pod ever waited for an event. Useful and wasted by label come from the events: in a history that
// was cut they do not add up to all wake-ups.
std::optional<WakeUpCounts> wake_counts_of(const sim::History& history);

}  // namespace berth::report
