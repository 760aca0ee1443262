#include "berth/sim/pod_script.h"

#include <gtest/gtest.h>

namespace berth::sim {
namespace {

TEST(PodScript, CountsItsRulesDown) {
  PodScript script;
  ScriptRule twice;
  twice.times = 2;
  script.set("default/a", ScriptPoint::kReserve, twice);
  EXPECT_TRUE(script.take("default/a", ScriptPoint::kReserve).has_value());
  EXPECT_TRUE(script.take("default/a", ScriptPoint::kReserve).has_value());
  EXPECT_FALSE(script.take("default/a", ScriptPoint::kReserve).has_value());
  EXPECT_TRUE(script.empty());
}

TEST(PodScript, ARuleForAPodComesBeforeTheRuleForAll) {
  PodScript script;
  ScriptRule all, own;
  all.message = "all";
  own.message = "own";
  script.set("*", ScriptPoint::kPermit, all);
  script.set("default/a", ScriptPoint::kPermit, own);
  EXPECT_EQ(script.take("default/a", ScriptPoint::kPermit)->message, "own");
  EXPECT_EQ(script.take("default/b", ScriptPoint::kPermit)->message, "all");
  EXPECT_FALSE(script.take("default/b", ScriptPoint::kFilter).has_value());
}

TEST(PodScript, ForgetsWhatIsTakenBack) {
  PodScript script;
  script.set("default/a", ScriptPoint::kPreEnqueue, {});
  EXPECT_TRUE(script.peek("default/a", ScriptPoint::kPreEnqueue).has_value());
  script.clear("default/a", ScriptPoint::kPreEnqueue);
  EXPECT_FALSE(script.peek("default/a", ScriptPoint::kPreEnqueue).has_value());
}

}  // namespace
}  // namespace berth::sim
