// Finds the row with the highest value among many, while single values change: a tournament in which every match is
// kept, so a change replays only the matches on its way to the final.
//
// Rows enter it in blocks, whose best is looked for row by row: that is faster than three more rounds, and there is one
// such tournament for every class of pods, so its size counts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "berth/cache/pod_class.h"

namespace berth::framework {

class BestRow {
 public:
  // The value of a row that does not take part.
  static constexpr std::int32_t kOut = std::numeric_limits<std::int32_t>::min();
  // Whether a row can have that value.
  static constexpr bool can_hold(std::int64_t value) {
    return value > kOut && value <= std::numeric_limits<std::int32_t>::max();
  }

  // All rows out.
  void reset(std::size_t rows) {
    blocks_ = (rows + kBlock - 1) / kBlock;
    values_.assign(blocks_ * kBlock, kOut);
    leaves_ = std::bit_ceil(std::max<std::size_t>(blocks_, 1));
    best_.assign(leaves_ + blocks_, kOut);
  }

  // For many changes at once: set the values, then replay().
  void set_without_replay(cache::RowId row, std::int32_t value) { values_[row] = value; }
  void replay() {
    for (std::size_t block = 0; block < blocks_; ++block) best_[leaves_ + block] = best_of(block);
    for (std::size_t match = leaves_; match-- > 1;) best_[match] = winner(match);
  }

  void set(cache::RowId row, std::int32_t value) {
    values_[row] = value;
    const std::size_t block = row / kBlock;
    std::size_t match = leaves_ + block;
    std::int32_t best = best_of(block);
    while (best_[match] != best) {
      best_[match] = best;
      if (match == 1) return;
      match /= 2;
      best = winner(match);
    }
  }

  std::int32_t value(cache::RowId row) const { return values_[row]; }
  std::int32_t highest() const { return best_.size() > 1 ? best_[1] : kOut; }

  // The first row from `start` on, and from the first row on if there is none, that has the highest value. kNoRow if
  // all are out.
  cache::RowId first_best(cache::RowId start) const {
    if (highest() == kOut) return cache::kNoRow;
    const cache::RowId found = first_with(highest(), start);
    return found != cache::kNoRow ? found : first_with(highest(), 0);
  }

 private:
  static constexpr std::size_t kBlock = 8;

  std::int32_t best_of(std::size_t block) const {
    std::int32_t best = kOut;
    for (std::size_t i = 0; i < kBlock; ++i) best = std::max(best, values_[block * kBlock + i]);
    return best;
  }

  // The leaves of blocks that do not exist are not kept.
  std::int32_t at(std::size_t match) const { return match < best_.size() ? best_[match] : kOut; }
  std::int32_t winner(std::size_t match) const { return std::max(at(2 * match), at(2 * match + 1)); }

  cache::RowId first_with(std::int32_t value, std::size_t start) const {
    if (start >= values_.size()) return cache::kNoRow;
    const std::size_t block = start / kBlock;
    if (const cache::RowId row = first_in_block(value, start, (block + 1) * kBlock); row != cache::kNoRow) return row;
    // Up while the value is in no match to the right of where we came from, then down to the leftmost.
    std::size_t match = leaves_ + block;
    do {
      while (match % 2 == 1) {
        match /= 2;
        if (match <= 1) return cache::kNoRow;
      }
      ++match;  // the right sibling
    } while (at(match) != value);
    while (match < leaves_) match = at(2 * match) == value ? 2 * match : 2 * match + 1;
    const std::size_t first = (match - leaves_) * kBlock;
    return first_in_block(value, first, first + kBlock);
  }

  cache::RowId first_in_block(std::int32_t value, std::size_t from, std::size_t end) const {
    for (std::size_t row = from; row < end; ++row) {
      if (values_[row] == value) return static_cast<cache::RowId>(row);
    }
    return cache::kNoRow;
  }

  std::size_t blocks_ = 0;
  std::size_t leaves_ = 1;
  std::vector<std::int32_t> values_;  // by row, filled up to a whole block
  std::vector<std::int32_t> best_;    // [1] is the final, [leaves_ + n] the best of block n
};

}  // namespace berth::framework
