// Rng is the one kind of randomness in Berth: seeded by whoever runs a world, the same numbers on every platform, so
// that a seed alone reproduces a run. xoshiro256** (Blackman and Vigna), its state filled from the seed by splitmix64.
//
// Not thread safe, and not for secrets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace berth {

class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  std::uint64_t seed() const { return seed_; }

  // A generator of its own for each `stream`. It depends on the seed and the stream only, not on how many numbers were
  // drawn so far: a part of a simulation that draws more does not disturb the other parts.
  Rng fork(std::uint64_t stream) const;

  std::uint64_t next_u64();

  // Uniform in [0, n), without bias. Requires: n > 0.
  std::uint64_t below(std::uint64_t n);

  // Uniform in [low, high], both included. Requires: low <= high.
  std::int64_t in_range(std::int64_t low, std::int64_t high);

  // True in `numerator` of `denominator` cases. Requires: denominator > 0.
  bool chance(std::uint64_t numerator, std::uint64_t denominator);

  // Uniform in [0, 1), a multiple of 2^-53.
  double unit();

  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      using std::swap;
      swap(items[left - 1], items[below(left)]);
    }
  }
  template <typename Container>
  void shuffle(Container& items) {
    shuffle(std::span(items));
  }

 private:
  std::uint64_t seed_;
  std::array<std::uint64_t, 4> state_;
};

}  // namespace berth
