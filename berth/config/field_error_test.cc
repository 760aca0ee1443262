#include "berth/config/field_error.h"

#include <gtest/gtest.h>

#include <vector>

namespace berth::config {
namespace {

TEST(Path, JoinsNamesWithDotsAndIndicesWithout) {
  EXPECT_EQ(Path("a").child("b").index(3).child("c").key("x/y").text(), "a.b[3].c[x/y]");
  EXPECT_EQ(Path().child("b").text(), "b");
  EXPECT_EQ(Path().index(1).text(), "[1]");
}

TEST(FieldError, PrintsAsKubernetesDoes) {
  const Path path("a.b");
  constexpr std::string_view kSupported[] = {"X", "Y"};
  EXPECT_EQ(invalid(path, show(std::int64_t{0}), "too small").message(), "a.b: Invalid value: 0: too small");
  EXPECT_EQ(invalid(path, show("q\"\n"), "bad").message(), R"(a.b: Invalid value: "q\"\n": bad)");
  EXPECT_EQ(invalid(path, show(Duration::seconds(90)), "bad").message(), R"(a.b: Invalid value: "1m30s": bad)");
  EXPECT_EQ(duplicate(path, show("x")).message(), R"(a.b: Duplicate value: "x")");
  EXPECT_EQ(not_supported(path, show("Z"), kSupported).message(),
            R"(a.b: Unsupported value: "Z": supported values: "X", "Y")");
  EXPECT_EQ(required(path).message(), "a.b: Required value");
  EXPECT_EQ(required(path, "why").message(), "a.b: Required value: why");
  EXPECT_EQ(forbidden(path, "why").message(), "a.b: Forbidden: why");
}

TEST(FieldError, QuotesAsGoDoes) {
  EXPECT_EQ(go_quote("\x01\x7f\xff<é\u00ad\U0001F600"), "\"\\x01\\x7f\\xff<é\\u00ad\U0001F600\"");
  EXPECT_EQ(json_quote("<&>\x01\n"), R"("\u003c\u0026\u003e\u0001\n")");
  const std::vector<Symbol> values = {Symbol("a"), Symbol("<")};
  EXPECT_EQ(show(values), R"(["a","\u003c"])");
}

TEST(FieldError, AnAggregateNamesEachTextOnce) {
  const std::vector<Error> one = {Error("x"), Error("x")};
  const std::vector<Error> two = {Error("x"), Error("y"), Error("x")};
  EXPECT_EQ(aggregate(one), "x");
  EXPECT_EQ(aggregate(two), "[x, y]");
}

}  // namespace
}  // namespace berth::config
