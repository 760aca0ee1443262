// Scores before normalization, one for each row. While all are zero, which most are for most pods, they take no memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace berth::framework {

class RawScores {
 public:
  bool varies() const { return !column_.empty(); }

  // False if they are too large to be kept.
  bool assign(std::span<const std::int64_t> scores) {
    column_.clear();
    if (!std::ranges::all_of(scores, can_hold)) return false;
    if (std::ranges::all_of(scores, [](std::int64_t score) { return score == 0; })) return true;
    column_.resize(scores.size());
    for (std::size_t row = 0; row < scores.size(); ++row) column_[row] = static_cast<std::int32_t>(scores[row]);
    return true;
  }
  bool set(std::size_t row, std::int64_t score, std::size_t rows) {
    if (!can_hold(score)) return false;
    if (column_.empty()) {
      if (score == 0) return true;
      column_.resize(rows);
    }
    column_[row] = static_cast<std::int32_t>(score);
    return true;
  }
  void copy_to(std::vector<std::int64_t>& scores, std::size_t rows) const {
    scores.assign(column_.begin(), column_.end());
    scores.resize(rows);
  }

 private:
  static bool can_hold(std::int64_t score) {
    return score >= std::numeric_limits<std::int32_t>::min() && score <= std::numeric_limits<std::int32_t>::max();
  }

  std::vector<std::int32_t> column_;
};

}  // namespace berth::framework
