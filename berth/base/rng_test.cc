#include "berth/base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

namespace berth {
namespace {

TEST(Rng, GivesTheSameNumbersOnEveryPlatform) {
  // From an independent implementation of splitmix64 and xoshiro256**.
  Rng zero(0);
  for (const std::uint64_t expected :
       {0x99EC5F36CB75F2B4ull, 0xBF6E1F784956452Aull, 0x1A5F849D4933E6E0ull, 0x6AA594F1262D2D2Cull}) {
    EXPECT_EQ(zero.next_u64(), expected);
  }
  Rng answer(42);
  for (const std::uint64_t expected :
       {0x15780B2E0C2EC716ull, 0x6104D9866D113A7Eull, 0xAE17533239E499A1ull, 0xECB8AD4703B360A1ull}) {
    EXPECT_EQ(answer.next_u64(), expected);
  }
}

TEST(Rng, ReachesEveryNumberBelowALimitEquallyOften) {
  // 70,000 draws: 10,000 for each number, with a standard deviation of 93; six of those are allowed.
  Rng rng(7);
  std::vector<int> hits(7);
  for (int i = 0; i < 70'000; ++i) ++hits.at(rng.below(7));
  for (const int n : hits) EXPECT_NEAR(n, 10'000, 6 * 93);
}

TEST(Rng, HasNoBiasBelowALimitNearTheTop) {
  // With n = 3/4 of 2^64, a plain remainder would hit the first third of the range twice as often as the rest.
  Rng rng(8);
  constexpr std::uint64_t kLimit = 3ull << 62;
  int in_first_third = 0;
  for (int i = 0; i < 30'000; ++i) in_first_third += rng.below(kLimit) < kLimit / 3 ? 1 : 0;
  EXPECT_NEAR(in_first_third, 10'000, 6 * 82);
}

TEST(Rng, StaysInARangeAndReachesBothEnds) {
  Rng rng(9);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1'000; ++i) seen.insert(rng.in_range(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(rng.in_range(5, 5), 5);
}

TEST(Rng, CoversAllOfInt64) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  Rng rng(10);
  int negative = 0;
  for (int i = 0; i < 10'000; ++i) negative += rng.in_range(kMin, kMax) < 0 ? 1 : 0;
  EXPECT_NEAR(negative, 5'000, 6 * 50);
}

TEST(Rng, GivesAChanceOfNumeratorInDenominator) {
  Rng rng(11);
  int hits = 0;
  for (int i = 0; i < 40'000; ++i) hits += rng.chance(1, 4) ? 1 : 0;
  EXPECT_NEAR(hits, 10'000, 6 * 87);
  EXPECT_FALSE(rng.chance(0, 1));
  EXPECT_TRUE(rng.chance(1, 1));
}

TEST(Rng, GivesUnitsFromZeroToBelowOne) {
  Rng rng(12);
  double sum = 0;
  for (int i = 0; i < 40'000; ++i) {
    const double unit = rng.unit();
    ASSERT_GE(unit, 0.0);
    ASSERT_LT(unit, 1.0);
    sum += unit;
  }
  EXPECT_NEAR(sum / 40'000, 0.5, 0.01);
}

TEST(Rng, ShufflesIntoEveryOrder) {
  Rng rng(13);
  std::set<std::vector<int>> orders;
  for (int i = 0; i < 1'000; ++i) {
    std::vector<int> items = {1, 2, 3, 4};
    rng.shuffle(items);
    orders.insert(items);
  }
  EXPECT_EQ(orders.size(), 24u);
  std::vector<int> none;
  rng.shuffle(none);
}

TEST(Rng, ForksStreamsThatDoNotDependOnWhatWasDrawn) {
  Rng fresh(14);
  Rng used(14);
  for (int i = 0; i < 100; ++i) used.next_u64();
  Rng child = fresh.fork(1);
  Rng same_child = used.fork(1);
  Rng other_child = fresh.fork(2);
  Rng other_parent = Rng(15).fork(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t n = child.next_u64();
    EXPECT_EQ(n, same_child.next_u64());
    seen.insert({n, other_child.next_u64(), other_parent.next_u64(), fresh.next_u64()});
  }
  EXPECT_EQ(seen.size(), 400u);
}

TEST(RngDeathTest, RefusesAnEmptyRange) {
  Rng rng(16);
  EXPECT_DEATH(rng.below(0), "below 0");
  EXPECT_DEATH(rng.in_range(1, 0), "the range 1 to 0 is empty");
}

}  // namespace
}  // namespace berth
