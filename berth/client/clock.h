// The clocks of the real loop. Everything else is told the time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "berth/base/time.h"

namespace berth::client {

// Monotonic; not the time of day.
inline Instant clock_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return Instant::from_unix_nanoseconds(std::chrono::nanoseconds(since).count());
}

// The wall clock; may jump.
inline Instant wall_clock_now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return Instant::from_unix_nanoseconds(std::chrono::nanoseconds(since).count());
}

// As poll() takes it, in milliseconds. Rounded up, because a wakeup that is a moment too early leads to a busy loop;
// and not more than an int holds, which is 24 days.
inline int poll_timeout(Duration duration) {
  const std::int64_t nanoseconds = duration.nanoseconds();
  const std::int64_t milliseconds = nanoseconds / 1'000'000 + (nanoseconds % 1'000'000 > 0 ? 1 : 0);
  return static_cast<int>(std::min<std::int64_t>(milliseconds, std::numeric_limits<int>::max()));
}

}  // namespace berth::client
