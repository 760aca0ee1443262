// A hash of bytes that gives the same number on every platform and in every run, unlike std::hash. It is fast on the
// short texts that names are and mixes well enough for tables of a power of two. It is not meant to resist an attacker
// who chooses the texts.
//
// Each step multiplies two 64-bit words to 128 bits and folds the halves together, so every input bit reaches both
// ends of the result.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace berth {

namespace hash_detail {

// Odd words with about half of their bits set: the fractional parts of the square roots of 2, 3 and 5.
inline constexpr std::uint64_t kMixA = 0x6A09E667F3BCC909ull;
inline constexpr std::uint64_t kMixB = 0xBB67AE8584CAA73Bull;
inline constexpr std::uint64_t kMixC = 0x3C6EF372FE94F82Bull;

__extension__ typedef unsigned __int128 Word128;

constexpr std::uint64_t multiply_and_fold(std::uint64_t a, std::uint64_t b) {
  const Word128 product = static_cast<Word128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <typename Word>
inline std::uint64_t read_little_endian(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  if constexpr (std::endian::native == std::endian::big) {
    if constexpr (sizeof(Word) == 8) {
      return __builtin_bswap64(word);
    } else {
      return __builtin_bswap32(word);
    }
  }
  return word;
}

}  // namespace hash_detail

// The last step of hash_bytes on its own: spreads the bits of one word over the whole result.
constexpr std::uint64_t hash_word(std::uint64_t word) {
  return hash_detail::multiply_and_fold(word ^ hash_detail::kMixA, (word >> 32) ^ hash_detail::kMixB);
}

// Order matters: hash_combine(a, b) differs from hash_combine(b, a).
constexpr std::uint64_t hash_combine(std::uint64_t seed, std::uint64_t hash) {
  return hash_detail::multiply_and_fold(seed ^ hash_detail::kMixA, hash ^ hash_detail::kMixC) ^
         (seed + hash_detail::kMixB);
}

inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0) {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t state = seed ^ hash_detail::kMixA;
  while (left > 16) {
    state = hash_detail::multiply_and_fold(hash_detail::read_little_endian<std::uint64_t>(at) ^ hash_detail::kMixB,
                                           hash_detail::read_little_endian<std::uint64_t>(at + 8) ^ state);
    at += 16;
    left -= 16;
  }
  // The last 1 to 16 bytes as two words that may overlap; the length goes in below, so overlap makes no two texts
  // alike.
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (left >= 8) {
    low = hash_detail::read_little_endian<std::uint64_t>(at);
    high = hash_detail::read_little_endian<std::uint64_t>(at + left - 8);
  } else if (left >= 4) {
    low = hash_detail::read_little_endian<std::uint32_t>(at);
    high = hash_detail::read_little_endian<std::uint32_t>(at + left - 4);
  } else if (left > 0) {
    low = static_cast<std::uint64_t>(static_cast<unsigned char>(at[0])) |
          static_cast<std::uint64_t>(static_cast<unsigned char>(at[left / 2])) << 8 |
          static_cast<std::uint64_t>(static_cast<unsigned char>(at[left - 1])) << 16;
  }
  const std::uint64_t folded = hash_detail::multiply_and_fold(low ^ hash_detail::kMixB, high ^ state);
  return hash_detail::multiply_and_fold(folded ^ hash_detail::kMixC, state ^ bytes.size());
}

// Lets hash tables with std::string keys be asked with a std::string_view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return hash_bytes(text); }
};

}  // namespace berth
