// A natural number of any size, for the few quantities that do not fit 64 bits: "100.5Gi" is kept as 107911053312 with
// nine decimal places, which is 21 digits.
//
// The limbs are decimal (base 10^9, least significant first) rather than binary, because what a quantity does with such
// a number is to move its decimal point, drop trailing zeros and print it. All of these take one pass over the limbs,
// so that a hostile text costs time in proportion to its size.
//
// A plain value, not thread safe. Invariant: the most significant limb is not zero; zero has no limbs.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::api {

class WideDecimal {
 public:
  WideDecimal() = default;
  explicit WideDecimal(std::uint64_t value);

  // The number whose digits are `leading` followed by `trailing`; leading zeros are fine. Requires: digits only.
  static WideDecimal from_digits(std::string_view leading, std::string_view trailing);

  bool is_zero() const { return limbs_.empty(); }

  // How many digits it is written with; 0 for zero.
  std::int64_t digits() const;

  // The value if it fits.
  std::optional<std::uint64_t> as_uint64() const;

  // The value modulo 2^64.
  std::uint64_t low_64_bits() const;

  // The nearest double, ties to even; infinity if it is too large.
  double nearest_double() const;

  // Appends the decimal digits.
  void append_to(std::string& out) const;

  void multiply(std::uint32_t factor);
  void multiply_by_power_of_10(std::int64_t power);

  // Divides, rounding down, and returns the remainder. Requires: divisor > 0.
  std::uint32_t divide(std::uint32_t divisor);

  // Divides by 10^power, rounding down; returns whether the division was exact.
  bool divide_by_power_of_10(std::int64_t power);

  // Divides by 10 as long as that is exact, and returns how often. Requires: not zero.
  std::int64_t strip_trailing_zeros();

  WideDecimal& operator+=(const WideDecimal& other);

  // Requires: *this >= other.
  WideDecimal& operator-=(const WideDecimal& other);

  friend std::strong_ordering operator<=>(const WideDecimal& a, const WideDecimal& b);
  friend bool operator==(const WideDecimal& a, const WideDecimal& b) = default;

  const std::vector<std::uint32_t>& limbs() const { return limbs_; }

 private:
  void trim();

  std::vector<std::uint32_t> limbs_;
};

}  // namespace berth::api
