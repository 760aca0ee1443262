// How many requests may be started per second, as client-go limits a client: a bucket of tokens that fills up at a
// steady rate. Not thread safe.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "berth/base/time.h"

namespace berth::daemon {

class RequestBudget {
 public:
  // `per_second` of zero or less is no limit. `burst` requests may be started at once after an idle time; at least one.
  RequestBudget(double per_second, double burst)
      : per_second_(per_second), burst_(std::max(burst, 1.0)), tokens_(burst_) {}

  bool is_limited() const { return per_second_ > 0; }

  // False if nothing is left at `now`.
  bool try_take(Instant now) {
    if (!is_limited()) return true;
    fill(now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

  // Longer is not waited at a time: at a rate below 1e-10 the nanoseconds until the next request do not fit into 64
  // bits.
  static constexpr Duration kMaxWait = Duration::hours(24);

  // How long until there is something left, or kMaxWait if that is later. Requires: try_take() has just said no.
  Duration wait() const {
    const double seconds = (1 - tokens_) / per_second_;
    if (seconds >= kMaxWait.in_seconds()) return kMaxWait;
    return Duration::nanoseconds(static_cast<std::int64_t>(std::ceil(seconds * 1e9)));
  }

 private:
  void fill(Instant now) {
    if (filled_at_.is_set()) tokens_ = std::min(burst_, tokens_ + (now - filled_at_).in_seconds() * per_second_);
    filled_at_ = now;
  }

  double per_second_;
  double burst_;
  double tokens_;
  Instant filled_at_;
};

}  // namespace berth::daemon
