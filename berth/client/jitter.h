// Delays that differ, so that clients that failed together do not come back together.
#pragma once

#include <cstdint>

#include "berth/base/rng.h"
#include "berth/base/time.h"

namespace berth::client {

// As client-go's wait.Jitter: up to `factor` times the delay longer.
inline Duration jittered(Duration delay, double factor, Rng& rng) {
  const double more = rng.unit() * factor * static_cast<double>(delay.nanoseconds());
  return delay + Duration::nanoseconds(static_cast<std::int64_t>(more));
}

}  // namespace berth::client
