// Finds the row with the highest value among many, while single values change: a tournament in which every match is
// kept, so a change replays only the matches on its way to the final.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "berth/cache/cohort.h"

namespace berth::framework {

class BestRow {
 public:
  // The value of a row that does not take part.
  static constexpr std::int64_t kOut = std::numeric_limits<std::int64_t>::min();

  // All rows out.
  void reset(std::size_t rows) {
    leaves_ = std::bit_ceil(std::max<std::size_t>(rows, 1));
    best_.assign(2 * leaves_, kOut);
  }

  // For many changes at once: set the values, then replay().
  void set_without_replay(cache::RowId row, std::int64_t value) { best_[leaves_ + row] = value; }
  void replay() {
    for (std::size_t match = leaves_; match-- > 1;) best_[match] = std::max(best_[2 * match], best_[2 * match + 1]);
  }

  void set(cache::RowId row, std::int64_t value) {
    std::size_t match = leaves_ + row;
    best_[match] = value;
    while (match > 1) {
      match /= 2;
      const std::int64_t winner = std::max(best_[2 * match], best_[2 * match + 1]);
      if (best_[match] == winner) return;
      best_[match] = winner;
    }
  }

  std::int64_t value(cache::RowId row) const { return best_[leaves_ + row]; }
  std::int64_t highest() const { return best_[1]; }

  // The first row from `start` on, and from the first row on if there is none, that has the highest value. kNoRow if
  // all are out.
  cache::RowId first_best(cache::RowId start) const {
    if (highest() == kOut) return cache::kNoRow;
    const cache::RowId found = first_with(highest(), start);
    return found != cache::kNoRow ? found : first_with(highest(), 0);
  }

 private:
  cache::RowId first_with(std::int64_t value, std::size_t start) const {
    if (start >= leaves_) return cache::kNoRow;
    // Up while the value is in no match to the right of where we came from, then down to the leftmost.
    std::size_t match = leaves_ + start;
    while (best_[match] != value) {
      while (match % 2 == 1) {
        match /= 2;
        if (match <= 1) return cache::kNoRow;
      }
      ++match;  // the right sibling
    }
    while (match < leaves_) match = best_[2 * match] == value ? 2 * match : 2 * match + 1;
    return static_cast<cache::RowId>(match - leaves_);
  }

  std::size_t leaves_ = 1;
  std::vector<std::int64_t> best_{kOut, kOut};  // [1] is the final, the leaves are the last half
};

}  // namespace berth::framework
