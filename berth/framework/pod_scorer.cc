#include "berth/framework/pod_scorer.h"

#include <algorithm>

namespace berth::framework {

void PodScorer::score_rows(const cache::NodeTable& table, const Bitset& rows, std::span<std::int64_t> scores) const {
  rows.for_each([&](std::size_t row) { scores[row] = score(table.at(static_cast<cache::RowId>(row))); });
}

namespace {

// Wraps around as Go's arithmetic does: a plugin may return any number, and what comes of it is validated afterwards.
std::int64_t wrapped(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

}  // namespace

void normalize_default(const Bitset& rows, std::span<std::int64_t> scores, bool reverse) {
  std::int64_t highest = 0;
  rows.for_each([&](std::size_t row) { highest = std::max(highest, scores[row]); });
  rows.for_each([&](std::size_t row) {
    std::int64_t& score = scores[row];
    if (highest == 0) {
      if (reverse) score = kMaxNodeScore;
      return;
    }
    constexpr auto kMax = static_cast<std::uint64_t>(kMaxNodeScore);
    score = wrapped(kMax * static_cast<std::uint64_t>(score)) / highest;
    if (reverse) score = wrapped(kMax - static_cast<std::uint64_t>(score));
  });
}

}  // namespace berth::framework
