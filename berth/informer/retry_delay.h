// How long to wait before the next try: client-go's numbers for reflectors, 0.8 s doubling to 30 s, each stretched by a
// random part of itself so that clients which lost their server together do not come back together.
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

  // After a failure at `now`. At most twice kLongest.
  Duration next(Instant now, Rng& rng);

 private:
  Duration delay_ = kFirst;
  Instant ends_at_;  // of the last wait
};

}  // namespace berth::informer
