#include "berth/api/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "berth/api/wide_decimal.h"

namespace berth::api {
namespace {

using Format = Quantity::Format;

constexpr std::int64_t kLeastInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatestInt64 = std::numeric_limits<std::int64_t>::max();

// Upstream's texts: ErrFormatWrong, ErrNumeric and ErrSuffix.
constexpr const char* kFormatWrong =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr const char* kNumericWrong = "unable to parse numeric part of quantity";
constexpr const char* kSuffixWrong = "unable to parse quantity's suffix";

// The most digits that upstream reads into an int64 without looking whether they fit.
constexpr int kMaxSmallDigits = 18;

constexpr std::array<std::int64_t, 19> kPowersOf10 = [] {
  std::array<std::int64_t, 19> powers{};
  std::int64_t power = 1;
  for (std::int64_t& entry : powers) {
    entry = power;
    power = entry < kGreatestInt64 / 10 ? entry * 10 : 0;
  }
  return powers;
}();

// ---- Integer arithmetic that wraps where Go's does.

constexpr std::int64_t wrapping(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits);
}
constexpr std::int64_t wrapping_negate(std::int64_t value) {
  return wrapping(0 - static_cast<std::uint64_t>(value));
}
constexpr std::int64_t wrapping_multiply(std::int64_t a, std::int64_t b) {
  return wrapping(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
constexpr std::int32_t wrapping_exponent(std::int64_t exponent) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(exponent)));
}

constexpr std::uint64_t magnitude_of(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

struct Scaled {
  std::int64_t value;
  bool fits;
};

// value * 10^power. What comes out if it does not fit is visible upstream as a Value(): the wrapped product for the
// powers that have a path of their own there, else 0. A power below zero, left by a wrapped exponent, changes nothing.
Scaled scale_up(std::int64_t value, std::int32_t power) {
  if (power <= 0 || value == 0) return {value, true};
  std::int64_t product = 0;
  if (power < static_cast<std::int32_t>(kPowersOf10.size()) &&
      !__builtin_mul_overflow(value, kPowersOf10[power], &product)) {
    return {product, true};
  }
  const bool wraps = power <= 3 || power == 6 || power == 9;
  return {wraps && value != kLeastInt64 ? wrapping_multiply(value, kPowersOf10[power]) : 0, false};
}

struct Rounded {
  std::int64_t value;
  bool exact;
};

// value / 10^power, away from zero. Requires: power > 0.
Rounded scale_down(std::int64_t value, std::int64_t power) {
  const int sign = value > 0 ? 1 : value < 0 ? -1 : 0;
  if (power >= static_cast<std::int64_t>(kPowersOf10.size())) return {sign, sign == 0};
  const std::int64_t divisor = kPowersOf10[power];
  const bool exact = value % divisor == 0;
  return {value / divisor + (exact ? 0 : sign), exact};
}

// Go's math.Pow10: a product of two table entries, so that the last bit is the same.
double power_of_10_as_double(std::int32_t power) {
  static constexpr double kSteps[] = {1e00, 1e01, 1e02, 1e03, 1e04, 1e05, 1e06, 1e07, 1e08, 1e09, 1e10,
                                      1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
                                      1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
  static constexpr double kUpward[] = {1e00, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288};
  static constexpr double kDownward[] = {1e-00,  1e-32,  1e-64,  1e-96,  1e-128, 1e-160,
                                         1e-192, 1e-224, 1e-256, 1e-288, 1e-320};
  if (power > 308) return std::numeric_limits<double>::infinity();
  if (power < -323) return 0;
  return power >= 0 ? kUpward[power / 32] * kSteps[power % 32] : kDownward[-power / 32] / kSteps[-power % 32];
}

// ---- Suffixes.

struct Suffix {
  Format format;
  std::int32_t exponent;  // of 2 for kBinarySI, else of 10
};

constexpr std::optional<std::int32_t> decimal_suffix(char letter) {
  switch (letter) {
    case 'n': return -9;
    case 'u': return -6;
    case 'm': return -3;
    case 'k': return 3;
    case 'M': return 6;
    case 'G': return 9;
    case 'T': return 12;
    case 'P': return 15;
    case 'E': return 18;
    default: return std::nullopt;
  }
}

// The exponent of 2 for the letter in front of the "i".
constexpr std::optional<std::int32_t> binary_suffix(char letter) {
  switch (letter) {
    case 'K': return 10;
    case 'M': return 20;
    case 'G': return 30;
    case 'T': return 40;
    case 'P': return 50;
    case 'E': return 60;
    default: return std::nullopt;
  }
}

// How many digits in front of a binary suffix upstream reads into an int64; the rest goes to the decimal form.
constexpr int max_small_digits(std::int32_t exponent_of_2) {
  return 14 - exponent_of_2 * 3 / 10;
}

std::optional<Suffix> read_suffix(std::string_view text) {
  if (text.empty()) return Suffix{Format::kDecimalSI, 0};
  if (text.size() == 1) {
    const auto exponent = decimal_suffix(text[0]);
    if (!exponent) return std::nullopt;
    return Suffix{Format::kDecimalSI, *exponent};
  }
  if (text.size() == 2 && text[1] == 'i') {
    const auto exponent = binary_suffix(text[0]);
    if (!exponent) return std::nullopt;
    return Suffix{Format::kBinarySI, *exponent};
  }
  if (text[0] != 'e' && text[0] != 'E') return std::nullopt;
  text.remove_prefix(text[1] == '+' ? 2 : 1);
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Suffix{Format::kDecimalExponent, wrapping_exponent(exponent)};
}

void append_number(std::string& out, std::int64_t number) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append_number(std::string& out, std::uint64_t number) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// What stands behind a number in canonical form. An exponent without a suffix is left out, as upstream: ten thousand E
// print as "10".
void append_suffix(std::string& out, std::int32_t exponent, Format format) {
  static constexpr std::string_view kLetters = "num kMGTPE";
  if (exponent == 0) return;
  if (format == Format::kDecimalExponent) {
    out += 'e';
    append_number(out, std::int64_t{exponent});
  } else if (exponent >= -9 && exponent <= 18) {
    out += kLetters[static_cast<std::size_t>(exponent / 3 + 3)];
  }
}

// ---- The parts of a text.

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct Parts {
  bool negative = false;
  bool has_digits = false;    // anywhere in the number; upstream takes "+", "." and "k" for zero
  std::string_view whole;     // without leading zeros
  std::string_view fraction;  // the digits behind the point
  std::string_view suffix;
};

// Takes a text apart; nothing if it does not have the form of a quantity.
std::optional<Parts> take_apart(std::string_view text) {
  Parts parts;
  std::size_t at = 0;
  const auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
  const auto take_digits = [&] {
    const std::size_t begin = at;
    while (is_digit(peek())) ++at;
    return text.substr(begin, at - begin);
  };
  if (peek() == '+' || peek() == '-') parts.negative = text[at++] == '-';
  parts.whole = take_digits();
  if (peek() == '.') {
    ++at;
    parts.fraction = take_digits();
  }
  parts.has_digits = !parts.whole.empty() || !parts.fraction.empty();
  while (!parts.whole.empty() && parts.whole.front() == '0') parts.whole.remove_prefix(1);

  const std::size_t suffix_begin = at;
  while (at < text.size() && std::string_view("eEinumkKMGTP").find(text[at]) != std::string_view::npos) ++at;
  if (peek() == '+' || peek() == '-') ++at;
  take_digits();
  if (at != text.size()) return std::nullopt;
  parts.suffix = text.substr(suffix_begin);
  return parts;
}

// The UTF-8 of every character that Unicode calls a blank.
constexpr std::string_view kBlanks[] = {
    " ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u0085", "\u00a0", "\u1680",
    "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
    "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000",
};

std::string_view without_blanks_around(std::string_view text) {
  const auto cut = [&](auto&& is_at_end, auto&& remove) {
    for (bool found = true; found;) {
      found = false;
      for (const std::string_view blank : kBlanks) {
        if (!is_at_end(blank)) continue;
        remove(blank.size());
        found = true;
      }
    }
  };
  cut([&](std::string_view blank) { return text.starts_with(blank); }, [&](std::size_t n) { text.remove_prefix(n); });
  cut([&](std::string_view blank) { return text.ends_with(blank); }, [&](std::size_t n) { text.remove_suffix(n); });
  return text;
}

std::int64_t read_digits(std::string_view leading, std::string_view trailing) {
  std::int64_t value = 0;
  for (const char c : leading) value = value * 10 + (c - '0');
  for (const char c : trailing) value = value * 10 + (c - '0');
  return value;
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t mixed = (seed ^ value) + 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

}  // namespace

struct Quantity::Spelled {
  std::int64_t value;
  std::string text;
};

struct Quantity::Wide {
  bool negative;
  WideDecimal magnitude;
};

struct Quantity::Decimal {
  bool negative = false;
  WideDecimal magnitude;
  std::int32_t exponent = 0;

  // Makes the last decimal place that of 10^target, away from zero; returns whether nothing was lost. A finer place
  // than the limit on digits allows leaves the number as it is, which loses nothing.
  bool round_to(std::int32_t target) {
    const std::int64_t drop = std::int64_t{target} - exponent;
    if (drop <= 0) {
      if (magnitude.is_zero() || magnitude.digits() - drop <= kMaxQuantityDigits) {
        magnitude.multiply_by_power_of_10(-drop);
        exponent = target;
      }
      return true;
    }
    const bool exact = magnitude.divide_by_power_of_10(drop);
    if (!exact) magnitude += WideDecimal(1);
    exponent = target;
    return exact;
  }
};

// ---- Memory.

void Quantity::release() noexcept {
  if (kind_ == Kind::kSpelled) {
    delete number_.spelled;
  } else {
    delete number_.wide;
  }
}

void Quantity::clone() {
  if (kind_ == Kind::kSpelled) {
    number_.spelled = new Spelled(*number_.spelled);
  } else {
    number_.wide = new Wide(*number_.wide);
  }
}

std::int64_t Quantity::small_number() const {
  return kind_ == Kind::kSpelled ? number_.spelled->value : number_.small;
}

void Quantity::drop_spelling() {
  if (kind_ == Kind::kSpelled) *this = Quantity(small_number(), exponent_, format_);
}

Quantity::Decimal Quantity::decimal() const {
  if (kind_ == Kind::kWide) return {number_.wide->negative, number_.wide->magnitude, exponent_};
  const std::int64_t number = small_number();
  return {number < 0, WideDecimal(magnitude_of(number)), exponent_};
}

void Quantity::set_decimal(Decimal&& decimal) {
  if (owns_memory()) release();
  exponent_ = decimal.exponent;
  const auto magnitude = decimal.magnitude.as_uint64();
  if (magnitude && *magnitude <= static_cast<std::uint64_t>(kGreatestInt64)) {
    kind_ = Kind::kSmallDecimal;
    number_.small = decimal.negative ? -static_cast<std::int64_t>(*magnitude) : static_cast<std::int64_t>(*magnitude);
  } else {
    kind_ = Kind::kWide;
    number_.wide = new Wide{decimal.negative, std::move(decimal.magnitude)};
  }
}

// ---- Parsing.

// The texts of nearly all quantities: an integer without leading zeros and a suffix of at most two letters. They are
// canonical or get normalised, so that no spelling has to be kept.
Result<Quantity> Quantity::parse(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  if (at == end) return parse_any(text);
  if (*at == '0') return text.size() == 1 ? Quantity() : parse_any(text);

  const char* const digits_begin = at;
  std::uint64_t magnitude = 0;
  for (; at != end && is_digit(*at); ++at) magnitude = magnitude * 10 + static_cast<std::uint64_t>(*at - '0');
  const std::ptrdiff_t digits = at - digits_begin;
  if (digits == 0 || digits > kMaxSmallDigits) return parse_any(text);

  const std::int64_t value = negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
  if (at == end) return Quantity(value, 0, Format::kDecimalSI);
  if (end - at == 1) {
    if (const auto exponent = decimal_suffix(*at)) return Quantity(value, *exponent, Format::kDecimalSI);
  } else if (end - at == 2 && at[1] == 'i') {
    const auto exponent = binary_suffix(*at);
    if (exponent && digits <= max_small_digits(*exponent)) {
      return Quantity(value * (std::int64_t{1} << *exponent), 0, Format::kBinarySI);
    }
  }
  return parse_any(text);
}

Result<Quantity> Quantity::parse_any(std::string_view text) {
  if (text.empty()) return fail(kFormatWrong);
  if (text.size() > kMaxQuantityText)
    return fail(fmt::format("quantity is longer than {} characters", kMaxQuantityText));
  const auto parts = take_apart(text);
  if (!parts) return fail(kFormatWrong);
  const auto suffix = read_suffix(parts->suffix);
  if (!suffix) return fail(kSuffixWrong);

  const bool binary = suffix->format == Format::kBinarySI;
  const auto whole_digits = static_cast<std::int32_t>(parts->whole.empty() ? 1 : parts->whole.size());
  const auto fraction_digits = static_cast<std::int32_t>(parts->fraction.size());
  const std::int32_t exponent = wrapping_exponent(std::int64_t{binary ? 0 : suffix->exponent} - fraction_digits);
  const bool small = binary ? fraction_digits == 0 && whole_digits <= max_small_digits(suffix->exponent)
                            : whole_digits + fraction_digits <= kMaxSmallDigits && exponent >= kNano;
  if (small) {
    const std::int64_t number = read_digits(parts->whole, parts->fraction);
    const std::int64_t factor = binary ? std::int64_t{1} << suffix->exponent : 1;
    Quantity quantity((parts->negative ? -number : number) * factor, exponent, suffix->format);
    // Upstream's test for "is canonical already" is a cheap one, and lets other spellings pass.
    const bool keeps_text = binary ? number % 8 != 0 : exponent % 3 == 0 && !parts->whole.empty() && number % 1000 != 0;
    if (keeps_text && quantity.canonical() != text) {
      quantity.number_.spelled = new Spelled{quantity.number_.small, std::string(text)};
      quantity.kind_ = Kind::kSpelled;
    }
    return quantity;
  }

  if (!parts->has_digits) return fail(kNumericWrong);
  Decimal decimal{parts->negative, WideDecimal::from_digits(parts->whole, parts->fraction), exponent};
  Format format = suffix->format;
  if (decimal.magnitude.is_zero()) {
    decimal.negative = false;
  } else {
    if (binary) {
      decimal.magnitude.multiply(std::uint32_t{1} << (suffix->exponent / 2));
      decimal.magnitude.multiply(std::uint32_t{1} << (suffix->exponent / 2));
    }
    if (decimal.magnitude.digits() + exponent - kNano > kMaxQuantityDigits) {
      return fail(fmt::format("quantity has more than {} digits", kMaxQuantityDigits));
    }
    decimal.round_to(kNano);
  }
  if (binary && !decimal.magnitude.is_zero()) {
    WideDecimal cap(static_cast<std::uint64_t>(kGreatestInt64));
    cap.multiply_by_power_of_10(-kNano);
    if (decimal.magnitude > cap) {
      decimal.magnitude = WideDecimal(static_cast<std::uint64_t>(kGreatestInt64));
      decimal.exponent = 0;
    } else if (decimal.magnitude.digits() <= -kNano) {
      format = Format::kDecimalSI;  // below one
    }
  }
  Quantity quantity(0, 0, format);
  quantity.set_decimal(std::move(decimal));
  return quantity;
}

Result<Quantity> Quantity::parse_json(std::string_view raw) {
  if (raw == "null") return Quantity();
  if (raw.size() >= 2 && raw.front() == '"' && raw.back() == '"') raw = raw.substr(1, raw.size() - 2);
  return parse(without_blanks_around(raw));
}

// ---- Reading the value.

std::int64_t Quantity::scaled_value(std::int32_t exponent) const {
  if (!is_decimal()) {
    const std::int64_t number = small_number();
    if (exponent_ < exponent) return scale_down(number, std::int64_t{exponent} - exponent_).value;
    return scale_up(number, wrapping_exponent(std::int64_t{exponent_} - exponent)).value;
  }
  if (is_zero()) return 0;
  const std::int64_t drop = std::int64_t{exponent} - exponent_;
  const bool power_fits = drop > -19 && drop < 19;
  const bool negative = sign() < 0;
  const std::uint64_t low_bits =
      kind_ == Kind::kWide ? number_.wide->magnitude.low_64_bits() : magnitude_of(number_.small);
  const std::int64_t low = negative ? wrapping_negate(wrapping(low_bits)) : wrapping(low_bits);
  if (drop <= 0) return wrapping_multiply(low, power_fits ? kPowersOf10[-drop] : kLeastInt64);
  if (power_fits && (negative || kind_ == Kind::kSmallDecimal)) {
    return low / kPowersOf10[drop] + (low % kPowersOf10[drop] != 0 ? 1 : 0);
  }
  // Up to the next integer, which for negative numbers is towards zero.
  WideDecimal quotient = decimal().magnitude;
  const bool exact = quotient.divide_by_power_of_10(drop);
  const std::int64_t result = wrapping(quotient.low_64_bits());
  return negative ? wrapping_negate(result) : wrapping(static_cast<std::uint64_t>(result) + (exact ? 0 : 1));
}

std::optional<std::int64_t> Quantity::as_int64() const {
  if (is_decimal() || exponent_ < 0) return std::nullopt;
  const Scaled scaled = scale_up(small_number(), exponent_);
  if (!scaled.fits) return std::nullopt;
  return scaled.value;
}

double Quantity::as_approximate_double() const {
  double number = 0;
  if (kind_ == Kind::kWide) {
    number = number_.wide->magnitude.nearest_double();
    if (number_.wide->negative) number = -number;
  } else {
    number = static_cast<double>(small_number());
  }
  return exponent_ == 0 ? number : number * power_of_10_as_double(exponent_);
}

int Quantity::sign() const {
  if (kind_ == Kind::kWide) return number_.wide->negative ? -1 : 1;
  const std::int64_t number = small_number();
  return number > 0 ? 1 : number < 0 ? -1 : 0;
}

bool Quantity::is_whole() const {
  if (exponent_ >= 0) return true;
  if (kind_ != Kind::kWide) return scale_down(small_number(), -std::int64_t{exponent_}).exact;
  WideDecimal magnitude = number_.wide->magnitude;
  return magnitude.strip_trailing_zeros() + exponent_ >= 0;
}

// ---- Spelling.

std::string Quantity::str() const {
  return kind_ == Kind::kSpelled ? number_.spelled->text : canonical();
}

std::string Quantity::canonical() const {
  if (is_zero()) return "0";
  Format format = format_;
  if (format == Format::kBinarySI) {
    static constexpr Quantity kBinaryFrom(1024, 0, Format::kBinarySI);
    static constexpr Quantity kBinaryTo(-1024, 0, Format::kBinarySI);
    const bool large_enough = *this >= kBinaryFrom || *this <= kBinaryTo;
    const bool printable = exponent_ <= 0 || decimal().magnitude.digits() + exponent_ <= kMaxQuantityDigits;
    if (large_enough && printable && is_whole()) return canonical_binary();
    format = printable ? Format::kDecimalSI : Format::kDecimalExponent;
  }

  // All factors of ten go into the exponent, then as many come back as make the exponent a multiple of three.
  std::string out;
  if (sign() < 0) out += '-';
  std::int64_t exponent = exponent_;
  if (kind_ == Kind::kWide) {
    WideDecimal magnitude = number_.wide->magnitude;
    exponent += magnitude.strip_trailing_zeros();
    magnitude.append_to(out);
  } else {
    std::uint64_t magnitude = magnitude_of(small_number());
    for (; magnitude % 10 == 0; magnitude /= 10) ++exponent;
    append_number(out, magnitude);
  }
  std::int32_t printed = wrapping_exponent(exponent);
  const int zeros = (printed % 3 + 3) % 3;
  out.append(static_cast<std::size_t>(zeros), '0');
  printed = wrapping_exponent(std::int64_t{printed} - zeros);
  append_suffix(out, printed, format);
  return out;
}

std::string Quantity::canonical_binary() const {
  static constexpr std::string_view kLetters = "KMGTPE";
  std::string out;
  if (sign() < 0) out += '-';
  int times = 0;
  const Scaled small = kind_ == Kind::kWide ? Scaled{0, false}
                       : exponent_ < 0      ? Scaled{scale_down(small_number(), -std::int64_t{exponent_}).value, true}
                                            : scale_up(small_number(), exponent_);
  if (small.fits) {
    // The least int64 has no positive counterpart, so that upstream does not reduce it.
    std::uint64_t magnitude = magnitude_of(small.value);
    for (; small.value != kLeastInt64 && magnitude % 1024 == 0; magnitude /= 1024) ++times;
    append_number(out, magnitude);
  } else {
    Decimal whole = decimal();
    whole.round_to(0);
    for (WideDecimal next = whole.magnitude; next.divide(1024) == 0; whole.magnitude = next) ++times;
    whole.magnitude.append_to(out);
  }
  if (times >= 1 && times <= static_cast<int>(kLetters.size())) {
    out += kLetters[static_cast<std::size_t>(times - 1)];
    out += 'i';
  }
  return out;
}

// ---- Arithmetic.

Quantity& Quantity::operator+=(const Quantity& other) {
  add(other, false);
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  add(other, true);
  return *this;
}

void Quantity::add(const Quantity& other, bool subtract) {
  drop_spelling();
  if (is_zero()) format_ = other.format_;

  if (!is_decimal() && !other.is_decimal()) {
    const std::int64_t number = other.small_number();
    const std::int64_t addend = subtract ? wrapping_negate(number) : number;
    if (addend == 0) return;
    if (number_.small == 0) {
      number_.small = addend;
      exponent_ = other.exponent_;
      return;
    }
    const std::int64_t apart = std::int64_t{exponent_} - other.exponent_;
    const Scaled a = scale_up(number_.small, apart > 0 ? wrapping_exponent(apart) : 0);
    const Scaled b = scale_up(addend, apart < 0 ? wrapping_exponent(-apart) : 0);
    std::int64_t sum = 0;
    if (a.fits && b.fits && !__builtin_add_overflow(a.value, b.value, &sum)) {
      number_.small = sum;
      if (apart > 0) exponent_ = other.exponent_;
      return;
    }
  }

  Decimal a = decimal();
  Decimal b = other.decimal();
  if (subtract) b.negative = !b.negative;
  const std::int32_t exponent = std::min(a.exponent, b.exponent);
  const auto digits_there = [&](const Decimal& decimal) {
    return decimal.magnitude.is_zero() ? 0 : decimal.magnitude.digits() + decimal.exponent - exponent;
  };
  if (std::max(digits_there(a), digits_there(b)) > kMaxQuantityDigits) {
    set_decimal(digits_there(a) >= digits_there(b) ? std::move(a) : std::move(b));
    return;
  }
  a.round_to(exponent);
  b.round_to(exponent);
  if (a.negative == b.negative) {
    a.magnitude += b.magnitude;
  } else {
    if (a.magnitude < b.magnitude) std::swap(a, b);
    a.magnitude -= b.magnitude;
  }
  set_decimal(std::move(a));
}

void Quantity::negate() {
  drop_spelling();
  if (kind_ == Kind::kWide) {
    number_.wide->negative = !number_.wide->negative;
  } else {
    number_.small = wrapping_negate(number_.small);
  }
}

bool Quantity::round_up(std::int32_t exponent) {
  if (is_decimal()) {
    Decimal rounded = decimal();
    const bool exact = rounded.round_to(exponent);
    set_decimal(std::move(rounded));
    return exact;
  }
  if (exponent_ >= exponent) return true;
  drop_spelling();
  const Rounded rounded = scale_down(number_.small, std::int64_t{exponent} - exponent_);
  number_.small = rounded.value;
  exponent_ = exponent;
  return rounded.exact;
}

// ---- Order and hash.

std::strong_ordering Quantity::compare(const Quantity& a, const Quantity& b) {
  const int sign = a.sign();
  if (sign != b.sign()) return sign <=> b.sign();
  if (sign == 0) return std::strong_ordering::equal;

  const auto by_magnitude = [&] {
    const std::int64_t apart = std::int64_t{a.exponent_} - b.exponent_;
    if (a.kind_ != Kind::kWide && b.kind_ != Kind::kWide && apart > -19 && apart < 19) {
      unsigned __int128 left = magnitude_of(a.small_number());
      unsigned __int128 right = magnitude_of(b.small_number());
      (apart >= 0 ? left : right) *= static_cast<std::uint64_t>(kPowersOf10[apart >= 0 ? apart : -apart]);
      return left <=> right;
    }
    Decimal left = a.decimal();
    Decimal right = b.decimal();
    const auto left_size = left.magnitude.digits() + left.exponent;
    const auto right_size = right.magnitude.digits() + right.exponent;
    if (left_size != right_size) return left_size <=> right_size;
    // Equally long in front of the point, so that the exponents are no further apart than the digits are many.
    if (apart >= 0) {
      left.magnitude.multiply_by_power_of_10(apart);
    } else {
      right.magnitude.multiply_by_power_of_10(-apart);
    }
    return left.magnitude <=> right.magnitude;
  };
  const std::strong_ordering order = by_magnitude();
  return sign > 0 ? order : 0 <=> order;
}

std::uint64_t Quantity::hash() const {
  if (is_zero()) return 0;
  std::int64_t exponent = exponent_;
  std::uint64_t low_bits = 0;
  if (kind_ == Kind::kWide) {
    WideDecimal magnitude = number_.wide->magnitude;
    exponent += magnitude.strip_trailing_zeros();
    low_bits = magnitude.low_64_bits();
  } else {
    low_bits = magnitude_of(small_number());
    for (; low_bits % 10 == 0; low_bits /= 10) ++exponent;
  }
  return mix(mix(sign() < 0 ? 2 : 1, static_cast<std::uint64_t>(exponent)), low_bits);
}

}  // namespace berth::api
