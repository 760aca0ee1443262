#include "berth/explain/words.h"

#include <gtest/gtest.h>

#include <vector>

namespace berth::explain {
namespace {

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
