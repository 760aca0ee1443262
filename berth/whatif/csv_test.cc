#include "berth/whatif/csv.h"

#include <gtest/gtest.h>

namespace berth::whatif {
namespace {

TEST(Csv, FindsColumnsByName) {
  const auto table = CsvTable::read("b,a,other\n1,x,\n2,y,z\n", "t.csv", {"a", "b"});
  ASSERT_TRUE(table) << table.error().message();
  ASSERT_EQ(table->rows().size(), 2u);
  EXPECT_EQ(table->at(table->rows()[0], "a"), "x");
  EXPECT_EQ(table->number(table->rows()[1], "b").value_or(0), 2);
}

TEST(Csv, ReadsQuotesWindowsLinesAndAByteOrderMark) {
  const auto table = CsvTable::read("\xEF\xBB\xBF\"a\",b\r\n\"x,\"\"y\"\"\nz\",2\r\n\r\n,3", "t.csv", {"a", "b"});
  ASSERT_TRUE(table) << table.error().message();
  ASSERT_EQ(table->rows().size(), 2u);
  EXPECT_EQ(table->at(table->rows()[0], "a"), "x,\"y\"\nz");
  EXPECT_EQ(table->at(table->rows()[0], "b"), "2");
  EXPECT_EQ(table->at(table->rows()[1], "a"), "");
  EXPECT_EQ(table->at(table->rows()[1], "b"), "3");
  EXPECT_EQ(table->rows()[1].line, 5u);
}

TEST(Csv, SaysInWhichLineSomethingIsWrong) {
  struct Case {
    std::string_view text;
    std::string_view message;
  };
  const Case cases[] = {
      {"", "t.csv: the file is empty; expected a line a,b"},
      {"a,c\n1,2\n", "t.csv:1: there is no column b (expected a first line a,b)"},
      {"a,b\n1,2\n3\n", "t.csv:3: expected 2 fields, found 1"},
      {"a,b\n1,\"2\n", "t.csv:2: the quote that begins here does not end"},
      {"a,b\n\"1\"x,2\n", "t.csv:2: expected a comma behind the closing quote"},
  };
  for (const Case& each : cases) {
    const auto table = CsvTable::read(each.text, "t.csv", {"a", "b"});
    ASSERT_FALSE(table) << each.text;
    EXPECT_EQ(table.error().message(), each.message);
  }
}

TEST(Csv, TakesOnlyNumbersForNumbers) {
  const auto table = CsvTable::read("a\n12\n12.0\n-1\nx\n\"\"\n1e3\n", "t.csv", {"a"});
  ASSERT_TRUE(table) << table.error().message();
  const auto number = [&](std::size_t row) { return table->number(table->rows()[row], "a"); };
  EXPECT_EQ(number(0).value_or(-1), 12);
  EXPECT_EQ(number(1).value_or(-1), 12);
  EXPECT_EQ(number(5).value_or(-1), 1000);
  for (const std::size_t row : {2u, 3u, 4u}) EXPECT_FALSE(number(row));
  EXPECT_EQ(number(3).error().message(), "t.csv:5: a: expected a number that is not negative, found \"x\"");
}

}  // namespace
}  // namespace berth::whatif
