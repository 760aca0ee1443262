// Bitset is a set of small numbers, such as rows of the node table: one bit each in 64-bit words. Whole-set operations
// are plain loops over the words, which compilers turn into vector instructions.
//
// Not thread safe. Invariant: bits past size() in the last word are zero, so counting, comparing and searching need no
// special case for it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "berth/base/check.h"

namespace berth {

class Bitset {
 public:
  static constexpr std::size_t kBitsPerWord = 64;
  // What a search gives that finds nothing.
  static constexpr std::size_t kNotFound = ~std::size_t{0};

  Bitset() = default;
  explicit Bitset(std::size_t size) { resize(size); }

  std::size_t size() const { return size_; }

  // New bits are zero.
  void resize(std::size_t size) {
    words_.resize((size + kBitsPerWord - 1) / kBitsPerWord);
    size_ = size;
    clear_tail();
  }

  bool test(std::size_t bit) const {
    check_bit(bit);
    return (words_[bit / kBitsPerWord] & mask_of(bit)) != 0;
  }
  void set(std::size_t bit) {
    check_bit(bit);
    words_[bit / kBitsPerWord] |= mask_of(bit);
  }
  void set(std::size_t bit, bool value) { value ? set(bit) : reset(bit); }
  void reset(std::size_t bit) {
    check_bit(bit);
    words_[bit / kBitsPerWord] &= ~mask_of(bit);
  }
  // All bits to zero; the size stays.
  void clear() {
    for (std::uint64_t& word : words_) word = 0;
  }

  std::size_t count() const {
    std::size_t total = 0;
    for (const std::uint64_t word : words_) total += static_cast<std::size_t>(std::popcount(word));
    return total;
  }
  bool any() const {
    for (const std::uint64_t word : words_) {
      if (word != 0) return true;
    }
    return false;
  }
  bool none() const { return !any(); }

  // Requires of all four: the sizes are equal.
  Bitset& operator&=(const Bitset& other) {
    check_size(other);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  Bitset& operator|=(const Bitset& other) {
    check_size(other);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  // Removes what is in `other`.
  Bitset& and_not(const Bitset& other) {
    check_size(other);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  bool intersects(const Bitset& other) const {
    check_size(other);
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }

  // The lowest bit that is set, or kNotFound.
  std::size_t find_first() const { return find_from(0); }
  // The lowest bit from `bit` on that is set, or kNotFound.
  std::size_t find_from(std::size_t bit) const {
    if (bit >= size_) return kNotFound;
    std::size_t index = bit / kBitsPerWord;
    std::uint64_t word = words_[index] & (~std::uint64_t{0} << (bit % kBitsPerWord));
    while (word == 0) {
      if (++index == words_.size()) return kNotFound;
      word = words_[index];
    }
    return index * kBitsPerWord + static_cast<std::size_t>(std::countr_zero(word));
  }

  // Calls `fn(bit)` for each bit that is set, in ascending order. A word is read once: of changes that `fn` makes to
  // this set, those in the word at hand are not seen.
  template <typename Fn>
  void for_each(Fn&& fn) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        fn(i * kBitsPerWord + static_cast<std::size_t>(std::countr_zero(word)));
      }
    }
  }

  // The words themselves, for code that computes 64 bits at a time. Bits past size() are dropped.
  std::span<const std::uint64_t> words() const { return words_; }
  void set_word(std::size_t index, std::uint64_t bits) {
    BERTH_CHECK(index < words_.size(), "word {} of {}", index, words_.size());
    words_[index] = bits;
    if (index + 1 == words_.size()) clear_tail();
  }

  friend bool operator==(const Bitset&, const Bitset&) = default;

 private:
  static constexpr std::uint64_t mask_of(std::size_t bit) { return std::uint64_t{1} << (bit % kBitsPerWord); }

  void check_bit(std::size_t bit) const { BERTH_CHECK(bit < size_, "bit {} of {}", bit, size_); }
  void check_size(const Bitset& other) const {
    BERTH_CHECK(size_ == other.size_, "sets of {} and {} bits", size_, other.size_);
  }

  void clear_tail() {
    if (size_ % kBitsPerWord != 0) words_.back() &= mask_of(size_) - 1;
  }

  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace berth
