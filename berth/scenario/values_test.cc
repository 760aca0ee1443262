#include "berth/scenario/values.h"

#include <gtest/gtest.h>

namespace berth::scenario {
namespace {

TEST(Values, ReadsRatesExactly) {
  EXPECT_EQ(read_rate("5%"), 50'000U);
  EXPECT_EQ(read_rate("0.1%"), 1'000U);
  EXPECT_EQ(read_rate("100%"), sim::kAlways);
  for (const std::string_view wrong : {"5", "101%", "-1%", "%", "x%"}) EXPECT_FALSE(read_rate(wrong)) << wrong;
}

TEST(Values, ReadsLatencies) {
  EXPECT_EQ(read_latency("5ms")->shape, sim::Latency::Shape::kFixed);
  const auto uniform = read_latency("1ms..20ms");
  ASSERT_TRUE(uniform);
  EXPECT_EQ(uniform->shape, sim::Latency::Shape::kUniform);
  EXPECT_EQ(uniform->high, Duration::milliseconds(20));
  const auto exponential = read_latency("~5ms..1s");
  ASSERT_TRUE(exponential);
  EXPECT_EQ(exponential->shape, sim::Latency::Shape::kExponential);
  EXPECT_EQ(exponential->low, Duration::milliseconds(5));
  for (const std::string_view wrong : {"5", "20ms..1ms", "..1s", "~5ms"}) EXPECT_FALSE(read_latency(wrong)) << wrong;
}

TEST(Values, ReadsSelectors) {
  const auto selector = read_selector("app=web,tier!=a|b,gpu,!old");
  ASSERT_TRUE(selector);
  ASSERT_NE(selector->match_labels.find(Symbol("app")), nullptr);
  EXPECT_EQ(*selector->match_labels.find(Symbol("app")), "web");
  ASSERT_EQ(selector->match_expressions.size(), 3U);
  EXPECT_EQ(selector->match_expressions[0].op, "NotIn");
  EXPECT_EQ(selector->match_expressions[0].values.size(), 2U);
  EXPECT_EQ(selector->match_expressions[1].op, "Exists");
  EXPECT_EQ(selector->match_expressions[2].op, "DoesNotExist");
  EXPECT_EQ(read_selector("*"), api::LabelSelector());
  for (const std::string_view wrong : {"", "a b", "=x", "cores>4", "app=web,"}) {
    EXPECT_FALSE(read_selector(wrong)) << wrong;
  }
}

TEST(Values, ReadsConditionsOnNodes) {
  const auto term = read_node_term("disk=ssd,cores>4,metadata.name=n1");
  ASSERT_TRUE(term);
  ASSERT_EQ(term->match_expressions.size(), 2U);
  EXPECT_EQ(term->match_expressions[1].op, "Gt");
  ASSERT_EQ(term->match_fields.size(), 1U);
  EXPECT_EQ(term->match_fields[0].values.front(), "n1");
  EXPECT_FALSE(read_node_term("cores>many"));
}

TEST(Values, ReadsTaintsAndTolerations) {
  const auto taint = read_taint("gpu=yes:NoSchedule");
  ASSERT_TRUE(taint);
  EXPECT_EQ(taint->key, "gpu");
  EXPECT_EQ(taint->value, "yes");
  EXPECT_EQ(taint->effect, "NoSchedule");
  EXPECT_TRUE(read_taint("gpu:NoExecute"));
  EXPECT_FALSE(read_taint("gpu"));
  EXPECT_FALSE(read_taint("gpu:Never"));

  const auto any_value = read_toleration("gpu");
  ASSERT_TRUE(any_value);
  EXPECT_EQ(any_value->op, "Exists");
  EXPECT_TRUE(any_value->effect.empty());
  const auto one_value = read_toleration("gpu=yes:NoSchedule");
  ASSERT_TRUE(one_value);
  EXPECT_EQ(one_value->op, "Equal");
  const auto everything = read_toleration("*");
  ASSERT_TRUE(everything);
  EXPECT_TRUE(everything->key.empty());
}

TEST(Values, MatchesPatterns) {
  EXPECT_TRUE(matches_pattern("web-*", "web-1"));
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("*-b-*", "a-b-c"));
  EXPECT_TRUE(matches_pattern("a*b*c", "axxbyyc"));
  EXPECT_FALSE(matches_pattern("web-*", "api-1"));
  EXPECT_FALSE(matches_pattern("web", "web-1"));
  EXPECT_FALSE(matches_pattern("*-b", "a-b-c"));
}

}  // namespace
}  // namespace berth::scenario
