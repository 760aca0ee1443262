#include "berth/daemon/dispatcher_budget.h"

#include <gtest/gtest.h>

namespace berth::daemon {
namespace {

const Instant kStart = Instant::from_unix_nanoseconds(1'000'000'000);

TEST(RequestBudget, SaysHowLongUntilTheNextRequest) {
  RequestBudget budget(10, 1);
  EXPECT_TRUE(budget.try_take(kStart));
  EXPECT_FALSE(budget.try_take(kStart));
  EXPECT_EQ(budget.wait(), Duration::milliseconds(100));
}

TEST(RequestBudget, WaitsForAtMostADayHoweverLowTheRateIs) {
  for (const double per_second : {1e-6, 1e-10, 1e-12, 1e-300}) {
    RequestBudget budget(per_second, 1);
    EXPECT_TRUE(budget.try_take(kStart));
    EXPECT_FALSE(budget.try_take(kStart));
    EXPECT_EQ(budget.wait(), RequestBudget::kMaxWait) << per_second;
  }
}

}  // namespace
}  // namespace berth::daemon
