#include "berth/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace berth::report {

namespace {

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

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

}  // namespace

std::string short_time(Duration duration) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t ns = duration.nanoseconds();
  if (ns < 0) return "-" + short_time(Duration::nanoseconds(ns == INT64_MIN ? INT64_MAX : -ns));
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

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string count_of(std::int64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", grouped(number), thing, number == 1 ? "" : "s");
}

std::string percent(double share) {
  const auto rounded = std::lround(share * 100);
  if (rounded == 0 && share > 0) return "<1%";
  if (rounded == 100 && share < 1) return ">99%";
  return fmt::format("{}%", rounded);
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string_view cut_to(std::string_view text, std::size_t width) {
  std::size_t column = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i]) && ++column > width) return text.substr(0, i);
  }
  return text;
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view first, std::string_view rest) {
  std::string result(first);
  std::size_t column = columns(first);
  bool is_line_empty = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!is_line_empty && column + 1 + columns(word) > width) {
      result += "\n";
      result += rest;
      column = columns(rest);
      is_line_empty = true;
    }
    if (!is_line_empty) {
      result += " ";
      ++column;
    }
    result += word;
    column += columns(word);
    is_line_empty = false;
  }
  return result + "\n";
}

}  // namespace berth::report
