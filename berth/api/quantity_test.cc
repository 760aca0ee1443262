// What is expected here was checked against k8s.io/apimachinery v0.36.3; tests/conformance compares at random.
#include "berth/api/quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "berth/api/wide_decimal.h"

namespace berth::api {
namespace {

using Format = Quantity::Format;
constexpr auto kDecimalSI = Format::kDecimalSI;
constexpr auto kBinarySI = Format::kBinarySI;
constexpr auto kDecimalExponent = Format::kDecimalExponent;
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();

constexpr const char* kFormatWrong =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr const char* kNumericWrong = "unable to parse numeric part of quantity";
constexpr const char* kSuffixWrong = "unable to parse quantity's suffix";

Quantity q(std::string_view text) {
  auto quantity = Quantity::parse(text);
  EXPECT_TRUE(quantity.has_value()) << text;
  return quantity ? *quantity : Quantity();
}

static_assert(sizeof(Quantity) == 16);
static_assert(std::is_nothrow_move_constructible_v<Quantity> && std::is_nothrow_move_assignable_v<Quantity>);

struct TextCase {
  std::string text;
  std::string printed;
  std::int64_t value;
  std::int64_t milli_value;
  Format format;
};

void expect_reads(const std::vector<TextCase>& cases) {
  for (const TextCase& c : cases) {
    SCOPED_TRACE(c.text);
    const Quantity quantity = q(c.text);
    EXPECT_EQ(quantity.str(), c.printed);
    EXPECT_EQ(quantity.value(), c.value);
    EXPECT_EQ(quantity.milli_value(), c.milli_value);
    EXPECT_EQ(quantity.format(), c.format);
  }
}

TEST(Quantity, StartsAsZero) {
  constexpr Quantity zero;
  EXPECT_EQ(zero.str(), "0");
  EXPECT_TRUE(zero.is_zero());
  EXPECT_EQ(zero.format(), kDecimalSI);
}

TEST(Quantity, ReadsWhatManifestsHold) {
  expect_reads({
      {"0", "0", 0, 0, kDecimalSI},
      {"2", "2", 2, 2000, kDecimalSI},
      {"250m", "250m", 1, 250, kDecimalSI},
      {"100n", "100n", 1, 1, kDecimalSI},
      {"7u", "7u", 1, 1, kDecimalSI},
      {"3k", "3k", 3'000, 3'000'000, kDecimalSI},
      {"5M", "5M", 5'000'000, 5'000'000'000, kDecimalSI},
      {"4G", "4G", 4'000'000'000, 4'000'000'000'000, kDecimalSI},
      {"2T", "2T", 2'000'000'000'000, 2'000'000'000'000'000, kDecimalSI},
      {"1P", "1P", 1'000'000'000'000'000, 1'000'000'000'000'000'000, kDecimalSI},
      {"64Ki", "64Ki", 65'536, 65'536'000, kBinarySI},
      {"512Mi", "512Mi", 536'870'912, 536'870'912'000, kBinarySI},
      {"16Gi", "16Gi", 17'179'869'184, 17'179'869'184'000, kBinarySI},
      {"3Ti", "3Ti", 3'298'534'883'328, 3'298'534'883'328'000, kBinarySI},
      {"1Pi", "1Pi", 1'125'899'906'842'624, 1'125'899'906'842'624'000, kBinarySI},
      {"12e6", "12e6", 12'000'000, 12'000'000'000, kDecimalExponent},
      {"-1500m", "-1500m", -2, -1500, kDecimalSI},
  });
}

TEST(Quantity, PrintsTheLargestSuffixWithoutAFraction) {
  expect_reads({
      {"1.5", "1500m", 2, 1500, kDecimalSI},
      {"0.1", "100m", 1, 100, kDecimalSI},
      {"1000m", "1", 1, 1000, kDecimalSI},
      {"1000", "1k", 1000, 1'000'000, kDecimalSI},
      {"12000k", "12M", 12'000'000, 12'000'000'000, kDecimalSI},
      {"1.5Gi", "1536Mi", 1'610'612'736, 1'610'612'736'000, kBinarySI},
      {"100.5Gi", "102912Mi", 107'911'053'312, 107'911'053'312'000, kBinarySI},
      {"1024Ki", "1Mi", 1'048'576, 1'048'576'000, kBinarySI},
      {"5e2", "500", 500, 500'000, kDecimalExponent},
      {"15e-1", "1500e-3", 2, 1500, kDecimalExponent},
      {"10e5", "1e6", 1'000'000, 1'000'000'000, kDecimalExponent},
      {"00.000", "0", 0, 0, kDecimalSI},
  });
}

TEST(Quantity, PrintsSmallOrFractionalBinaryAmountsInDecimal) {
  expect_reads({
      {"0.5Ki", "512", 512, 512'000, kBinarySI},
      {"0.0001Ki", "102400u", 1, 103, kDecimalSI},
      {"1.1Ki", "1126400m", 1127, 1'126'400, kBinarySI},
  });
  EXPECT_EQ(Quantity::from_units(1023, kBinarySI).str(), "1023");
  EXPECT_EQ(Quantity::from_units(1024, kBinarySI).str(), "1Ki");
  EXPECT_EQ(Quantity::from_units(-1024, kBinarySI).str(), "-1Ki");
  EXPECT_EQ(Quantity::from_milli(2'048'000, kBinarySI).str(), "2Ki");
}

TEST(Quantity, RoundsBelowANanoAwayFromZero) {
  expect_reads({
      {"0.1n", "1n", 1, 1, kDecimalSI},
      {"1.0000000001", "1000000001n", 2, 1001, kDecimalSI},
      {"1e-400", "1e-9", 1, 1, kDecimalExponent},
      {"-0.0000000001", "-1n", 1, 1, kDecimalSI},
  });
}

TEST(Quantity, CapsBinaryAmountsOnly) {
  expect_reads({
      {"8Ei", "9223372036854775807", kGreatest, -1000, kBinarySI},
      {"-8Ei", "-9223372036854775807", -kGreatest, 1000, kBinarySI},
      {"7Ei", "7Ei", 8'070'450'532'247'928'832, kLeast, kBinarySI},
      {"9223372036854775808", "9223372036854775808", kLeast, 0, kDecimalSI},
      {"100E", "100E", 0, 0, kDecimalSI},
  });
}

// Upstream keeps the text if it looks canonical at a glance, and prints it until the first arithmetic.
TEST(Quantity, PrintsTheTextAsWrittenWhereUpstreamDoes) {
  const std::pair<const char*, const char*> cases[] = {
      {"+1", "1"},     {"0100", "100"}, {"1.500", "1500m"}, {"1.", "1"},     {"1E3", "1e3"}, {"1e+3", "1e3"},
      {"1e03", "1e3"}, {"1e0", "1"},    {"+1Ki", "1Ki"},    {"1.Ki", "1Ki"}, {"-07", "-7"},  {"1e4294967299", "1e3"},
  };
  for (const auto& [text, canonical] : cases) {
    SCOPED_TRACE(text);
    Quantity quantity = q(text);
    EXPECT_EQ(quantity.str(), text);
    const Quantity copy = quantity;
    EXPECT_EQ(copy.str(), text);
    EXPECT_TRUE(quantity.round_up(Quantity::kNano));
    EXPECT_EQ(quantity.str(), text);
    EXPECT_EQ(quantity, q(canonical));
    EXPECT_EQ(quantity.hash(), q(canonical).hash());
    quantity += Quantity();
    EXPECT_EQ(quantity.str(), canonical);
  }
}

TEST(Quantity, LosesAnExponentThatHasNoSuffix) {
  EXPECT_EQ(q("1000E").str(), "1");
  EXPECT_EQ(q("10000E").str(), "10");
  EXPECT_EQ(q("1000e18").str(), "1e21");
}

TEST(Quantity, TakesMissingDigitsForZero) {
  for (const char* text : {"+", "-", ".", "m", "Ki", "e3", "-.", "+.k"}) EXPECT_EQ(q(text).str(), "0") << text;
}

TEST(Quantity, RefusesOtherTextsWithUpstreamsWords) {
  const std::pair<const char*, const char*> cases[] = {
      {"", kFormatWrong},
      {" 1", kFormatWrong},
      {"1 ", kFormatWrong},
      {"1.2.3", kFormatWrong},
      {"1x", kFormatWrong},
      {"1Ki5x", kFormatWrong},
      {"1e5e", kFormatWrong},
      {"1,5", kFormatWrong},
      {"\xff", kFormatWrong},
      {"1K", kSuffixWrong},
      {"1mi", kSuffixWrong},
      {"1e", kSuffixWrong},
      {"1e+", kSuffixWrong},
      {"1+5", kSuffixWrong},
      {"++1", kSuffixWrong},
      {"1ee5", kSuffixWrong},
      {"1e9223372036854775808", kSuffixWrong},
      {"Pi", kNumericWrong},
      {"-e-20", kNumericWrong},
  };
  for (const auto& [text, what] : cases) {
    const auto quantity = Quantity::parse(text);
    ASSERT_FALSE(quantity.has_value()) << text;
    EXPECT_EQ(quantity.error().what(), what) << text;
  }
}

TEST(Quantity, RefusesWhatWouldTakeUpstreamMinutes) {
  EXPECT_TRUE(Quantity::parse(std::string(kMaxQuantityText, '1')).has_value());
  EXPECT_FALSE(Quantity::parse(std::string(kMaxQuantityText + 1, '1')).has_value());
  EXPECT_TRUE(Quantity::parse("1234567890123456789e19000").has_value());
  EXPECT_FALSE(Quantity::parse("1234567890123456789e2000000000").has_value());
  EXPECT_EQ(q("1e-2000000000").str(), "1e-9");
}

TEST(Quantity, StaysCheapAtExtremeExponents) {
  const Quantity huge = q("1e2000000000");
  const Quantity one = q("1");
  EXPECT_EQ(huge.str(), "100e1999999998");
  EXPECT_GT(huge, one);
  EXPECT_EQ(huge + one, huge);
  EXPECT_EQ(one + huge, huge);
  EXPECT_EQ((q("1Ki") + huge).str(), "100e1999999998");
  EXPECT_EQ(one - huge, Quantity() - huge);
  EXPECT_EQ(q("0e2147483647").value(), 0);
  EXPECT_EQ(one + q("0e-2000000000"), one);
}

TEST(Quantity, ReadsJsonValuesAsTheyStand) {
  const std::pair<const char*, const char*> cases[] = {
      {"null", "0"},
      {"\"250m\"", "250m"},
      {"\" 1 \"", "1"},
      {"\"\xe2\x80\x83"
       "1\xc2\xa0\"",
       "1"},
      {"2", "2"},
      {"1.5e3", "1500"},
      {"1e3", "1e3"},
      {"\"\"", nullptr},
      {"true", nullptr},
      {"\"\\u0031\"", nullptr},
      {"{}", nullptr},
      {"\"", nullptr},
  };
  for (const auto& [raw, printed] : cases) {
    const auto quantity = Quantity::parse_json(raw);
    ASSERT_EQ(quantity.has_value(), printed != nullptr) << raw;
    if (printed != nullptr) {
      EXPECT_EQ(quantity->str(), printed) << raw;
    }
  }
}

struct ArithmeticCase {
  std::string a;
  std::string b;
  std::string sum;
  std::string difference;
};

TEST(Quantity, AddsAndSubtractsExactly) {
  const ArithmeticCase cases[] = {
      {"1", "250m", "1250m", "750m"},
      {"1Ki", "1", "1025", "1023"},
      {"1Gi", "512Mi", "1536Mi", "512Mi"},
      {"1", "1n", "1000000001n", "999999999n"},
      {"9223372036854775807n", "1E", "1000000009223372036854775807n", "-999999990776627963145224193n"},
      {"9e18", "9e18", "18e18", "0"},
      {"7Ei", "7Ei", "14Ei", "0"},
      {"100.5Gi", "0.5Gi", "101Gi", "100Gi"},
      {"-5", "5", "0", "-10"},
  };
  for (const ArithmeticCase& c : cases) {
    SCOPED_TRACE(c.a + " and " + c.b);
    EXPECT_EQ((q(c.a) + q(c.b)).str(), c.sum);
    EXPECT_EQ((q(c.a) - q(c.b)).str(), c.difference);
    EXPECT_EQ(q(c.a) + q(c.b) - q(c.b), q(c.a));
  }
}

TEST(Quantity, AddsToItself) {
  for (const char* text : {"250m", "+1", "1.5Gi", "100.5Gi", "9223372036854775807"}) {
    Quantity quantity = q(text);
    quantity += quantity;
    EXPECT_EQ(quantity - q(text), q(text)) << text;
    quantity -= quantity;
    EXPECT_TRUE(quantity.is_zero()) << text;
  }
}

TEST(Quantity, ZeroTakesOverTheFormat) {
  Quantity sum;
  sum += q("1Gi");
  EXPECT_EQ(sum.format(), kBinarySI);
  sum += q("1k");
  EXPECT_EQ(sum.format(), kBinarySI);
  sum -= sum;
  sum -= q("1e3");
  EXPECT_EQ(sum.format(), kDecimalExponent);
  EXPECT_EQ(sum.str(), "-1e3");
}

TEST(Quantity, ComparesByValue) {
  // In ascending order; those of one line are equal.
  const std::vector<std::vector<const char*>> ascending = {
      {"-1e300", "-10e299"},
      {"-8Ei", "-9223372036854775807"},
      {"-1Ki", "-1024", "-1024000m"},
      {"-1n", "-0.1n"},
      {"0", "0Ki", "0Pi", "-0", "0e400", "0.00000000000"},
      {"1n", "0.0000000001"},
      {"1", "1000m", "1e0", "+1", "1.0000000000"},
      {"1Ki", "1.024k", "1024"},
      {"1Gi", "1.0Gi", "1073741824", "1073741824000000000n"},
      {"1Pi", "1125899906842624"},
      {"9223372036854775807", "8Ei", "9223372036854775807.000000000"},
      {"9223372036854775808"},
      {"1e300", "100000e295"},
      {"1e2000000000", "10e1999999999"},
  };
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      for (const char* a : ascending[i]) {
        for (const char* b : ascending[j]) {
          EXPECT_EQ(q(a) <=> q(b), i <=> j) << a << " and " << b;
          if (i == j) {
            EXPECT_EQ(q(a).hash(), q(b).hash()) << a << " and " << b;
          }
        }
      }
    }
  }
  EXPECT_TRUE(q("1").is_identical_to(q("1000m")));
  EXPECT_FALSE(q("1Ki").is_identical_to(q("1024")));
}

TEST(Quantity, ChangesItsSign) {
  const std::pair<const char*, const char*> cases[] = {{"0", "0"},   {"1500m", "-1500m"},      {"-1Ki", "1Ki"},
                                                       {"+1", "-1"}, {"100.5Gi", "-102912Mi"}, {"-1Pi", "1Pi"}};
  for (const auto& [text, negated] : cases) {
    Quantity quantity = q(text);
    const int sign = quantity.sign();
    quantity.negate();
    EXPECT_EQ(quantity.str(), negated);
    EXPECT_EQ(quantity.sign(), -sign);
  }
}

struct RoundCase {
  const char* text;
  std::int32_t exponent;
  const char* rounded;
  bool exact;
};

TEST(Quantity, RoundsUpToAPowerOfTen) {
  const RoundCase cases[] = {
      {"1500m", 0, "2", false},
      {"-1500m", 0, "-2", false},
      {"2000m", 0, "2", true},
      {"9", 1, "10", false},
      {"-9", 1, "-10", false},
      {"0", 6, "0", true},
      {"1", 30, "1", false},
      {"1.1Ki", 0, "1127", false},
      {"1.5Gi", 0, "1536Mi", true},
      {"1n", -3, "1m", false},
      {"100.5Gi", 9, "105468750Ki", false},
  };
  for (const RoundCase& c : cases) {
    SCOPED_TRACE(c.text);
    Quantity quantity = q(c.text);
    EXPECT_EQ(quantity.round_up(c.exponent), c.exact);
    EXPECT_EQ(quantity.str(), c.rounded);
  }
}

TEST(Quantity, GivesAnInt64OnlyOutsideOfDecimalForm) {
  EXPECT_EQ(q("3k").as_int64(), 3000);
  EXPECT_EQ(q("2Gi").as_int64(), std::int64_t{2} << 30);
  EXPECT_EQ(q("9E").as_int64(), 9'000'000'000'000'000'000);
  EXPECT_EQ(q("+7").as_int64(), 7);
  EXPECT_EQ(q("10E").as_int64(), std::nullopt);
  EXPECT_EQ(q("1000m").as_int64(), std::nullopt);
  EXPECT_EQ(q("1Pi").as_int64(), std::nullopt);
  EXPECT_EQ((q("1Pi") - q("1023Ti")).as_int64(), std::nullopt);
}

TEST(Quantity, RoundsNegativeDecimalsAsUpstream) {
  EXPECT_EQ(q("-1.1").value(), -2);
  EXPECT_EQ(q("-1.1Ki").value(), -1125);
  EXPECT_EQ(q("-1.10000000000").value(), 0);
}

TEST(Quantity, WrapsAsUpstreamWhereAValueDoesNotFit) {
  EXPECT_EQ(Quantity::from_units(kGreatest).milli_value(), -1000);
  EXPECT_EQ(Quantity::from_units(kLeast).milli_value(), 0);
  EXPECT_EQ(q("1e19").value(), 0);
  EXPECT_EQ(q("1e2147483647").milli_value(), 1);
  Quantity least = Quantity::from_units(kLeast, kBinarySI);
  EXPECT_EQ(least.str(), "-9223372036854775808");
  least.negate();
  EXPECT_EQ(least.value(), kLeast);
  EXPECT_EQ((q("-7Ei") - q("1Ei")).str(), "-8Ei");
}

TEST(Quantity, ApproximatesAsADouble) {
  EXPECT_EQ(q("250m").as_approximate_double(), 0.25);
  EXPECT_EQ(q("1.5Gi").as_approximate_double(), 1610612736.0);
  EXPECT_EQ(q("-1e400").as_approximate_double(), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(q("0e400").as_approximate_double()));
}

TEST(Quantity, CopiesAndMovesWhatItOwns) {
  for (const char* text : {"2", "+1", "1.5Gi", "100.5Gi", "123456789012345678901234567890"}) {
    SCOPED_TRACE(text);
    const Quantity original = q(text);
    Quantity copy = original;
    Quantity other = q("+2");
    other = copy;
    copy.negate();
    EXPECT_EQ(other.str(), original.str());
    EXPECT_EQ(copy + original, Quantity());
    Quantity moved = std::move(other);
    EXPECT_EQ(moved.str(), original.str());
    other = std::move(moved);
    EXPECT_EQ(other, original);
    const Quantity& alias = other;
    other = alias;
    EXPECT_EQ(other, original);
  }
}

TEST(WideDecimal, MovesThePointAcrossLimbs) {
  WideDecimal number = WideDecimal::from_digits("0001234567890", "12345678901234567890");
  EXPECT_EQ(number.digits(), 30);
  number.multiply_by_power_of_10(25);
  EXPECT_EQ(number.digits(), 55);
  EXPECT_EQ(number.strip_trailing_zeros(), 26);
  std::string text;
  number.append_to(text);
  EXPECT_EQ(text, "12345678901234567890123456789");
  EXPECT_FALSE(number.divide_by_power_of_10(10));
  EXPECT_EQ(number.as_uint64(), 1'234'567'890'123'456'789u);
  EXPECT_FALSE(number.divide_by_power_of_10(100));
  EXPECT_TRUE(number.is_zero());
  EXPECT_TRUE(number.divide_by_power_of_10(100));
}

TEST(WideDecimal, CarriesAndBorrows) {
  const WideDecimal nines = WideDecimal::from_digits(std::string(40, '9'), "");
  WideDecimal number = nines;
  number += WideDecimal(1);
  EXPECT_EQ(number.digits(), 41);
  EXPECT_GT(number, nines);
  number -= WideDecimal(1);
  EXPECT_EQ(number, nines);
  number -= nines;
  EXPECT_TRUE(number.is_zero());
}

TEST(WideDecimal, KnowsWhatFits64Bits) {
  WideDecimal number(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(number.as_uint64(), std::numeric_limits<std::uint64_t>::max());
  number += WideDecimal(6);
  EXPECT_EQ(number.as_uint64(), std::nullopt);
  EXPECT_EQ(number.low_64_bits(), 5u);
  EXPECT_EQ(number.divide(5), 1u);
  EXPECT_EQ(number.nearest_double(), 3689348814741910528.0);
}

}  // namespace
}  // namespace berth::api
