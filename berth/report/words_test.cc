#include "berth/report/words.h"

#include <gtest/gtest.h>

#include <utility>

#include "berth/report/table.h"

namespace berth::report {
namespace {

TEST(Words, SayTimesInTwoPartsAtMost) {
  const std::pair<Duration, std::string_view> cases[] = {
      {Duration(), "0s"},
      {Duration::nanoseconds(1), "<0.1ms"},
      {Duration::microseconds(400), "0.4ms"},
      {Duration::microseconds(2500), "2.5ms"},
      {Duration::milliseconds(12), "12ms"},
      {Duration::milliseconds(999), "999ms"},
      {Duration::milliseconds(1250), "1.2s"},
      {Duration::seconds(45), "45s"},
      {Duration::seconds(60), "1m"},
      {Duration::seconds(200), "3m20s"},
      {Duration::minutes(125), "2h5m"},
      {Duration::hours(24), "1d"},
      {Duration::hours(28), "1d4h"},
      {Duration::seconds(-90), "-1m30s"},
  };
  for (const auto& [duration, text] : cases) EXPECT_EQ(short_time(duration), text);
}

TEST(Words, GroupDigitsAndCountThings) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(count_of(1, "pod"), "1 pod");
  EXPECT_EQ(count_of(2000, "pod"), "2,000 pods");
}

TEST(Words, NeverRoundAShareToNothingOrAll) {
  EXPECT_EQ(percent(0), "0%");
  EXPECT_EQ(percent(0.001), "<1%");
  EXPECT_EQ(percent(0.5), "50%");
  EXPECT_EQ(percent(0.999), ">99%");
  EXPECT_EQ(percent(1), "100%");
  EXPECT_EQ(percent(1.2), "120%");
}

TEST(Words, BreakLinesAtBlanks) {
  EXPECT_EQ(wrapped("one two three four", 12, "- ", "  "), "- one two\n  three four\n");
  EXPECT_EQ(wrapped("a-word-that-is-too-long x", 8, "", "  "), "a-word-that-is-too-long\n  x\n");
  EXPECT_EQ(wrapped("", 8, "- ", ""), "- \n");
}

TEST(Words, AreCutBetweenCharacters) {
  EXPECT_EQ(cut_to("abcdef", 4), "abcd");
  EXPECT_EQ(cut_to("abcd", 4), "abcd");
  EXPECT_EQ(cut_to("\u00e9\u00e9\u00e9", 2), "\u00e9\u00e9");
  EXPECT_EQ(cut_to("abc", 0), "");
}

TEST(Table, AlignsColumnsAndCutsTrailingBlanks) {
  Table table;
  table.add_column("NODE");
  table.add_column("PODS", Table::Align::kRight);
  table.add_column("");
  EXPECT_EQ(table.str(), "");
  table.add_row({"n1", "12", ""});
  table.add_row({"a-long-one", "1,000", "cordoned"});
  EXPECT_EQ(table.str(),
            "  NODE         PODS\n"
            "  n1             12\n"
            "  a-long-one  1,000  cordoned\n");
}

}  // namespace
}  // namespace berth::report
