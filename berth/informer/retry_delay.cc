#include "berth/informer/retry_delay.h"

#include <algorithm>

namespace berth::informer {

Duration RetryDelay::next(Instant now, Rng& rng) {
  if (ends_at_.is_set() && now - ends_at_ >= forgotten_after_) delay_ = first_;
  const Duration wait = delay_ + Duration::nanoseconds(rng.in_range(0, delay_.nanoseconds()));
  delay_ = std::min(delay_ * 2, longest_);
  ends_at_ = now + wait;
  return wait;
}

}  // namespace berth::informer
