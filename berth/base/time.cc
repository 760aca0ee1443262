#include "berth/base/time.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>

#include "berth/base/check.h"

namespace berth {
namespace {

constexpr std::int64_t kMaxNanoseconds = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinNanoseconds = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;

// The layout that Go's messages name for RFC 3339.
constexpr std::string_view kRfc3339Layout = "2006-01-02T15:04:05Z07:00";

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? kMinNanoseconds : kMaxNanoseconds;
}

std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? kMaxNanoseconds : kMinNanoseconds;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// As Go's time package quotes: bytes that are not printable ASCII become \xNN.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x80) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

// ---- Durations -----------------------------------------------------------------------------------------------------

// The magnitude of the smallest int64, which is what a negative duration may reach.
constexpr std::uint64_t kMaxMagnitude = std::uint64_t{1} << 63;

// Nanoseconds in a unit, 0 if there is no such unit. Both micro signs count: U+00B5 and U+03BC.
std::uint64_t unit_nanoseconds(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "\u00b5s" || unit == "\u03bcs") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return 1'000'000'000;
  if (unit == "m") return 60'000'000'000;
  if (unit == "h") return 3'600'000'000'000;
  return 0;
}

// `value` in units of 10^digits, without trailing zeros: (1500, 3) is "1.5".
std::string decimal(std::uint64_t value, int digits) {
  std::uint64_t one = 1;
  for (int i = 0; i < digits; ++i) one *= 10;
  std::string text = fmt::format("{}", value / one);
  std::uint64_t fraction = value % one;
  if (fraction == 0) return text;
  while (fraction % 10 == 0) {
    fraction /= 10;
    --digits;
  }
  return text + fmt::format(".{:0{}}", fraction, digits);
}

// Reads a duration from left to right, one "<number><unit>" after the other.
class DurationReader {
 public:
  explicit DurationReader(std::string_view text) : text_(text), rest_(text) {}

  Result<std::int64_t> read() {
    bool negative = false;
    if (!rest_.empty() && (rest_[0] == '-' || rest_[0] == '+')) {
      negative = rest_[0] == '-';
      rest_.remove_prefix(1);
    }
    if (rest_ == "0") return 0;
    if (rest_.empty()) return error("invalid duration");
    std::uint64_t total = 0;
    while (!rest_.empty()) {
      Result<std::uint64_t> part = read_part();
      if (!part) return fail(std::move(part.error()));
      total += *part;
      if (total > kMaxMagnitude) return error("invalid duration");
    }
    if (negative) return static_cast<std::int64_t>(-total);
    if (total == kMaxMagnitude) return error("invalid duration");
    return static_cast<std::int64_t>(total);
  }

 private:
  Result<std::uint64_t> read_part() {
    std::uint64_t whole = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && is_digit(rest_[digits]); ++digits) {
      if (whole > kMaxMagnitude / 10) return error("invalid duration");
      whole = whole * 10 + static_cast<std::uint64_t>(rest_[digits] - '0');
      if (whole > kMaxMagnitude) return error("invalid duration");
    }
    rest_.remove_prefix(digits);
    if (!rest_.empty() && rest_[0] == '.') {
      rest_.remove_prefix(1);
      digits += read_fraction();
    } else {
      fraction_ = 0;
    }
    if (digits == 0) return error("invalid duration");

    std::size_t unit_length = 0;
    while (unit_length < rest_.size() && rest_[unit_length] != '.' && !is_digit(rest_[unit_length])) ++unit_length;
    if (unit_length == 0) return error("missing unit in duration");
    const std::string_view unit_name = rest_.substr(0, unit_length);
    rest_.remove_prefix(unit_length);
    const std::uint64_t unit = unit_nanoseconds(unit_name);
    if (unit == 0) return error("unknown unit " + quoted(unit_name) + " in duration");

    if (whole > kMaxMagnitude / unit) return error("invalid duration");
    std::uint64_t ns = whole * unit;
    // Floating point as upstream, so that long fractions round alike.
    ns += static_cast<std::uint64_t>(static_cast<double>(fraction_) * (static_cast<double>(unit) / fraction_scale_));
    if (ns > kMaxMagnitude) return error("invalid duration");
    return ns;
  }

  // Digits that no longer fit are skipped. Returns the number of digits read.
  std::size_t read_fraction() {
    fraction_ = 0;
    fraction_scale_ = 1;
    bool full = false;
    std::size_t digits = 0;
    for (; digits < rest_.size() && is_digit(rest_[digits]); ++digits) {
      if (full || fraction_ > (kMaxMagnitude - 1) / 10) {
        full = true;
        continue;
      }
      const std::uint64_t longer = fraction_ * 10 + static_cast<std::uint64_t>(rest_[digits] - '0');
      if (longer > kMaxMagnitude) {
        full = true;
        continue;
      }
      fraction_ = longer;
      fraction_scale_ *= 10;
    }
    rest_.remove_prefix(digits);
    return digits;
  }

  std::unexpected<Error> error(const std::string& reason) const {
    return fail("time: " + reason + " " + quoted(text_));
  }

  std::string_view text_;
  std::string_view rest_;
  std::uint64_t fraction_ = 0;  // The part's fraction is fraction_ / fraction_scale_.
  double fraction_scale_ = 1;
};

// ---- Dates
// -----------------------------------------------------------------------------------------------------------

struct Date {
  std::int64_t year = 0;
  int month = 1;
  int day = 1;
};

bool is_leap_year(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int days_in_month(std::int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap_year(year) ? 29 : kDays[month - 1];
}

// Both ways count in eras of 400 years that begin on 1 March, so that the leap day is the last day of a year.
constexpr std::int64_t kDaysPerEra = 146'097;
constexpr std::int64_t kDaysFromEraZeroToEpoch = 719'468;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

std::int64_t days_since_epoch(Date date) {
  const std::int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const std::int64_t era = floor_divide(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t month_from_march = (date.month + 9) % 12;
  const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + date.day - 1;
  const std::int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPerEra + day_of_era - kDaysFromEraZeroToEpoch;
}

Date date_of(std::int64_t days) {
  days += kDaysFromEraZeroToEpoch;
  const std::int64_t era = floor_divide(days, kDaysPerEra);
  const std::int64_t day_of_era = days - era * kDaysPerEra;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / (kDaysPerEra - 1)) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  const int month = static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  return {.year = era * 400 + year_of_era + (month <= 2 ? 1 : 0), .month = month, .day = day};
}

// Go's zero time, 0001-01-01T00:00:00Z.
constexpr std::int64_t kGoZeroUnixSeconds = -62'135'596'800;

// Reads RFC 3339 from left to right and remembers the first thing that is wrong. It takes what Go's
// time.Parse(time.RFC3339) takes, as that is what reads every time in a Kubernetes object: also an hour of one digit,
// a comma before the fraction, and an offset of 24 hours or 60 minutes.
class Rfc3339Reader {
 public:
  explicit Rfc3339Reader(std::string_view text) : text_(text), rest_(text) {}

  struct Moment {
    std::int64_t unix_seconds;
    std::int64_t nanoseconds;
  };

  Result<Moment> read() {
    Date date;
    date.year = number(4, "2006");
    literal("-");
    date.month = number(2, "01");
    in_range(date.month >= 1 && date.month <= 12, "month");
    literal("-");
    date.day = number(2, "02");
    literal("T");
    const bool one_digit_hour = rest_.size() >= 2 && is_digit(rest_[0]) && !is_digit(rest_[1]);
    const int hour = number(one_digit_hour ? 1 : 2, "15");
    in_range(hour <= 23, "hour");
    literal(":");
    const int minute = number(2, "04");
    in_range(minute <= 59, "minute");
    literal(":");
    const int second = number(2, "05");
    in_range(second <= 59, "second");
    const std::int64_t nanoseconds = fraction();
    const int offset_minutes = offset();
    if (!error_ && !rest_.empty()) {
      error_ = Error("parsing time " + quoted(text_) + ": extra text: " + quoted(rest_));
    }
    if (!error_) in_range(date.day >= 1 && date.day <= days_in_month(date.year, date.month), "day");
    if (error_) return fail(std::move(*error_));
    return Moment{days_since_epoch(date) * kSecondsPerDay + hour * 3'600 + (minute - offset_minutes) * 60 + second,
                  nanoseconds};
  }

 private:
  void cannot_parse(std::string_view as) {
    if (error_) return;
    error_ = Error(fmt::format("parsing time {} as {}: cannot parse {} as {}", quoted(text_), quoted(kRfc3339Layout),
                               quoted(rest_), quoted(as)));
  }

  void in_range(bool ok, std::string_view what) {
    if (!error_ && !ok) error_ = Error(fmt::format("parsing time {}: {} out of range", quoted(text_), what));
  }

  void literal(std::string_view expected) {
    if (error_) return;
    if (!rest_.starts_with(expected)) return cannot_parse(expected);
    rest_.remove_prefix(expected.size());
  }

  // Exactly `digits` digits.
  int number(std::size_t digits, std::string_view layout) {
    if (error_) return 0;
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (i >= rest_.size() || !is_digit(rest_[i])) {
        cannot_parse(layout);
        return 0;
      }
      value = value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }

  // Nanoseconds of an optional ".digits". The tenth digit and those after it add nothing.
  std::int64_t fraction() {
    if (error_ || rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !is_digit(rest_[1])) return 0;
    rest_.remove_prefix(1);
    std::int64_t value = 0;
    std::int64_t unit = kNanosecondsPerSecond;
    while (!rest_.empty() && is_digit(rest_[0])) {
      unit /= 10;
      value += unit * (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  // Minutes east of UTC, from "Z" or "+hh:mm".
  int offset() {
    if (error_) return 0;
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return 0;
    }
    constexpr std::string_view kLayout = "Z07:00";
    const std::string_view zone = rest_.substr(0, kLayout.size());
    const bool shaped = zone.size() == kLayout.size() && (zone[0] == '+' || zone[0] == '-') && is_digit(zone[1]) &&
                        is_digit(zone[2]) && zone[3] == ':' && is_digit(zone[4]) && is_digit(zone[5]);
    if (!shaped) {
      cannot_parse(kLayout);
      return 0;
    }
    const int hours = (zone[1] - '0') * 10 + (zone[2] - '0');
    const int minutes = (zone[4] - '0') * 10 + (zone[5] - '0');
    in_range(hours <= 24, "time zone offset hour");
    in_range(minutes <= 60, "time zone offset minute");
    rest_.remove_prefix(kLayout.size());
    return (zone[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
  }

  std::string_view text_;
  std::string_view rest_;
  std::optional<Error> error_;
};

struct CivilTime {
  std::string seconds;  // "2026-01-02T03:04:05"
  std::int64_t nanoseconds;
};

CivilTime civil_time(std::int64_t unix_nanoseconds) {
  const std::int64_t unix_seconds = floor_divide(unix_nanoseconds, kNanosecondsPerSecond);
  const std::int64_t days = floor_divide(unix_seconds, kSecondsPerDay);
  const std::int64_t second_of_day = unix_seconds - days * kSecondsPerDay;
  const Date date = date_of(days);
  // Unsigned remainder: the start of the first second lies before the range.
  const auto nanoseconds = static_cast<std::int64_t>(static_cast<std::uint64_t>(unix_nanoseconds) -
                                                     static_cast<std::uint64_t>(unix_seconds) * kNanosecondsPerSecond);
  return {fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", date.year, date.month, date.day, second_of_day / 3'600,
                      second_of_day / 60 % 60, second_of_day % 60),
          nanoseconds};
}

}  // namespace

Result<Duration> Duration::parse(std::string_view text) {
  Result<std::int64_t> ns = DurationReader(text).read();
  if (!ns) return fail(std::move(ns.error()));
  return Duration(*ns);
}

std::string Duration::str() const {
  if (ns_ == 0) return "0s";
  const std::string sign = ns_ < 0 ? "-" : "";
  const std::uint64_t magnitude = ns_ < 0 ? -static_cast<std::uint64_t>(ns_) : static_cast<std::uint64_t>(ns_);
  if (magnitude < 1'000) return sign + decimal(magnitude, 0) + "ns";
  if (magnitude < 1'000'000) return sign + decimal(magnitude, 3) + "\u00b5s";
  if (magnitude < 1'000'000'000) return sign + decimal(magnitude, 6) + "ms";
  constexpr std::uint64_t kMinute = 60'000'000'000;
  const std::string seconds = decimal(magnitude % kMinute, 9) + "s";
  const std::uint64_t minutes = magnitude / kMinute;
  if (minutes == 0) return sign + seconds;
  if (minutes < 60) return fmt::format("{}{}m{}", sign, minutes, seconds);
  return fmt::format("{}{}h{}m{}", sign, minutes / 60, minutes % 60, seconds);
}

Duration operator+(Duration a, Duration b) {
  return Duration(saturating_add(a.ns_, b.ns_));
}
Duration operator-(Duration a, Duration b) {
  return Duration(saturating_subtract(a.ns_, b.ns_));
}
Duration operator*(Duration a, std::int64_t factor) {
  return Duration(saturating_multiply(a.ns_, factor));
}

Result<Instant> Instant::parse(std::string_view rfc3339) {
  const auto moment = Rfc3339Reader(rfc3339).read();
  if (!moment) return fail(moment.error());
  if (moment->unix_seconds == kGoZeroUnixSeconds && moment->nanoseconds == 0) return Instant();
  __extension__ typedef __int128 Wide;
  const Wide ns = static_cast<Wide>(moment->unix_seconds) * kNanosecondsPerSecond + moment->nanoseconds;
  if (ns <= kMinNanoseconds || ns > kMaxNanoseconds) {
    return fail("time " + quoted(rfc3339) + " is outside of the years 1677 to 2262 that fit in 64 bits of nanoseconds");
  }
  return Instant(static_cast<std::int64_t>(ns));
}

Instant Instant::floor_to_second() const {
  if (!is_set()) return *this;
  return from_unix_seconds(floor_divide(ns_, kNanosecondsPerSecond));
}

std::string Instant::rfc3339() const {
  if (!is_set()) return "";
  return civil_time(ns_).seconds + "Z";
}

std::string Instant::rfc3339_micro() const {
  if (!is_set()) return "";
  const CivilTime time = civil_time(ns_);
  return fmt::format("{}.{:06}Z", time.seconds, time.nanoseconds / 1'000);
}

std::string Instant::rfc3339_nano() const {
  if (!is_set()) return "";
  const CivilTime time = civil_time(ns_);
  if (time.nanoseconds == 0) return time.seconds + "Z";
  std::string fraction = fmt::format("{:09}", time.nanoseconds);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fmt::format("{}.{}Z", time.seconds, fraction);
}

Instant operator+(Instant t, Duration d) {
  BERTH_CHECK(t.is_set(), "adding {} to an unset instant", d.str());
  const std::int64_t sum = saturating_add(t.ns_, d.nanoseconds());
  return Instant(sum == Instant::kUnset ? Instant::kUnset + 1 : sum);
}

Instant operator-(Instant t, Duration d) {
  BERTH_CHECK(t.is_set(), "subtracting {} from an unset instant", d.str());
  const std::int64_t difference = saturating_subtract(t.ns_, d.nanoseconds());
  return Instant(difference == Instant::kUnset ? Instant::kUnset + 1 : difference);
}

Duration operator-(Instant a, Instant b) {
  BERTH_CHECK(a.is_set() && b.is_set(), "subtracting {} from {}", b.rfc3339_nano(), a.rfc3339_nano());
  return Duration::nanoseconds(saturating_subtract(a.ns_, b.ns_));
}

}  // namespace berth
