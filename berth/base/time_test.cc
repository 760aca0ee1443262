#include "berth/base/time.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "berth/base/rng.h"

namespace berth {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

// The expected values in this file were taken from Go 1.26.

struct DurationCase {
  std::string text;
  std::int64_t nanoseconds;
  std::string printed;
};

TEST(Duration, ParsesAndPrintsAsGo) {
  const DurationCase cases[] = {
      {"0", 0, "0s"},
      {"-0", 0, "0s"},
      {"+0", 0, "0s"},
      {"5s", 5'000'000'000, "5s"},
      {"-5s", -5'000'000'000, "-5s"},
      {"+5s", 5'000'000'000, "5s"},
      {"1h30m", 5'400'000'000'000, "1h30m0s"},
      {"1.5h", 5'400'000'000'000, "1h30m0s"},
      {".5s", 500'000'000, "500ms"},
      {"5.s", 5'000'000'000, "5s"},
      {"100us", 100'000, "100\u00b5s"},
      {"100\u00b5s", 100'000, "100\u00b5s"},
      {"100\u03bcs", 100'000, "100\u00b5s"},
      {"2562047h47m16.854775807s", kMax, "2562047h47m16.854775807s"},
      {"-2562047h47m16.854775808s", kMin, "-2562047h47m16.854775808s"},
      {"9223372036854775807ns", kMax, "2562047h47m16.854775807s"},
      {"-9223372036854775808ns", kMin, "-2562047h47m16.854775808s"},
      {"0.3333333333333333333h", 1'200'000'000'000, "20m0s"},
      {"0.100000000000000000000h", 360'000'000'000, "6m0s"},
      {"0.9223372036854775807h", 3'320'413'933'267, "55m20.413933267s"},
      {"1m1h", 3'660'000'000'000, "1h1m0s"},
      {"0.830103483285477580700h", 2'988'372'539'827, "49m48.372539827s"},
      {"39h9m14.425s", 140'954'425'000'000, "39h9m14.425s"},
      {"9223372036854775808ns9223372036854775808ns", 0, "0s"},
      {"0.0000000001s", 0, "0s"},
      {"1.9999999999s", 1'999'999'999, "1.999999999s"},
  };
  for (const DurationCase& c : cases) {
    const Result<Duration> parsed = Duration::parse(c.text);
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(parsed->nanoseconds(), c.nanoseconds) << c.text;
    EXPECT_EQ(parsed->str(), c.printed) << c.text;
  }
}

TEST(Duration, RefusesWithGosWords) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "time: invalid duration \"\""},
      {"5", "time: missing unit in duration \"5\""},
      {".s", "time: invalid duration \".s\""},
      {"-.s", "time: invalid duration \"-.s\""},
      {"-", "time: invalid duration \"-\""},
      {"+", "time: invalid duration \"+\""},
      {".", "time: invalid duration \".\""},
      {"1x", "time: unknown unit \"x\" in duration \"1x\""},
      {"3000d", "time: unknown unit \"d\" in duration \"3000d\""},
      {"1h1", "time: missing unit in duration \"1h1\""},
      {"2562047h47m16.854775808s", "time: invalid duration \"2562047h47m16.854775808s\""},
      {"9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""},
      {"-9223372036854775809ns", "time: invalid duration \"-9223372036854775809ns\""},
      {"9223372036854775.808us", "time: invalid duration \"9223372036854775.808us\""},
      {"9223372036854ms775us808ns", "time: invalid duration \"9223372036854ms775us808ns\""},
      {"1 s", "time: unknown unit \" s\" in duration \"1 s\""},
      {" 1s", "time: invalid duration \" 1s\""},
      {"1s ", "time: unknown unit \"s \" in duration \"1s \""},
      {"1\u00e9", "time: unknown unit \"\\xc3\\xa9\" in duration \"1\\xc3\\xa9\""},
      {"1\"s", "time: unknown unit \"\\\"s\" in duration \"1\\\"s\""},
      {"1\\s", "time: unknown unit \"\\\\s\" in duration \"1\\\\s\""},
      {"1\x01", "time: unknown unit \"\\x01\" in duration \"1\\x01\""},
      {"1\xffs", "time: unknown unit \"\\xffs\" in duration \"1\\xffs\""},
      {"1.0.0s", "time: missing unit in duration \"1.0.0s\""},
      {"1e3s", "time: unknown unit \"e\" in duration \"1e3s\""},
      {"3s-2s", "time: unknown unit \"s-\" in duration \"3s-2s\""},
      {"18446744073709551616ns", "time: invalid duration \"18446744073709551616ns\""},
  };
  for (const auto& [text, message] : cases) {
    const Result<Duration> parsed = Duration::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().what(), message);
  }
}

TEST(Duration, PrintsSmallAndLargeValues) {
  const std::pair<std::int64_t, std::string> cases[] = {
      {0, "0s"},
      {1, "1ns"},
      {-999, "-999ns"},
      {1'100, "1.1\u00b5s"},
      {2'200'000, "2.2ms"},
      {3'300'000'000, "3.3s"},
      {59'999'999'999, "59.999999999s"},
      {60'000'000'000, "1m0s"},
      {3'600'000'000'000, "1h0m0s"},
      {4 * 60'000'000'000 + 5'001'000'000, "4m5.001s"},
      {kMax, "2562047h47m16.854775807s"},
      {kMin, "-2562047h47m16.854775808s"},
  };
  for (const auto& [ns, printed] : cases) EXPECT_EQ(Duration::nanoseconds(ns).str(), printed);
}

TEST(Duration, ReadsBackWhatItPrints) {
  Rng rng(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto ns = static_cast<std::int64_t>(rng.next_u64()) >> rng.below(64);
    const Result<Duration> parsed = Duration::parse(Duration::nanoseconds(ns).str());
    ASSERT_TRUE(parsed) << ns;
    ASSERT_EQ(parsed->nanoseconds(), ns);
  }
}

TEST(Duration, SaturatesInsteadOfWrapping) {
  const Duration max = Duration::max();
  const Duration min = Duration::nanoseconds(kMin);
  EXPECT_EQ(max + Duration::nanoseconds(1), max);
  EXPECT_EQ(min - Duration::nanoseconds(1), min);
  EXPECT_EQ(min + Duration::nanoseconds(-1), min);
  EXPECT_EQ(Duration() - min, max);
  EXPECT_EQ(max * 2, max);
  EXPECT_EQ(max * -2, min);
  EXPECT_EQ(min * -1, max);
  EXPECT_EQ(Duration::hours(kMax), max);
  EXPECT_EQ(Duration::seconds(kMin), min);
  EXPECT_EQ(Duration::milliseconds(kMax), max);
  EXPECT_EQ(Duration::seconds(3) - Duration::milliseconds(500), Duration::milliseconds(2'500));
  EXPECT_EQ(Duration::minutes(2) * 3, Duration::seconds(360));
  EXPECT_DOUBLE_EQ(Duration::milliseconds(1'500).in_seconds(), 1.5);
}

struct InstantCase {
  std::string text;
  std::int64_t nanoseconds;
  std::string printed;
  std::string printed_with_fraction;
};

TEST(Instant, ParsesAndPrintsAsGo) {
  const InstantCase cases[] = {
      {"2026-01-02T03:04:05Z", 1'767'323'045'000'000'000, "2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"},
      {"2026-01-02T03:04:05.123456789Z", 1'767'323'045'123'456'789, "2026-01-02T03:04:05Z",
       "2026-01-02T03:04:05.123456789Z"},
      {"2026-01-02T03:04:05.1234567891234Z", 1'767'323'045'123'456'789, "2026-01-02T03:04:05Z",
       "2026-01-02T03:04:05.123456789Z"},
      {"2026-01-02T03:04:05.5+02:30", 1'767'314'045'500'000'000, "2026-01-02T00:34:05Z", "2026-01-02T00:34:05.5Z"},
      {"2026-01-02T03:04:05-07:00", 1'767'348'245'000'000'000, "2026-01-02T10:04:05Z", "2026-01-02T10:04:05Z"},
      {"2024-02-29T00:00:00Z", 1'709'164'800'000'000'000, "2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
      {"2000-02-29T00:00:00Z", 951'782'400'000'000'000, "2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"},
      {"2026-01-01T00:00:00+24:00", 1'767'139'200'000'000'000, "2025-12-31T00:00:00Z", "2025-12-31T00:00:00Z"},
      {"2026-01-01T00:00:00+23:59", 1'767'139'260'000'000'000, "2025-12-31T00:01:00Z", "2025-12-31T00:01:00Z"},
      {"2026-01-01T00:00:00+01:60", 1'767'218'400'000'000'000, "2025-12-31T22:00:00Z", "2025-12-31T22:00:00Z"},
      {"2026-01-01T1:00:00Z", 1'767'229'200'000'000'000, "2026-01-01T01:00:00Z", "2026-01-01T01:00:00Z"},
      {"2026-01-01T00:00:00,5Z", 1'767'225'600'500'000'000, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z"},
      {"1969-12-31T23:59:59.999999999Z", -1, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.999999999Z"},
      {"1677-09-21T00:12:43.145224193Z", -9'223'372'036'854'775'807, "1677-09-21T00:12:43Z",
       "1677-09-21T00:12:43.145224193Z"},
      {"2262-04-11T23:47:16.854775807Z", kMax, "2262-04-11T23:47:16Z", "2262-04-11T23:47:16.854775807Z"},
      {"1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"},
      {"1969-12-31T23:59:59Z", -1'000'000'000, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"},
  };
  for (const InstantCase& c : cases) {
    const Result<Instant> parsed = Instant::parse(c.text);
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(parsed->unix_nanoseconds(), c.nanoseconds) << c.text;
    EXPECT_EQ(parsed->rfc3339(), c.printed) << c.text;
    EXPECT_EQ(parsed->rfc3339_nano(), c.printed_with_fraction) << c.text;
  }
}

TEST(Instant, RefusesWithGosWords) {
  const std::pair<std::string, std::string> cases[] = {
      {"2023-02-29T00:00:00Z", "parsing time \"2023-02-29T00:00:00Z\": day out of range"},
      {"1900-02-29T00:00:00Z", "parsing time \"1900-02-29T00:00:00Z\": day out of range"},
      {"2026-04-31T00:00:00Z", "parsing time \"2026-04-31T00:00:00Z\": day out of range"},
      {"2026-13-01T00:00:00Z", "parsing time \"2026-13-01T00:00:00Z\": month out of range"},
      {"2026-00-01T00:00:00Z", "parsing time \"2026-00-01T00:00:00Z\": month out of range"},
      {"2026-01-00T00:00:00Z", "parsing time \"2026-01-00T00:00:00Z\": day out of range"},
      {"2026-01-32T00:00:00Z", "parsing time \"2026-01-32T00:00:00Z\": day out of range"},
      {"2026-01-01T24:00:00Z", "parsing time \"2026-01-01T24:00:00Z\": hour out of range"},
      {"2026-01-01T23:60:00Z", "parsing time \"2026-01-01T23:60:00Z\": minute out of range"},
      {"2026-01-01T23:59:60Z", "parsing time \"2026-01-01T23:59:60Z\": second out of range"},
      {"2026-01-01t00:00:00Z",
       "parsing time \"2026-01-01t00:00:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"t00:00:00Z\" as \"T\""},
      {"2026-01-01T00:00:00z",
       "parsing time \"2026-01-01T00:00:00z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"z\" as \"Z07:00\""},
      {"2026-01-01 00:00:00Z",
       "parsing time \"2026-01-01 00:00:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \" 00:00:00Z\" as \"T\""},
      {"2026-01-01T00:00:00",
       "parsing time \"2026-01-01T00:00:00\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"Z07:00\""},
      {"2026-01-01T00:00:00.Z",
       "parsing time \"2026-01-01T00:00:00.Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \".Z\" as \"Z07:00\""},
      {"2026-01-01T00:00:00Z ", "parsing time \"2026-01-01T00:00:00Z \": extra text: \" \""},
      {"2026-01-01T00:00:00Zx", "parsing time \"2026-01-01T00:00:00Zx\": extra text: \"x\""},
      {"2026-01-01T00:00:00+0100",
       "parsing time \"2026-01-01T00:00:00+0100\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"+0100\" as "
       "\"Z07:00\""},
      {"2026-01-01T00:00:00+01:0",
       "parsing time \"2026-01-01T00:00:00+01:0\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"+01:0\" as "
       "\"Z07:00\""},
      {"2026-01-01T00:00:00+25:00", "parsing time \"2026-01-01T00:00:00+25:00\": time zone offset hour out of range"},
      {"2026-01-01T00:00:00+01:61", "parsing time \"2026-01-01T00:00:00+01:61\": time zone offset minute out of range"},
      {"", "parsing time \"\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"2006\""},
      {"x", "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\""},
      {"2026", "parsing time \"2026\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"-\""},
      {"26-01-01T00:00:00Z",
       "parsing time \"26-01-01T00:00:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"26-01-01T00:00:00Z\" as "
       "\"2006\""},
      {"2026/01/01T00:00:00Z",
       "parsing time \"2026/01/01T00:00:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"/01/01T00:00:00Z\" as "
       "\"-\""},
      {"2026-1-01T00:00:00Z",
       "parsing time \"2026-1-01T00:00:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"1-01T00:00:00Z\" as "
       "\"01\""},
      {"2026-01-1T00:00:00Z",
       "parsing time \"2026-01-1T00:00:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"1T00:00:00Z\" as \"02\""},
      {"2026-01-01T00:0:00Z",
       "parsing time \"2026-01-01T00:0:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"0:00Z\" as \"04\""},
      {"2026-01-01T00:00:0Z",
       "parsing time \"2026-01-01T00:00:0Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"0Z\" as \"05\""},
      {"\"2026\"",
       "parsing time \"\\\"2026\\\"\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\\\"2026\\\"\" as \"2006\""},
      {"20260101T000000Z",
       "parsing time \"20260101T000000Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"0101T000000Z\" as \"-\""},
      {"2026-01-01T00:00:00+01:00x", "parsing time \"2026-01-01T00:00:00+01:00x\": extra text: \"x\""},
      {"2026-01-01T00:00:00.5",
       "parsing time \"2026-01-01T00:00:00.5\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"Z07:00\""},
  };
  for (const auto& [text, message] : cases) {
    const Result<Instant> parsed = Instant::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().what(), message);
  }
}

TEST(Instant, RefusesYearsThatDoNotFitInNanoseconds) {
  for (const char* text : {"1677-09-21T00:12:43.145224192Z", "2262-04-11T23:47:16.854775808Z", "9999-12-31T23:59:59Z",
                           "0000-01-01T00:00:00Z", "0001-01-01T00:00:01Z"}) {
    const Result<Instant> parsed = Instant::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().what().find("1677 to 2262"), std::string::npos);
  }
}

TEST(Instant, ReadsGosZeroTimeAsUnset) {
  const Result<Instant> parsed = Instant::parse("0001-01-01T00:00:00Z");
  ASSERT_TRUE(parsed);
  EXPECT_FALSE(parsed->is_set());
  EXPECT_EQ(*parsed, Instant());
}

TEST(Instant, IsUnsetByDefaultAndThenBeforeEverySetOne) {
  EXPECT_FALSE(Instant().is_set());
  EXPECT_TRUE(Instant::from_unix_nanoseconds(0).is_set());
  EXPECT_TRUE(Instant::from_unix_seconds(kMin).is_set());
  EXPECT_LT(Instant(), Instant::from_unix_seconds(kMin));
  EXPECT_EQ(Instant().rfc3339(), "");
  EXPECT_EQ(Instant().rfc3339_micro(), "");
  EXPECT_EQ(Instant().rfc3339_nano(), "");
  EXPECT_EQ(Instant().floor_to_second(), Instant());
}

TEST(Instant, PrintsSixDigitsInMicroForm) {
  const auto print = [](std::int64_t ns) { return Instant::from_unix_nanoseconds(ns).rfc3339_micro(); };
  EXPECT_EQ(print(1'767'323'045'000'006'000), "2026-01-02T03:04:05.000006Z");
  EXPECT_EQ(print(1'767'323'045'000'000'999), "2026-01-02T03:04:05.000000Z");
  EXPECT_EQ(print(-1), "1969-12-31T23:59:59.999999Z");
}

TEST(Instant, RoundsDownToTheSecondAlsoBefore1970) {
  const auto floor = [](std::int64_t ns) { return Instant::from_unix_nanoseconds(ns).floor_to_second(); };
  EXPECT_EQ(floor(1'999'999'999), Instant::from_unix_seconds(1));
  EXPECT_EQ(floor(1'000'000'000), Instant::from_unix_seconds(1));
  EXPECT_EQ(floor(0), Instant::from_unix_seconds(0));
  EXPECT_EQ(floor(-1), Instant::from_unix_seconds(-1));
  EXPECT_EQ(floor(-1'000'000'000), Instant::from_unix_seconds(-1));
  EXPECT_EQ(floor(-1'000'000'001), Instant::from_unix_seconds(-2));
}

TEST(Instant, ReadsBackWhatItPrints) {
  Rng rng(2);
  for (int i = 0; i < 20'000; ++i) {
    const auto ns = static_cast<std::int64_t>(rng.next_u64()) >> rng.below(64);
    const Instant instant = Instant::from_unix_nanoseconds(ns);
    const Result<Instant> parsed = Instant::parse(instant.rfc3339_nano());
    ASSERT_TRUE(parsed) << parsed.error().message();
    ASSERT_EQ(*parsed, instant);
    ASSERT_EQ(*Instant::parse(instant.rfc3339_micro()) <= instant, true);
  }
}

TEST(Instant, CountsDaysWithoutAGapFrom1678To2262) {
  // Steps day by day and keeps the calendar by the rule a school book gives.
  int year = 1678;
  int month = 1;
  int day = 1;
  Instant at = *Instant::parse("1678-01-01T12:00:00Z");
  while (year < 2262) {
    ASSERT_EQ(at.rfc3339(), fmt::format("{:04}-{:02}-{:02}T12:00:00Z", year, month, day));
    ASSERT_EQ(*Instant::parse(at.rfc3339()), at);
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    const int days = month == 2 ? (leap ? 29 : 28) : (month == 4 || month == 6 || month == 9 || month == 11) ? 30 : 31;
    if (++day > days) {
      day = 1;
      if (++month > 12) month = 1, ++year;
    }
    at = at + Duration::hours(24);
  }
}

TEST(Instant, SaturatesInsteadOfWrapping) {
  const Instant last = Instant::from_unix_nanoseconds(kMax);
  const Instant first = Instant::from_unix_nanoseconds(kMin + 1);
  EXPECT_EQ(last + Duration::seconds(1), last);
  EXPECT_EQ(first - Duration::seconds(1), first);
  EXPECT_EQ(first + Duration::nanoseconds(kMin), first);
  EXPECT_EQ(first - Duration::nanoseconds(1), first);
  EXPECT_EQ(last - first, Duration::max());
  EXPECT_EQ(first - last, Duration::nanoseconds(kMin));
  EXPECT_EQ(Instant::from_unix_seconds(5) - Instant::from_unix_seconds(7), Duration::seconds(-2));
  EXPECT_EQ(Instant::from_unix_seconds(5) - Duration::seconds(7), Instant::from_unix_seconds(-2));
}

TEST(InstantDeathTest, RefusesToCountFromUnset) {
  EXPECT_DEATH(Instant() + Duration::seconds(1), "unset instant");
  EXPECT_DEATH(Instant() - Duration::seconds(1), "unset instant");
  EXPECT_DEATH(Instant() - Instant::from_unix_seconds(1), "is_set");
}

}  // namespace
}  // namespace berth
