#include "berth/plugins/node_declared_features.h"

#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

NodeSketch declaring(std::string name, std::vector<Symbol> features) {
  return NodeSketch(std::move(name)).with([&](api::Node& node) { node.status.declared_features = features; });
}

TEST(NodeDeclaredFeatures, ANodeMustDeclareWhatThePodNeeds) {
  constexpr std::string_view kLacks = "UnschedulableAndUnresolvable | node(s) didn't match Pod's required features";
  const Shape sharing_host_network = [](api::PodTemplate& pod) {
    pod.host_network = true;
    pod.host_users = false;
  };
  const Shape restarting_all = [](api::PodTemplate& pod) {
    pod.containers.emplace_back().restart_policy_rules.push_back({Symbol("RestartAllContainers")});
  };
  PluginWorld world;
  world.node(declaring("none", {}))
      .node(declaring("one", {Symbol("UserNamespacesHostNetworkSupport"), Symbol("SomethingElse")}))
      .node(declaring("both",
                      {Symbol("RestartAllContainersOnContainerExits"), Symbol("UserNamespacesHostNetworkSupport")}));
  const PodSketch host = PodSketch("p").shaped(sharing_host_network), both = host.shaped(restarting_all);
  EXPECT_EQ(world.verdict(make_node_declared_features, PodSketch("p"), "none"), "PreFilter Skip");
  EXPECT_EQ(world.verdict(make_node_declared_features, host, "none"), kLacks);
  EXPECT_EQ(world.verdict(make_node_declared_features, host, "one"), "Success");
  EXPECT_EQ(world.verdict(make_node_declared_features, both, "one"), kLacks);
  EXPECT_EQ(world.verdict(make_node_declared_features, both, "both"), "Success");
  world.gates = world.gates.with(config::Feature::kNodeDeclaredFeatures, false);
  EXPECT_EQ(world.verdict(make_node_declared_features, host, "none"), "PreFilter Skip");
}

}  // namespace
}  // namespace berth::plugins
