#include "berth/client/clock.h"

#include <gtest/gtest.h>

#include <limits>

namespace berth::client {
namespace {

TEST(PollTimeout, IsRoundedUpAndStaysInRange) {
  EXPECT_EQ(poll_timeout(Duration()), 0);
  EXPECT_EQ(poll_timeout(Duration::nanoseconds(1)), 1);
  EXPECT_EQ(poll_timeout(Duration::milliseconds(30)), 30);
  EXPECT_EQ(poll_timeout(Duration::hours(24 * 25)), std::numeric_limits<int>::max()) << "2^31 ms are 24 days";
  EXPECT_EQ(poll_timeout(Duration::max()), std::numeric_limits<int>::max());
}

}  // namespace
}  // namespace berth::client
