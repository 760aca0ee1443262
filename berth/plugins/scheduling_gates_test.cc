#include "berth/plugins/scheduling_gates.h"

#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

TEST(SchedulingGates, HoldAPodBackAndAreNamed) {
  const PluginWorld world;
  const auto plugin = world.make(make_scheduling_gates);
  const auto& gates = dynamic_cast<const framework::PreEnqueuePlugin&>(*plugin);
  EXPECT_TRUE(gates.pre_enqueue(PodSketch("p")).is_success());
  const PodSketch gated = PodSketch("p").shaped([](api::PodTemplate& pod) {
    pod.scheduling_gates = {{Symbol("example.com/quota")}, {Symbol("example.com/network")}};
  });
  EXPECT_EQ(PluginWorld::text_of(gates.pre_enqueue(gated)),
            "UnschedulableAndUnresolvable | waiting for scheduling gates: [example.com/quota example.com/network]");
}

TEST(SchedulingGates, WaitForTheirRemovalAlone) {
  const PluginWorld world;
  const auto events = world.make(make_scheduling_gates)->events(Symbol("default-scheduler"));
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), 1u);
  EXPECT_EQ(events->front().event.actions, queue::action::kUpdatePodSchedulingGatesEliminated);
}

}  // namespace
}  // namespace berth::plugins
