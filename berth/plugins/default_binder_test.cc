#include "berth/plugins/default_binder.h"

#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

TEST(DefaultBinder, NamesThePodAndTheNode) {
  const PluginWorld world;
  const auto plugin = world.make(make_default_binder);
  const auto binding =
      dynamic_cast<const framework::BindPlugin&>(*plugin).bind(PodSketch("p").in("team"), Symbol("node-1"));
  ASSERT_TRUE(binding);
  api::Binding expected;
  expected.metadata.name = "p";
  expected.metadata.uid = "uid-p";
  expected.metadata.name_space = Symbol("team");
  expected.target.kind = Symbol("Node");
  expected.target.name = "node-1";
  EXPECT_EQ(*binding, expected);
}

}  // namespace
}  // namespace berth::plugins
