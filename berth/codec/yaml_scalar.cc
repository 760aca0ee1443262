#include "berth/codec/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace berth::codec {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t count_digits(std::string_view text) {
  return std::ranges::find_if_not(text, is_digit) - text.begin();
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, text) != words.end();
}

constexpr std::array<std::string_view, 11> kTrueWords = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                         "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalseWords = {"n",     "N",     "no",  "No",  "NO", "false",
                                                          "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNullWords = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 3> kNanWords = {".nan", ".NaN", ".NAN"};
constexpr std::array<std::string_view, 3> kInfinityWords = {".inf", ".Inf", ".INF"};

YamlScalar integer_scalar(std::int64_t value) {
  YamlScalar scalar;
  scalar.kind = NodeKind::kInteger;
  scalar.integer = value;
  return scalar;
}

YamlScalar real_scalar(double value) {
  YamlScalar scalar;
  scalar.kind = NodeKind::kReal;
  scalar.real = value;
  return scalar;
}

// As Go's ParseInt and ParseUint with base 0, on a text without underscores.
std::optional<YamlScalar> parse_integer(std::string_view text) {
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  const bool is_negative = text.starts_with('-');
  std::string_view digits = text.substr(has_sign ? 1 : 0);
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char letter = static_cast<char>(digits[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    digits.remove_prefix(letter == 'x' || letter == 'b' || letter == 'o' ? 2 : 1);
  }
  std::uint64_t magnitude = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, magnitude, base);
  if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (is_negative) {
    if (magnitude > kMax + 1) return std::nullopt;
    return integer_scalar(static_cast<std::int64_t>(~magnitude + 1));
  }
  if (magnitude <= kMax) return integer_scalar(static_cast<std::int64_t>(magnitude));
  if (has_sign) return std::nullopt;
  YamlScalar scalar;
  scalar.kind = NodeKind::kBigInteger;
  scalar.big_integer = magnitude;
  return scalar;
}

// A sign, digits with at most one point and at least one digit on a side of it, an exponent.
std::optional<YamlScalar> parse_real(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
  const std::size_t whole_digits = count_digits(rest);
  rest.remove_prefix(whole_digits);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const std::size_t fraction_digits = count_digits(rest);
    if (whole_digits == 0 && fraction_digits == 0) return std::nullopt;
    rest.remove_prefix(fraction_digits);
  } else if (whole_digits == 0) {
    return std::nullopt;
  }
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
    const std::size_t exponent_digits = count_digits(rest);
    if (exponent_digits == 0) return std::nullopt;
    rest.remove_prefix(exponent_digits);
  }
  if (!rest.empty()) return std::nullopt;
  const double value = std::strtod(std::string(text).c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return real_scalar(value);
}

std::optional<int> take_number(std::string_view& text, std::size_t most_digits) {
  const std::size_t digits = std::min(count_digits(text), most_digits);
  if (digits == 0) return std::nullopt;
  int value = 0;
  std::from_chars(text.data(), text.data() + digits, value);
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

int days_in_month(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && is_leap ? 29 : kDays[month - 1];
}

bool is_zone(std::string_view text) {
  if (text == "Z") return true;
  if (!take(text, '+') && !take(text, '-')) return false;
  const bool has_form = text.size() == 5 && is_digit(text[0]) && is_digit(text[1]) && text[2] == ':' &&
                        is_digit(text[3]) && is_digit(text[4]);
  if (!has_form) return false;
  const int hours = (text[0] - '0') * 10 + text[1] - '0';
  const int minutes = (text[3] - '0') * 10 + text[4] - '0';
  return hours <= 24 && minutes <= 60;
}

// "2001-12-14", "2001-12-14 21:59:43.10", "2001-12-14T21:59:43.10-05:00"; months, days and so on may have one digit.
bool is_timestamp(std::string_view text) {
  if (count_digits(text) != 4) return false;
  const int year = *take_number(text, 4);
  if (!take(text, '-')) return false;
  const auto month = take_number(text, 2);
  if (!month || *month < 1 || *month > 12 || !take(text, '-')) return false;
  const auto day = take_number(text, 2);
  if (!day || *day < 1 || *day > days_in_month(year, *month)) return false;
  if (text.empty()) return true;
  const bool has_zone = text[0] == 'T' || text[0] == 't';
  if (has_zone) {
    text.remove_prefix(1);
  } else {
    if (text[0] != ' ') return false;
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return false;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59 || !take(text, ':')) return false;
  const auto second = take_number(text, 2);
  if (!second || *second > 59) return false;
  if (text.size() >= 2 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    text.remove_prefix(1);
    text.remove_prefix(count_digits(text));
  }
  return has_zone ? is_zone(text) : text.empty();
}

// "190:20:30.15"
bool is_base_60(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || !is_digit(text[0])) return false;
  const auto skip_digits_and_underscores = [&text] {
    const auto end = std::ranges::find_if_not(text, [](char c) { return is_digit(c) || c == '_'; });
    text.remove_prefix(end - text.begin());
  };
  skip_digits_and_underscores();
  bool has_colon = false;
  while (take(text, ':')) {
    const std::size_t digits = count_digits(text);
    if (digits == 0 || digits > 2 || (digits == 2 && text[0] > '5')) return false;
    text.remove_prefix(digits);
    has_colon = true;
  }
  if (take(text, '.')) skip_digits_and_underscores();
  return has_colon && text.empty();
}

}  // namespace

YamlScalar resolve_yaml_scalar(std::string_view text) {
  YamlScalar scalar;
  const char first = text.empty() ? '~' : text[0];
  switch (first) {
    case '~':
    case 'y':
    case 'Y':
    case 'n':
    case 'N':
    case 't':
    case 'T':
    case 'f':
    case 'F':
    case 'o':
    case 'O':
      if (text.size() > 5) return scalar;
      if (is_one_of(text, kNullWords)) {
        scalar.kind = NodeKind::kNull;
      } else if (is_one_of(text, kTrueWords) || is_one_of(text, kFalseWords)) {
        scalar.kind = NodeKind::kBool;
        scalar.boolean = is_one_of(text, kTrueWords);
      }
      return scalar;
    case '.':
      if (is_one_of(text, kNanWords)) return real_scalar(std::numeric_limits<double>::quiet_NaN());
      if (is_one_of(text, kInfinityWords)) return real_scalar(std::numeric_limits<double>::infinity());
      return parse_real(text).value_or(scalar);
    default: break;
  }
  if (!is_digit(first) && first != '+' && first != '-') return scalar;
  if (first == '+' && is_one_of(text.substr(1), kInfinityWords)) {
    return real_scalar(std::numeric_limits<double>::infinity());
  }
  if (first == '-' && is_one_of(text.substr(1), kInfinityWords)) {
    return real_scalar(-std::numeric_limits<double>::infinity());
  }
  std::string without_underscores;
  if (text.find('_') != std::string_view::npos) {
    std::ranges::remove_copy(text, std::back_inserter(without_underscores), '_');
    text = without_underscores;
  }
  if (auto integer = parse_integer(text)) return *integer;
  return parse_real(text).value_or(scalar);
}

bool needs_yaml_quotes(std::string_view text) {
  return resolve_yaml_scalar(text).kind != NodeKind::kString || is_timestamp(text) || is_base_60(text);
}

}  // namespace berth::codec
