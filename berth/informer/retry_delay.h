// How long to wait before the next try: delays double up to a limit, each stretched by a random part of itself so that
// clients which lost their server together do not come back together. client-go's numbers for reflectors, 0.8 s to 30
// s, unless told otherwise.
#pragma once

#include "berth/base/rng.h"
#include "berth/base/time.h"

namespace berth::informer {

class RetryDelay {
 public:
  static constexpr Duration kFirst = Duration::milliseconds(800);
  static constexpr Duration kLongest = Duration::seconds(30);
  // Without a failure for so long it starts over.
  static constexpr Duration kForgottenAfter = Duration::minutes(2);

  RetryDelay() : RetryDelay(kFirst, kLongest, kForgottenAfter) {}
  RetryDelay(Duration first, Duration longest, Duration forgotten_after)
      : first_(first), longest_(longest), forgotten_after_(forgotten_after), delay_(first) {}

  // After a failure at `now`. At most twice the longest delay.
  Duration next(Instant now, Rng& rng);
  // All is well: the next failure is a first one.
  void reset() { delay_ = first_; }

 private:
  Duration first_;
  Duration longest_;
  Duration forgotten_after_;
  Duration delay_;
  Instant ends_at_;  // of the last wait
};

}  // namespace berth::informer
