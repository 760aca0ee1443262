#include "berth/api/taint.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

Toleration toleration(std::string_view key, std::string_view op, std::string_view value, std::string_view effect) {
  return {.key = Symbol(key),
          .op = Symbol(op),
          .value = Symbol(value),
          .effect = Symbol(effect),
          .toleration_seconds = std::nullopt};
}

Taint taint(std::string_view key, std::string_view value, std::string_view effect) {
  return {.key = Symbol(key), .value = Symbol(value), .effect = Symbol(effect), .time_added = {}};
}

TEST(Taint, IsToleratedByKeyOperatorValueAndEffect) {
  const Taint tainted = taint("gpu", "5", "NoSchedule");
  const struct {
    Toleration toleration;
    bool tolerates;
    bool tolerates_with_comparison;
  } cases[] = {
      {toleration("gpu", "Equal", "5", "NoSchedule"), true, true},
      {toleration("gpu", "", "5", "NoSchedule"), true, true},
      {toleration("gpu", "Equal", "6", "NoSchedule"), false, false},
      {toleration("gpu", "Equal", "5", "NoExecute"), false, false},
      {toleration("gpu", "Equal", "5", ""), true, true},
      {toleration("cpu", "Equal", "5", ""), false, false},
      {toleration("", "Equal", "5", ""), true, true},
      {toleration("", "Equal", "", ""), false, false},
      {toleration("gpu", "Exists", "", ""), true, true},
      {toleration("gpu", "Exists", "other", ""), true, true},
      {toleration("", "Exists", "", ""), true, true},
      {toleration("cpu", "Exists", "", ""), false, false},
      {toleration("gpu", "Lt", "6", ""), false, true},
      {toleration("gpu", "Lt", "5", ""), false, false},
      {toleration("gpu", "Gt", "4", ""), false, true},
      {toleration("gpu", "Gt", "5", ""), false, false},
      {toleration("gpu", "Gt", "04", ""), false, false},
      {toleration("gpu", "Gt", "x", ""), false, false},
      {toleration("gpu", "Near", "5", ""), false, false},
  };
  for (const auto& c : cases) {
    const auto& t = c.toleration;
    const std::string what = t.key.str() + " " + t.op.str() + " " + t.value.str() + " " + t.effect.str();
    EXPECT_EQ(tolerates(t, tainted), c.tolerates) << what;
    EXPECT_EQ(tolerates(t, tainted, true), c.tolerates_with_comparison) << what;
  }
  EXPECT_FALSE(tolerates(toleration("gpu", "Gt", "4", ""), taint("gpu", "+5", "NoSchedule"), true));
}

TEST(Taint, FindsTheFirstUntoleratedThatKeepsPodsOff) {
  const std::vector<Taint> taints = {taint("soft", "", "PreferNoSchedule"), taint("a", "", "NoSchedule"),
                                     taint("b", "", "NoExecute")};
  EXPECT_EQ(find_untolerated_taint(taints, {}), &taints[1]);
  const std::vector<Toleration> one = {toleration("a", "Exists", "", "")};
  EXPECT_EQ(find_untolerated_taint(taints, one), &taints[2]);
  const std::vector<Toleration> both = {toleration("a", "Exists", "", ""), toleration("b", "Exists", "", "")};
  EXPECT_EQ(find_untolerated_taint(taints, both), nullptr);
  EXPECT_EQ(find_untolerated_taint({}, {}), nullptr);
  EXPECT_TRUE(is_prefer_no_schedule(taints[0]));
  EXPECT_FALSE(keeps_pods_off(taints[0]));
}

}  // namespace
}  // namespace berth::api
