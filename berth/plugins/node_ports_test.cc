#include "berth/plugins/node_ports.h"

#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

Shape taking(std::string_view ip, std::string_view protocol, std::int32_t port) {
  return [=](api::PodTemplate& pod) {
    api::ContainerPort& added = pod.containers.emplace_back().ports.emplace_back();
    added.host_ip = Symbol(ip);
    added.protocol = Symbol(protocol);
    added.host_port = port;
  };
}

TEST(NodePorts, TwoPodsCannotHaveOnePort) {
  constexpr std::string_view kTaken = "Unschedulable | node(s) didn't have free ports for the requested pod ports";
  const struct {
    std::string_view what;
    Shape there, wanted;
    std::string_view verdict;
  } cases[] = {
      {"same", taking("", "", 80), taking("", "", 80), kTaken},
      {"defaults spelled out", taking("0.0.0.0", "TCP", 80), taking("", "", 80), kTaken},
      {"another port", taking("", "", 80), taking("", "", 81), "Success"},
      {"another protocol", taking("", "TCP", 80), taking("", "UDP", 80), "Success"},
      {"another address", taking("10.0.0.1", "", 80), taking("10.0.0.2", "", 80), "Success"},
      {"same address", taking("10.0.0.1", "", 80), taking("10.0.0.1", "", 80), kTaken},
      {"any address there", taking("", "", 80), taking("10.0.0.2", "", 80), kTaken},
      {"any address wanted", taking("10.0.0.1", "", 80), taking("0.0.0.0", "", 80), kTaken},
      {"no port wanted", taking("", "", 80), taking("", "", 0), "PreFilter Skip"},
      {"no port there", taking("", "", 0), taking("", "", 80), "Success"},
  };
  for (const auto& each : cases) {
    PluginWorld world;
    world.node(NodeSketch("n"));
    world.place(PodSketch("there").on("n").shaped(each.there));
    EXPECT_EQ(world.verdict(make_node_ports, PodSketch("p").shaped(each.wanted), "n"), each.verdict) << each.what;
  }
}

TEST(NodePorts, OfInitContainersOnlySidecarsKeepTheirs) {
  const auto init = [](bool is_sidecar) {
    return [=](api::PodTemplate& pod) {
      api::Container& container = pod.init_containers.emplace_back();
      container.ports.emplace_back().host_port = 80;
      if (is_sidecar) container.restart_policy = Symbol("Always");
    };
  };
  PluginWorld world;
  world.node(NodeSketch("n"));
  EXPECT_EQ(world.verdict(make_node_ports, PodSketch("p").shaped(init(false)), "n"), "PreFilter Skip");
  EXPECT_EQ(world.verdict(make_node_ports, PodSketch("p").shaped(init(true)), "n"), "Success");
}

}  // namespace
}  // namespace berth::plugins
