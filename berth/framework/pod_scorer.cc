#include "berth/framework/pod_scorer.h"

#include <algorithm>

namespace berth::framework {

void PodScorer::score_rows(const cache::NodeTable& table, const Bitset& rows, std::span<std::int64_t> scores) const {
  rows.for_each([&](std::size_t row) { scores[row] = score(table.at(static_cast<cache::RowId>(row))); });
}

void normalize_default(const Bitset& rows, std::span<std::int64_t> scores, bool reverse) {
  std::int64_t highest = 0;
  rows.for_each([&](std::size_t row) { highest = std::max(highest, scores[row]); });
  rows.for_each([&](std::size_t row) {
    std::int64_t& score = scores[row];
    if (highest == 0) {
      if (reverse) score = kMaxNodeScore;
      return;
    }
    score = kMaxNodeScore * score / highest;
    if (reverse) score = kMaxNodeScore - score;
  });
}

}  // namespace berth::framework
