#include "berth/base/check.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Check, LetsATrueConditionPass) {
  BERTH_CHECK(1 + 1 == 2, "arithmetic is broken");
  BERTH_CHECK(true);
}

TEST(Check, FormatsTheStateOnlyWhenItFails) {
  int formatted = 0;
  BERTH_CHECK(formatted == 0, "{}", ++formatted);
  EXPECT_EQ(formatted, 0);
}

TEST(CheckDeathTest, NamesConditionPlaceAndState) {
  const int places = 2;
  EXPECT_DEATH(BERTH_CHECK(places == 1, "pod {} is in {} places", "web-0", places),
               "places == 1 at .*check_test.cc:[0-9]+: pod web-0 is in 2 places");
}

TEST(CheckDeathTest, NeedsNoMessage) {
  EXPECT_DEATH(BERTH_CHECK(false), "check failed: false at ");
}

}  // namespace
}  // namespace berth
