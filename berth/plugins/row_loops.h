// Loops over the rows of the node table that plugins have in common, a word of the set at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "berth/base/bitset.h"
#include "berth/cache/pod_class.h"
#include "berth/framework/pod_filter.h"

namespace berth::plugins {

// Takes out of `rows` those with a code other than 0, and calls rejected(row, code) for each.
template <typename CodeOf, typename Rejected>
void narrow_rows(Bitset& rows, CodeOf&& code_of, Rejected&& rejected) {
  const std::span<const std::uint64_t> words = rows.words();
  for (std::size_t index = 0; index < words.size(); ++index) {
    std::uint64_t kept = words[index];
    for (std::uint64_t word = kept; word != 0; word &= word - 1) {
      const int bit = std::countr_zero(word);
      const auto row = static_cast<cache::RowId>(index * Bitset::kBitsPerWord + static_cast<std::size_t>(bit));
      if (const std::uint8_t code = code_of(row); code != 0) {
        kept &= ~(std::uint64_t{1} << bit);
        rejected(row, code);
      }
    }
    if (kept != words[index]) rows.set_word(index, kept);
  }
}

// Takes out of `rows` those about which `verdict_of(row)` is not a success, and tells `rejected` about each.
template <typename VerdictOf>
void narrow_by(Bitset& rows, framework::PodFilter::Rejected rejected, VerdictOf&& verdict_of) {
  const std::span<const std::uint64_t> words = rows.words();
  for (std::size_t index = 0; index < words.size(); ++index) {
    std::uint64_t kept = words[index];
    for (std::uint64_t word = kept; word != 0; word &= word - 1) {
      const int bit = std::countr_zero(word);
      const auto row = static_cast<cache::RowId>(index * Bitset::kBitsPerWord + static_cast<std::size_t>(bit));
      if (const framework::Verdict verdict = verdict_of(row); !verdict.is_success()) {
        kept &= ~(std::uint64_t{1} << bit);
        rejected(row, verdict);
      }
    }
    if (kept != words[index]) rows.set_word(index, kept);
  }
}

// Replaces the score of each row by map(score). Requires: scores are from lowest to highest. Scores are mostly few
// numbers close together, so each is mapped once, and the division in it is not done per row.
template <typename Map>
void map_scores(const Bitset& rows, std::span<std::int64_t> scores, std::int64_t lowest, std::int64_t highest,
                Map&& map) {
  constexpr std::int64_t kTableSize = 512;
  if (highest - lowest >= kTableSize) {
    rows.for_each([&](std::size_t row) { scores[row] = map(scores[row]); });
    return;
  }
  std::vector<std::int64_t> table;
  for (std::int64_t score = lowest; score <= highest; ++score) table.push_back(map(score));
  rows.for_each([&](std::size_t row) { scores[row] = table[static_cast<std::size_t>(scores[row] - lowest)]; });
}

}  // namespace berth::plugins
