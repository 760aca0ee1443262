// A Kubernetes resource quantity ("250m", "1.5Gi", "12e6"), exact, with the arithmetic and the spelling of upstream's
// resource.Quantity (k8s.io/apimachinery v0.36.3), its oddities included, because sums, comparisons and messages have
// to come out the same.
//
// The value is a number times a power of ten. Upstream keeps it in one of two forms: an int64 with an exponent, or, for
// what its fast path does not take (fractions with a binary suffix, "1Pi" and up, many digits, sums that overflow), an
// arbitrary-precision decimal. The form shows: value() of a negative decimal rounds differently, as_int64() refuses a
// decimal, sums stay decimal. So the form is kept here too, and called "decimal form" below.
//
// A Quantity is 16 bytes. It owns memory only if its number does not fit 64 bits, or if it was parsed from a text that
// upstream would print as it was written although it is not canonical ("+1", "1.500", "0100", "1E3"). Plain value;
// moves never throw; distinct objects may be used by distinct threads.
//
// Where upstream would compute for minutes (adding 1 to "1e2000000000"), limits with names take over: see
// kMaxQuantityText and kMaxQuantityDigits.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/error.h"

namespace berth::api {

// Characters of a quantity's text. Upstream has no limit; texts in use have a dozen.
inline constexpr std::size_t kMaxQuantityText = 4096;

// Digits of a number in decimal form, counted down to its last decimal place. Upstream has no limit and takes time and
// memory without bound. A text that needs more is an error. A sum that needs more keeps the operand of larger
// magnitude.
inline constexpr std::int64_t kMaxQuantityDigits = 20'000;

class Quantity {
 public:
  // The suffixes that a quantity is written with: "12M", "12Mi", "12e6".
  enum class Format : std::uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };

  // Powers of ten for scaled_value() and round_up().
  static constexpr std::int32_t kNano = -9;
  static constexpr std::int32_t kMilli = -3;

  // Zero, DecimalSI.
  constexpr Quantity() noexcept : number_{.small = 0} {}
  constexpr ~Quantity() {
    if (owns_memory()) release();
  }
  constexpr Quantity(const Quantity& other) : Quantity(kShallow, other) {
    if (owns_memory()) clone();
  }
  constexpr Quantity(Quantity&& other) noexcept : Quantity(kShallow, other) { other.forget(); }
  constexpr Quantity& operator=(const Quantity& other) {
    if (this != &other) *this = Quantity(other);
    return *this;
  }
  constexpr Quantity& operator=(Quantity&& other) noexcept {
    if (this == &other) return *this;
    if (owns_memory()) release();
    copy_members(other);
    other.forget();
    return *this;
  }

  static constexpr Quantity from_units(std::int64_t units, Format format = Format::kDecimalSI) {
    return Quantity(units, 0, format);
  }
  static constexpr Quantity from_milli(std::int64_t milli, Format format = Format::kDecimalSI) {
    return Quantity(milli, kMilli, format);
  }

  // Reads a text as upstream's ParseQuantity: amounts below a nano are rounded away from zero, binary amounts above
  // 2^63-1 are capped. The error's text is upstream's. Blanks are not cut, as in protobuf.
  static Result<Quantity> parse(std::string_view text);

  // Reads a JSON value as it stands in the document, as upstream's UnmarshalJSON: null is zero; what is between quotes
  // is used without decoding escapes; Unicode's blanks around it are cut; everything else, number or not, is parsed as
  // it is written.
  static Result<Quantity> parse_json(std::string_view raw);

  // The value in units, or in thousandths, or in units of 10^exponent, rounded away from zero. Three things are as
  // upstream: in decimal form, negative values are rounded towards zero and then one up ("-1.1Ki" has value -1125); a
  // value that does not fit comes out wrapped or as 0; and so does the result at extreme exponents.
  std::int64_t value() const { return kind_ == Kind::kSmall && exponent_ == 0 ? number_.small : scaled_value(0); }
  std::int64_t milli_value() const { return scaled_value(kMilli); }
  std::int64_t scaled_value(std::int32_t exponent) const;

  // The value, if it is whole, fits and is not in decimal form ("1Pi" is, and gives nothing).
  std::optional<std::int64_t> as_int64() const;

  double as_approximate_double() const;

  // What upstream's String() gives: the text as parsed where upstream keeps it, the canonical form otherwise.
  std::string str() const;

  // -1, 0 or 1.
  int sign() const;
  bool is_zero() const { return sign() == 0; }

  Format format() const { return format_; }

  // Zero takes over the format of the other operand.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }

  // Changes the sign. The least int64 stays itself outside of decimal form, as upstream.
  void negate();

  // Rounds away from zero to a multiple of 10^exponent; returns whether nothing was lost.
  bool round_up(std::int32_t exponent);

  // By numeric value: "1000m" equals "1" and "1Ki" equals "1024".
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    if (a.kind_ == Kind::kSmall && b.kind_ == Kind::kSmall && a.exponent_ == b.exponent_) {
      return a.number_.small <=> b.number_.small;
    }
    return compare(a, b);
  }
  friend bool operator==(const Quantity& a, const Quantity& b) { return (a <=> b) == 0; }

  // Same numeric value and same format.
  bool is_identical_to(const Quantity& other) const { return format_ == other.format_ && *this == other; }

  // Equal quantities have equal hashes. The same in every run and on every machine.
  std::uint64_t hash() const;

 private:
  // A text that is printed as it was written, with the number that it stands for.
  struct Spelled;
  // A number in decimal form that does not fit 64 bits.
  struct Wide;
  // A number in decimal form, taken apart for arithmetic.
  struct Decimal;

  enum class Kind : std::uint8_t {
    kSmall,         // number_.small times 10^exponent_
    kSmallDecimal,  // the same in decimal form; never the least int64
    kSpelled,       // number_.spelled->value times 10^exponent_
    kWide,          // number_.wide times 10^exponent_, in decimal form
  };

  struct ShallowTag {};
  static constexpr ShallowTag kShallow{};

  constexpr Quantity(std::int64_t number, std::int32_t exponent, Format format) noexcept
      : number_{.small = number}, exponent_(exponent), format_(format) {}
  constexpr Quantity(ShallowTag, const Quantity& other) noexcept
      : number_(other.number_), exponent_(other.exponent_), format_(other.format_), kind_(other.kind_) {}

  constexpr bool owns_memory() const { return kind_ >= Kind::kSpelled; }
  constexpr void copy_members(const Quantity& other) noexcept {
    number_ = other.number_;
    exponent_ = other.exponent_;
    format_ = other.format_;
    kind_ = other.kind_;
  }
  // Leaves zero behind, without releasing what was owned.
  constexpr void forget() noexcept {
    if (!owns_memory()) return;
    number_.small = 0;
    exponent_ = 0;
    kind_ = Kind::kSmall;
  }
  void release() noexcept;
  void clone();

  bool is_decimal() const { return kind_ == Kind::kSmallDecimal || kind_ == Kind::kWide; }
  // The number before its power of ten. Requires: not kWide.
  std::int64_t small_number() const;
  void drop_spelling();

  Decimal decimal() const;
  void set_decimal(Decimal&& decimal);
  void add(const Quantity& other, bool subtract);
  std::string canonical() const;
  std::string canonical_binary() const;
  bool is_whole() const;

  static std::strong_ordering compare(const Quantity& a, const Quantity& b);
  static Result<Quantity> parse_any(std::string_view text);

  union Number {
    std::int64_t small;
    Spelled* spelled;
    Wide* wide;
  } number_;
  std::int32_t exponent_ = 0;
  Format format_ = Format::kDecimalSI;
  Kind kind_ = Kind::kSmall;
};

static_assert(sizeof(Quantity) == 16);

}  // namespace berth::api

template <>
struct std::hash<berth::api::Quantity> {
  std::size_t operator()(const berth::api::Quantity& quantity) const noexcept { return quantity.hash(); }
};
