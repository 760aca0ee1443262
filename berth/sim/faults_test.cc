#include "berth/sim/faults.h"

#include <gtest/gtest.h>

namespace berth::sim {
namespace {

TEST(Latency, TakesTheSameTimeIfItIsFixed) {
  Rng rng(1);
  const Latency latency = Latency::fixed(Duration::milliseconds(7));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(latency.draw(rng), Duration::milliseconds(7));
}

TEST(Latency, StaysWithinItsEndsIfItIsUniform) {
  Rng rng(1);
  const Latency latency{Latency::Shape::kUniform, Duration::milliseconds(2), Duration::milliseconds(4)};
  Duration least = Duration::max(), most;
  for (int i = 0; i < 1000; ++i) {
    const Duration drawn = latency.draw(rng);
    least = std::min(least, drawn);
    most = std::max(most, drawn);
  }
  EXPECT_GE(least, Duration::milliseconds(2));
  EXPECT_LT(least, Duration::microseconds(2100));
  EXPECT_GT(most, Duration::microseconds(3900));
  EXPECT_LE(most, Duration::milliseconds(4));
}

TEST(Latency, HasItsAverageAndItsLimitIfItIsExponential) {
  Rng rng(1);
  const Latency latency{Latency::Shape::kExponential, Duration::milliseconds(10), Duration::milliseconds(50)};
  Duration sum, most;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const Duration drawn = latency.draw(rng);
    EXPECT_GE(drawn, Duration());
    sum = sum + drawn;
    most = std::max(most, drawn);
  }
  EXPECT_NEAR(sum.in_seconds() / kDraws, 0.010, 0.0005);
  EXPECT_EQ(most, Duration::milliseconds(50));
}

}  // namespace
}  // namespace berth::sim
