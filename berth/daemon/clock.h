// The clock of the daemon's parts that do not run on a loop. Tests inject another one.
#pragma once

#include <chrono>

#include "berth/base/time.h"

namespace berth::daemon {

class Clock {
 public:
  virtual ~Clock() = default;
  // Monotonic; not the time of day.
  virtual Instant now() const = 0;
  // The wall clock; may jump.
  virtual Instant wall_now() const = 0;
};

// The machine's own clocks. now() begins at the time of day at which the clock was made, so that an instant in a log or
// an answer reads as a time, and goes on by the monotonic clock, so that setting the time does not move it.
// Thread safe.
class MachineClock final : public Clock {
 public:
  MachineClock() : began_(wall_now()), began_monotonic_(std::chrono::steady_clock::now()) {}

  Instant now() const override {
    const auto passed = std::chrono::steady_clock::now() - began_monotonic_;
    return began_ + Duration::nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
  }
  Instant wall_now() const override {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return Instant::from_unix_nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count());
  }

  // When now() will be `at`, for those who sleep until then.
  std::chrono::steady_clock::time_point monotonic(Instant at) const {
    return began_monotonic_ + std::chrono::nanoseconds((at - began_).nanoseconds());
  }

 private:
  Instant began_;
  std::chrono::steady_clock::time_point began_monotonic_;
};

}  // namespace berth::daemon
