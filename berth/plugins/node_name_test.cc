#include "berth/plugins/node_name.h"

#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

TEST(NodeName, APodThatNamesItsNodeGoesNowhereElse) {
  constexpr std::string_view kOther = "UnschedulableAndUnresolvable | node(s) didn't match the requested node name";
  PluginWorld world;
  world.node(NodeSketch("a")).node(NodeSketch("b"));
  EXPECT_EQ(world.verdict(make_node_name, PodSketch("p"), "a"), "Success");
  EXPECT_EQ(world.verdict(make_node_name, PodSketch("p").on("a"), "a"), "Success");
  EXPECT_EQ(world.verdict(make_node_name, PodSketch("p").on("a"), "b"), kOther);
  EXPECT_EQ(world.verdict(make_node_name, PodSketch("p").on("unknown"), "b"), kOther);
}

}  // namespace
}  // namespace berth::plugins
