#include "berth/framework/best_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "berth/base/rng.h"

namespace berth::framework {
namespace {

// As the class says it, row by row.
cache::RowId first_best(const std::vector<std::int32_t>& values, std::size_t start) {
  const std::int32_t highest = *std::ranges::max_element(values);
  if (highest == BestRow::kOut) return cache::kNoRow;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = (start + i) % values.size();
    if (values[row] == highest) return static_cast<cache::RowId>(row);
  }
  return cache::kNoRow;
}

TEST(BestRow, HasNoneIfAllRowsAreOut) {
  for (const std::size_t rows : {0u, 1u, 8u, 9u}) {
    BestRow best;
    best.reset(rows);
    EXPECT_EQ(best.first_best(0), cache::kNoRow) << rows;
  }
}

TEST(BestRow, FindsWhatALookAtEveryRowFinds) {
  Rng rng(1);
  for (const std::size_t rows : {1u, 2u, 7u, 8u, 9u, 16u, 17u, 64u, 100u, 129u}) {
    BestRow best;
    best.reset(rows);
    std::vector<std::int32_t> values(rows, BestRow::kOut);
    for (std::size_t row = 0; row < rows; row += 2) {
      values[row] = static_cast<std::int32_t>(rng.next_u64() % 5);
      best.set_without_replay(static_cast<cache::RowId>(row), values[row]);
    }
    best.replay();
    for (int change = 0; change < 500; ++change) {
      const auto start = static_cast<cache::RowId>(rng.next_u64() % rows);
      ASSERT_EQ(best.first_best(start), first_best(values, start)) << rows << " rows, change " << change;
      const std::size_t row = rng.next_u64() % rows;
      values[row] = rng.next_u64() % 4 == 0 ? BestRow::kOut : static_cast<std::int32_t>(rng.next_u64() % 5) - 2;
      best.set(static_cast<cache::RowId>(row), values[row]);
      ASSERT_EQ(best.value(static_cast<cache::RowId>(row)), values[row]);
    }
  }
}

TEST(BestRow, SaysWhichValuesItCanHold) {
  EXPECT_TRUE(BestRow::can_hold(0));
  EXPECT_TRUE(BestRow::can_hold(2'147'483'647));
  EXPECT_FALSE(BestRow::can_hold(2'147'483'648));
  EXPECT_FALSE(BestRow::can_hold(BestRow::kOut));
}

}  // namespace
}  // namespace berth::framework
