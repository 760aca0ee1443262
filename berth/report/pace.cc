#include "berth/report/pace.h"

#include <algorithm>
#include <cstdint>

namespace berth::report {

void Pace::step(const Standing& standing) {
  wait_until(standing.elapsed);
  shown_ = standing;
  options_.show(shown_);
}

void Pace::wait_until(Duration end) {
  for (;;) {
    const double wall_seconds = (options_.wall_clock() - began_at_).in_seconds();
    const double left_seconds = end.in_seconds() / options_.speed - wall_seconds;
    if (left_seconds <= 0) return;
    Standing now = shown_;
    now.elapsed = Duration::nanoseconds(static_cast<std::int64_t>(wall_seconds * options_.speed * 1e9));
    options_.show(now);
    // Up to the next look at the clock; never nothing, however small what is left is.
    const auto left =
        Duration::nanoseconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(left_seconds, 1.0) * 1e9)));
    options_.sleep(std::min(left, LiveView::kRedrawEvery));
  }
}

}  // namespace berth::report
