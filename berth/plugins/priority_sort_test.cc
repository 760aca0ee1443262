#include "berth/plugins/priority_sort.h"

#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

TEST(PrioritySort, LeavesTheOrderToTheQueue) {
  const PluginWorld world;
  const auto plugin = world.make(make_priority_sort);
  EXPECT_EQ(plugin->name(), "PrioritySort");
  EXPECT_FALSE(dynamic_cast<const framework::QueueSortPlugin&>(*plugin).queue_sort());
}

}  // namespace
}  // namespace berth::plugins
