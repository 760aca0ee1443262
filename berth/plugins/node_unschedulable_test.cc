#include "berth/plugins/node_unschedulable.h"

#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

TEST(NodeUnschedulable, CordonedNodesTakePodsThatTolerateTheTaint) {
  constexpr std::string_view kTaint = "node.kubernetes.io/unschedulable";
  constexpr std::string_view kCordoned = "UnschedulableAndUnresolvable | node(s) were unschedulable";
  const auto tolerating_effect = [&](std::string_view effect) {
    return [=](api::PodTemplate& pod) {
      pod.tolerations = {{.key = Symbol(kTaint),
                          .op = Symbol("Exists"),
                          .value = {},
                          .effect = Symbol(effect),
                          .toleration_seconds = {}}};
    };
  };
  const struct {
    std::string_view what;
    PodSketch pod;
    std::string_view on_cordoned;
  } cases[] = {
      {"no toleration", PodSketch("p"), kCordoned},
      {"the taint tolerated", PodSketch("p").shaped(tolerating(kTaint)), "Success"},
      {"its effect tolerated", PodSketch("p").shaped(tolerating_effect("NoSchedule")), "Success"},
      {"another effect tolerated", PodSketch("p").shaped(tolerating_effect("NoExecute")), kCordoned},
      {"another taint tolerated", PodSketch("p").shaped(tolerating("dedicated")), kCordoned},
      {"everything tolerated", PodSketch("p").shaped(tolerating("")), "Success"},
  };
  PluginWorld world;
  world.node(NodeSketch("open")).node(NodeSketch("cordoned").cordoned());
  for (const auto& each : cases) {
    EXPECT_EQ(world.verdict(make_node_unschedulable, each.pod, "open"), "Success") << each.what;
    EXPECT_EQ(world.verdict(make_node_unschedulable, each.pod, "cordoned"), each.on_cordoned) << each.what;
  }
}

}  // namespace
}  // namespace berth::plugins
