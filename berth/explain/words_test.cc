#include "berth/explain/words.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace berth::explain {
namespace {

TEST(Words, AmountsAreWrittenAsPeopleWriteThem) {
  const Symbol cpu("cpu"), memory("memory"), gpu("example.com/gpu");
  const std::int64_t gi = std::int64_t{1} << 30, mi = 1 << 20;
  EXPECT_EQ(amount(cpu, 300, Round::kUp), "300m");
  EXPECT_EQ(amount(cpu, 2000, Round::kUp), "2");
  EXPECT_EQ(amount(cpu, 1500, Round::kUp), "1.5");
  EXPECT_EQ(amount(cpu, 1250, Round::kUp), "1250m");
  EXPECT_EQ(amount(cpu, 35'280, Round::kUp), "35.28");
  EXPECT_EQ(amount(cpu, 35'005, Round::kUp), "35.005");
  EXPECT_EQ(amount(cpu, 125'061'848, Round::kDown), "125061.8");
  EXPECT_EQ(amount(memory, 2 * gi, Round::kUp), "2Gi");
  EXPECT_EQ(amount(memory, gi + gi / 2, Round::kUp), "1.5Gi");
  EXPECT_EQ(amount(memory, 64 * mi, Round::kUp), "64Mi");
  EXPECT_EQ(amount(memory, 100, Round::kUp), "100");
  EXPECT_EQ(amount(gpu, 3, Round::kUp), "3");
  EXPECT_EQ(amount_of(gpu, 3, Round::kUp), "3 example.com/gpu");
}

TEST(Words, BytesAreRoundedTheWayTheyAreAskedFor) {
  const Symbol memory("memory");
  const std::int64_t gi = std::int64_t{1} << 30;
  EXPECT_EQ(amount(memory, gi + 1, Round::kUp), "1.1Gi");
  EXPECT_EQ(amount(memory, gi + 1, Round::kDown), "1Gi");
  EXPECT_EQ(amount(memory, 2 * gi - 1, Round::kUp), "2Gi");
  EXPECT_EQ(amount(memory, 2 * gi - 1, Round::kDown), "1.9Gi");
}

TEST(Words, ListsAreCutWithACount) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  EXPECT_EQ(listed(std::span(names).first(0)), "");
  EXPECT_EQ(listed(std::span(names).first(1)), "a");
  EXPECT_EQ(listed(std::span(names).first(2)), "a and b");
  EXPECT_EQ(listed(std::span(names).first(3), 2), "a, b and c");
  EXPECT_EQ(listed(names, 2), "a, b and 3 more");
}

TEST(Words, NumbersInNamesCountAsNumbers) {
  std::vector<std::string> names = {"n-10", "n-2", "m", "n-1", "n-02"};
  std::ranges::sort(names, natural_less);
  EXPECT_EQ(names, (std::vector<std::string>{"m", "n-1", "n-02", "n-2", "n-10"}));
}

TEST(Words, ConditionsOnLabelsReadAsKubectlWritesThem) {
  const std::vector<Symbol> one = {Symbol("a")}, two = {Symbol("a"), Symbol("b")};
  EXPECT_EQ(requirement_text("zone", "In", one), "zone=a");
  EXPECT_EQ(requirement_text("zone", "In", two), "zone in (a, b)");
  EXPECT_EQ(requirement_text("zone", "NotIn", one), "zone!=a");
  EXPECT_EQ(requirement_text("zone", "Exists", {}), "zone (any value)");
  EXPECT_EQ(requirement_text("cores", "Gt", std::vector{Symbol("4")}), "cores > 4");
}

}  // namespace
}  // namespace berth::explain
