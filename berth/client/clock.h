// The clocks of the real loop. Everything else is told the time.
#pragma once

#include <chrono>

#include "berth/base/time.h"

namespace berth::client {

// Never goes back; says nothing about the time of day.
inline Instant clock_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return Instant::from_unix_nanoseconds(std::chrono::nanoseconds(since).count());
}

// What a clock on the wall shows; may jump.
inline Instant wall_clock_now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return Instant::from_unix_nanoseconds(std::chrono::nanoseconds(since).count());
}

// As poll() takes it. Rounded up: waking a moment too early means turning in circles.
inline int poll_timeout(Duration duration) {
  return static_cast<int>((duration.nanoseconds() + 999'999) / 1'000'000);
}

}  // namespace berth::client
