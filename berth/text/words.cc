#include "berth/text/words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace berth::text {

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string counted(std::int64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", grouped(number), thing, number == 1 ? "" : "s");
}

std::string counted(std::int64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(number), number == 1 ? one : many);
}

std::string listed(std::span<const std::string> things, std::size_t shown) {
  // "and 1 more" is no shorter than naming it.
  const std::size_t named = things.size() > shown && things.size() - shown > 1 ? shown : things.size();
  std::string text;
  for (std::size_t i = 0; i < named; ++i) {
    const bool is_last = i + 1 == named && named == things.size();
    if (i > 0) text += is_last ? " and " : ", ";
    text += things[i];
  }
  if (named < things.size()) text += fmt::format(" and {} more", grouped(things.size() - named));
  return text;
}

std::string percent(double share) {
  const auto rounded = std::lround(share * 100);
  if (rounded == 0 && share > 0) return "<1%";
  if (rounded == 100 && share < 1) return ">99%";
  return fmt::format("{}%", grouped(std::int64_t{rounded}));
}

namespace {

// "3m20s", or "3m" if there is no rest.
std::string two_parts(std::int64_t value, std::int64_t unit, std::string_view large, std::string_view small,
                      std::int64_t small_unit) {
  const std::int64_t rest = value % unit / small_unit;
  return rest == 0 ? fmt::format("{}{}", value / unit, large)
                   : fmt::format("{}{}{}{}", value / unit, large, rest, small);
}

// One decimal, but only if it says something.
std::string one_decimal(std::int64_t tenths, std::string_view unit) {
  return tenths % 10 == 0 ? fmt::format("{}{}", tenths / 10, unit)
                          : fmt::format("{}.{}{}", tenths / 10, tenths % 10, unit);
}

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

// The smallest number has no opposite.
std::int64_t opposite(std::int64_t number) {
  return number == std::numeric_limits<std::int64_t>::min() ? kLargest : -number;
}

}  // namespace

std::string short_time(Duration duration) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t ns = duration.nanoseconds();
  if (ns < 0) return "-" + short_time(Duration::nanoseconds(opposite(ns)));
  if (ns == 0) return "0s";
  if (ns < 100'000) return "<0.1ms";
  if (ns < 10 * kMillisecond) return one_decimal(ns / 100'000, "ms");
  if (ns < kSecond) return fmt::format("{}ms", ns / kMillisecond);
  if (ns < 60 * kSecond) return one_decimal(ns / (100 * kMillisecond), "s");
  const std::int64_t seconds = ns / kSecond;
  if (seconds < 3600) return two_parts(seconds, 60, "m", "s", 1);
  if (seconds < 86'400) return two_parts(seconds, 3600, "h", "m", 60);
  return two_parts(seconds, 86'400, "d", "h", 3600);
}

std::string short_time(double seconds) {
  return short_time(Duration::nanoseconds(std::llround(seconds * 1e9)));
}

namespace {

// Of a thousand cpus and more, tenths say enough.
std::string cpu(std::int64_t milli, Round round) {
  if (milli >= 1'000'000 && milli <= kLargest - 99) milli = (milli + (round == Round::kUp ? 99 : 0)) / 100 * 100;
  if (milli % 1000 == 0) return fmt::format("{}", milli / 1000);
  if (milli > 1000 && milli % 100 == 0) return fmt::format("{}.{}", milli / 1000, milli % 1000 / 100);
  if (milli < 10'000) return fmt::format("{}m", milli);
  std::string text = fmt::format("{}.{:03}", milli / 1000, milli % 1000);
  while (text.back() == '0') text.pop_back();
  return text;
}

std::string bytes(std::int64_t value, Round round) {
  constexpr std::array<std::string_view, 6> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  std::size_t unit = 0;
  std::int64_t size = 1;
  while (unit + 1 < kUnits.size() && value >= size * 1024) {
    size *= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{}", value);
  const std::int64_t whole = value / size;
  const std::int64_t rest = value % size * 10;  // fits: the largest unit is 2^50
  const std::int64_t rounded = (rest + (round == Round::kUp ? size - 1 : 0)) / size;
  if (rounded == 0) return fmt::format("{}{}", whole, kUnits[unit]);
  if (rounded == 10) return fmt::format("{}{}", whole + 1, kUnits[unit]);
  return fmt::format("{}.{}{}", whole, rounded, kUnits[unit]);
}

bool is_counted_in_bytes(Symbol resource) {
  return resource == "memory" || resource == "ephemeral-storage" || resource == "storage" ||
         resource.text().starts_with("hugepages-");
}

}  // namespace

std::string amount(Symbol resource, std::int64_t value, Round round) {
  if (value < 0) return "-" + amount(resource, opposite(value), round == Round::kUp ? Round::kDown : Round::kUp);
  if (resource == "cpu") return cpu(value, round);
  return is_counted_in_bytes(resource) ? bytes(value, round) : fmt::format("{}", value);
}

std::string amount_of(Symbol resource, std::int64_t value, Round round) {
  return fmt::format("{} {}", amount(resource, value, round), resource.text());
}

std::string share_of(Symbol resource, std::int64_t requested, std::int64_t allocatable) {
  std::string both =
      fmt::format("{} of {}", amount(resource, requested, Round::kUp), amount(resource, allocatable, Round::kDown));
  if (allocatable <= 0) return both;
  return fmt::format("{} ({})", both, percent(static_cast<double>(requested) / static_cast<double>(allocatable)));
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto digits = [&](std::string_view text, std::size_t& at) {
      while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
      const std::size_t begin = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return text.substr(begin, at - begin);
    };
    const std::string_view x = digits(a, i), y = digits(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;
}

}  // namespace berth::text
