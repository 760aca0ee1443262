#include "berth/base/nearest_name.h"

#include <gtest/gtest.h>

#include <array>

namespace berth {
namespace {

TEST(NearestName, CountsEditsAndSwapsOfNeighbours) {
  EXPECT_EQ(edit_distance("", "cpu"), 3u);
  EXPECT_EQ(edit_distance("request", "requests"), 1u);
  EXPECT_EQ(edit_distance("iamge", "image"), 1u);
  EXPECT_EQ(edit_distance("CPU", "cpu"), 0u);
  EXPECT_EQ(edit_distance("drain", "explain"), 4u);
}

TEST(NearestName, IsEmptyIfNothingIsClose) {
  constexpr std::array<std::string_view, 3> kNames = {"requests", "limits", "claims"};
  EXPECT_EQ(nearest_name("request", kNames), "requests");
  EXPECT_EQ(nearest_name("limit", kNames), "limits");
  EXPECT_EQ(nearest_name("resources", kNames), "");
  EXPECT_EQ(nearest_name("x", kNames), "");
}

}  // namespace
}  // namespace berth
