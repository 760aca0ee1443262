// Instants and durations as strong types, in whole nanoseconds. There is no "now" here: time is a parameter that a
// world hands in.
//
// Instant counts nanoseconds since 1970-01-01T00:00:00Z. A default Instant is "unset", as Go's zero time is; the Unix
// epoch itself is a different, set instant. Arithmetic saturates at the ends of the range (years 1677 to 2262).
// Duration prints and parses as Go's time.Duration ("1h2m3.5s"), Instant as RFC 3339.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "berth/base/error.h"

namespace berth {

// The product, or the end of the range that it passes.
constexpr std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration nanoseconds(std::int64_t n) { return Duration(n); }
  static constexpr Duration microseconds(std::int64_t n) { return Duration(saturating_multiply(n, 1'000)); }
  static constexpr Duration milliseconds(std::int64_t n) { return Duration(saturating_multiply(n, 1'000'000)); }
  static constexpr Duration seconds(std::int64_t n) { return Duration(saturating_multiply(n, 1'000'000'000)); }
  static constexpr Duration minutes(std::int64_t n) { return seconds(saturating_multiply(n, 60)); }
  static constexpr Duration hours(std::int64_t n) { return seconds(saturating_multiply(n, 3600)); }
  static constexpr Duration max() { return Duration(std::numeric_limits<std::int64_t>::max()); }

  // As Go's time.ParseDuration, with its error texts: `time: invalid duration "x"`, `time: missing unit in duration
  // "5"`.
  static Result<Duration> parse(std::string_view text);

  constexpr std::int64_t nanoseconds() const { return ns_; }
  constexpr double in_seconds() const { return static_cast<double>(ns_) / 1e9; }

  // As Go's Duration.String: "0s", "1.5s", "300ms", "1h0m0s".
  std::string str() const;

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend Duration operator+(Duration a, Duration b);
  friend Duration operator-(Duration a, Duration b);
  friend Duration operator*(Duration a, std::int64_t factor);

 private:
  explicit constexpr Duration(std::int64_t ns) : ns_(ns) {}
  std::int64_t ns_ = 0;
};

class Instant {
 public:
  // Unset.
  constexpr Instant() = default;
  static constexpr Instant from_unix_nanoseconds(std::int64_t n) { return Instant(n); }
  static constexpr Instant from_unix_seconds(std::int64_t n) {
    const std::int64_t ns = saturating_multiply(n, 1'000'000'000);
    return ns == kUnset ? Instant(kUnset + 1) : Instant(ns);
  }

  // RFC 3339 with any offset, with Go's error texts. Of the fraction nine digits count, further ones are dropped.
  // "0001-01-01T00:00:00Z", Go's zero time, gives the unset instant; any other time that does not fit is an error.
  static Result<Instant> parse(std::string_view rfc3339);

  constexpr bool is_set() const { return ns_ != kUnset; }

  // Requires: is_set().
  constexpr std::int64_t unix_nanoseconds() const { return ns_; }

  // Rounded down to a whole second, also before 1970.
  Instant floor_to_second() const;

  // metav1.Time's form: "2026-01-02T03:04:05Z". An unset instant gives "".
  std::string rfc3339() const;
  // metav1.MicroTime's form: "2026-01-02T03:04:05.000006Z".
  std::string rfc3339_micro() const;
  // Go's RFC3339Nano: the fraction without trailing zeros.
  std::string rfc3339_nano() const;

  // Unset comes before every set instant.
  friend constexpr auto operator<=>(Instant, Instant) = default;

  // Require: set instants.
  friend Instant operator+(Instant t, Duration d);
  friend Instant operator-(Instant t, Duration d);
  friend Duration operator-(Instant a, Instant b);

 private:
  explicit constexpr Instant(std::int64_t ns) : ns_(ns) {}
  static constexpr std::int64_t kUnset = std::numeric_limits<std::int64_t>::min();
  std::int64_t ns_ = kUnset;
};

}  // namespace berth
