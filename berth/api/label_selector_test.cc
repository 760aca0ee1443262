#include "berth/api/label_selector.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

LabelSelectorRequirement expression(std::string_view key, std::string_view op, std::vector<std::string_view> values) {
  LabelSelectorRequirement requirement{.key = Symbol(key), .op = Symbol(op), .values = {}};
  for (const std::string_view value : values) requirement.values.emplace_back(value);
  return requirement;
}

Labels labels(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
  Labels result;
  for (const auto& [key, value] : pairs) result[Symbol(key)] = Symbol(value);
  return result;
}

TEST(LabelMatcher, NullMatchesNothingAndEmptyEverything) {
  const auto nothing = LabelMatcher::compile(std::optional<LabelSelector>());
  ASSERT_TRUE(nothing.has_value());
  EXPECT_TRUE(nothing->is_nothing());
  EXPECT_FALSE(nothing->is_everything());
  EXPECT_FALSE(nothing->matches({}));

  const auto everything = LabelMatcher::compile(std::optional<LabelSelector>(LabelSelector{}));
  ASSERT_TRUE(everything.has_value());
  EXPECT_TRUE(everything->is_everything());
  EXPECT_TRUE(everything->matches({}));
  EXPECT_TRUE(everything->matches(labels({{"a", "b"}})));
}

TEST(LabelMatcher, MatchesEachOperator) {
  const Labels pod = labels({{"app", "web"}, {"empty", ""}, {"tier", "1"}});
  const struct {
    LabelSelectorRequirement expression;
    bool matches;
  } cases[] = {
      {expression("app", "In", {"web", "db"}), true},
      {expression("app", "In", {"db"}), false},
      {expression("other", "In", {"web"}), false},
      {expression("other", "In", {""}), false},
      {expression("empty", "In", {""}), true},
      {expression("app", "NotIn", {"db"}), true},
      {expression("app", "NotIn", {"db", "web"}), false},
      {expression("other", "NotIn", {"web"}), true},
      {expression("app", "Exists", {}), true},
      {expression("empty", "Exists", {}), true},
      {expression("other", "Exists", {}), false},
      {expression("app", "DoesNotExist", {}), false},
      {expression("other", "DoesNotExist", {}), true},
  };
  for (const auto& c : cases) {
    const auto matcher = LabelMatcher::compile(LabelSelector{.match_labels = {}, .match_expressions = {c.expression}});
    ASSERT_TRUE(matcher.has_value());
    EXPECT_EQ(matcher->matches(pod), c.matches) << c.expression.key.text() << " " << c.expression.op.text();
  }
}

TEST(LabelMatcher, DemandsAllRequirements) {
  const auto matcher = LabelMatcher::compile(
      LabelSelector{.match_labels = labels({{"app", "web"}}), .match_expressions = {expression("tier", "Exists", {})}});
  ASSERT_TRUE(matcher.has_value());
  EXPECT_TRUE(matcher->matches(labels({{"app", "web"}, {"tier", ""}})));
  EXPECT_FALSE(matcher->matches(labels({{"app", "web"}})));
  EXPECT_FALSE(matcher->matches(labels({{"tier", ""}})));
}

TEST(LabelMatcher, ReportsErrorsInUpstreamsWords) {
  const std::string value_rule =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
      "and "
      "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
      "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const std::string name_rule =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
      "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const struct {
    LabelSelector selector;
    std::string error;
  } cases[] = {
      {{.match_labels = {}, .match_expressions = {expression("a", "Near", {})}},
       "\"Near\" is not a valid label selector operator"},
      {{.match_labels = {}, .match_expressions = {expression("a", "Gt", {"1"})}},
       "\"Gt\" is not a valid label selector operator"},
      {{.match_labels = {}, .match_expressions = {expression("a", "In", {})}},
       "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"},
      {{.match_labels = {}, .match_expressions = {expression("a", "Exists", {"x", "y"})}},
       "values: Invalid value: [\"x\",\"y\"]: values set must be empty for exists and does not exist"},
      {{.match_labels = labels({{"a b", "c"}}), .match_expressions = {}}, "key: Invalid value: \"a b\": " + name_rule},
      {{.match_labels = labels({{"a", "b c"}}), .match_expressions = {}},
       "values[0][a]: Invalid value: \"b c\": " + value_rule},
      {{.match_labels = labels({{"", "b c"}}), .match_expressions = {}},
       "[key: Invalid value: \"\": name part must be non-empty; " + name_rule +
           ", values[0][]: Invalid value: \"b c\": " + value_rule + "]"},
  };
  for (const auto& c : cases) {
    const auto matcher = LabelMatcher::compile(c.selector);
    ASSERT_FALSE(matcher.has_value()) << c.error;
    EXPECT_EQ(matcher.error().message(), c.error);
  }
}

TEST(LabelMatcher, NarrowsButLeavesNothingAlone) {
  LabelMatcher everything = LabelMatcher::everything();
  everything.require_equal(Symbol("hash"), Symbol("1"));
  EXPECT_FALSE(everything.is_everything());
  EXPECT_TRUE(everything.matches(labels({{"hash", "1"}})));
  EXPECT_FALSE(everything.matches(labels({{"hash", "2"}})));

  LabelMatcher nothing;
  nothing.require_equal(Symbol("hash"), Symbol("1"));
  EXPECT_TRUE(nothing.is_nothing());
  EXPECT_FALSE(nothing.matches(labels({{"hash", "1"}})));
}

TEST(LabelMatcher, OfLabelsDoesNotCheckSyntax) {
  const LabelMatcher matcher = LabelMatcher::of_labels(labels({{"a b", "c d"}}));
  EXPECT_TRUE(matcher.matches(labels({{"a b", "c d"}, {"e", "f"}})));
  EXPECT_FALSE(matcher.matches({}));
  EXPECT_TRUE(LabelMatcher::of_labels({}).is_everything());
}

}  // namespace
}  // namespace berth::api
