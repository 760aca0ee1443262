#include "berth/base/rng.h"

#include <bit>

#include "berth/base/check.h"
#include "berth/base/hash.h"

namespace berth {
namespace {

std::uint64_t next_splitmix64(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ull;
  std::uint64_t word = state;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
  return word ^ (word >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed) : seed_(seed) {
  std::uint64_t filler = seed;
  for (std::uint64_t& word : state_) word = next_splitmix64(filler);
}

Rng Rng::fork(std::uint64_t stream) const {
  return Rng(hash_combine(seed_, stream));
}

std::uint64_t Rng::next_u64() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

// The high half of a 128-bit product maps a word to [0, n); the few low halves that would make some results more likely
// are drawn again (Lemire, "Fast random integer generation in an interval").
std::uint64_t Rng::below(std::uint64_t n) {
  BERTH_CHECK(n > 0, "a number below 0 was asked for");
  __extension__ typedef unsigned __int128 Wide;
  Wide product = static_cast<Wide>(next_u64()) * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t rejected = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < rejected) product = static_cast<Wide>(next_u64()) * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::int64_t Rng::in_range(std::int64_t low, std::int64_t high) {
  BERTH_CHECK(low <= high, "the range {} to {} is empty", low, high);
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::uint64_t offset = width == 0 ? next_u64() : below(width);  // 0: all of int64.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

bool Rng::chance(std::uint64_t numerator, std::uint64_t denominator) {
  return below(denominator) < numerator;
}

double Rng::unit() {
  return static_cast<double>(next_u64() >> 11) * 0x1.0p-53;
}

}  // namespace berth
