#include "berth/informer/retry_delay.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace berth::informer {
namespace {

constexpr Instant kStart = Instant::from_unix_seconds(1'000);

TEST(RetryDelay, DoublesUpToALimitAndIsStretchedAtRandom) {
  Rng rng(1);
  RetryDelay delay;
  Instant now = kStart;
  Duration at_least = RetryDelay::kFirst;
  for (int i = 0; i < 20; ++i) {
    const Duration wait = delay.next(now, rng);
    EXPECT_GE(wait, at_least);
    EXPECT_LE(wait, at_least * 2);
    at_least = std::min(at_least * 2, RetryDelay::kLongest);
    now = now + wait;
  }
}

TEST(RetryDelay, StartsOverAfterATimeWithoutFailures) {
  Rng rng(1);
  RetryDelay delay;
  Instant now = kStart;
  for (int i = 0; i < 10; ++i) now = now + delay.next(now, rng);
  EXPECT_GE(delay.next(now + Duration::seconds(60), rng), RetryDelay::kLongest);
  EXPECT_LE(delay.next(now + Duration::minutes(10), rng), RetryDelay::kFirst * 2);
}

}  // namespace
}  // namespace berth::informer
