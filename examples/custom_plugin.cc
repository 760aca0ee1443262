// A plugin of one's own, in a simulated cluster. GreenPower keeps pods marked "deferrable" off nodes that run on bought
// power, and prefers nodes with more solar power for all others; each is one small function about one node. It decides
// together with kube-scheduler's own plugins, is enabled by a configuration file as they are, and says which events may
// help a pod that it rejected: so a pod that waits is tried again as soon as the sun is out.
//
// The cluster is in memory and its time is virtual: this is also how to test a plugin, without Kubernetes.
//
// To build it with the installed library (docs/library.md has more ways):
//   g++ -std=c++23 custom_plugin.cc -o custom_plugin $(pkg-config --cflags --libs berth)
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/codec/documents.h"
#include "berth/config/load.h"
#include "berth/framework/per_node.h"
#include "berth/sim/api_server.h"
#include "berth/sim/world.h"

using namespace berth;

std::int64_t solar_percent(const cache::NodeState& node) {
  return std::stoll(node.labels().find(Symbol("solar-percent"))->str());
}

class GreenPower : public framework::Plugin, public framework::PerNodeFilter, public framework::PerNodeScore {
 public:
  std::string_view name() const override { return "GreenPower"; }
  framework::Status filter(const framework::PodToPlace& pod, const cache::NodeState& node) const override {
    if (!pod->metadata.labels->contains(Symbol("deferrable")) || solar_percent(node) > 0) return {};
    return framework::Status::unresolvable("node(s) had no solar power");
  }
  std::int64_t score(const framework::PodToPlace&, const cache::NodeState& node) const override {
    return solar_percent(node);
  }
  std::optional<std::vector<queue::HintRegistration>> events(Symbol profile) const override {
    const queue::ClusterEvent node_changed(queue::resource::kNode,
                                           queue::action::kAdd | queue::action::kUpdateNodeLabel);
    return std::vector{queue::HintRegistration{
        .profile = profile, .plugin = Symbol(name()), .event = node_changed, .hint = {} /* always worth a try */}};
  }
};

Result<void> add_green_power(framework::PluginRegistry& registry) {
  return registry.add({.name = "GreenPower",
                       .points = {config::ExtensionPoint::kFilter, config::ExtensionPoint::kScore},
                       .build = [](const auto&) { return std::make_unique<GreenPower>(); }});
}

constexpr std::string_view kConfiguration = R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {multiPoint: {enabled: [{name: GreenPower, weight: 10}]}}}])";

// Each pod fills a node.
constexpr std::string_view kCluster = R"(apiVersion: v1
kind: Node
metadata: {name: grid, labels: {solar-percent: "0"}}
status: {allocatable: {cpu: "2", pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: roof, labels: {solar-percent: "80"}}
status: {allocatable: {cpu: "2", pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: first, labels: {deferrable: "true"}}
spec: {containers: [{name: main, resources: {requests: {cpu: "2"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: second, labels: {deferrable: "true"}}
spec: {containers: [{name: main, resources: {requests: {cpu: "2"}}}]}
)";

void say_where(const sim::World& world, std::string_view name) {
  const api::PodPtr pod = world.api().get<api::Pod>(Symbol("default"), name);
  if (!pod->spec.node_name.empty()) {
    fmt::print("{} is on {}\n", name, pod->spec.node_name.text());
  } else if (const api::PodCondition* condition = api::find_condition(*pod, Symbol("PodScheduled"))) {
    fmt::print("{} waits: {}\n", name, condition->message);
  }
}

// value() ends the program if something is wrong, which will do for an example.
int main() {
  framework::PluginRegistry own;
  add_green_power(own).value();
  const std::vector<config::PluginSpec> plugins = own.out_of_tree();
  sim::WorldOptions options;
  options.scheduler.config = config::load_config(kConfiguration, {.gates = {}, .out_of_tree = plugins}).value();
  options.scheduler.add_plugins = add_green_power;
  const std::unique_ptr<sim::World> world = sim::World::make(std::move(options)).value();

  codec::Documents documents;
  codec::read_documents(kCluster, "cluster.yaml", {}, documents);
  for (const Error& error : documents.errors) fmt::print(stderr, "{}\n", error.message());
  if (!documents.errors.empty()) return 1;
  for (const api::AnyObject& object : documents.objects) world->create(object).value();
  world->run_until_idle(world->now() + Duration::minutes(1)).value();
  say_where(*world, "first");
  say_where(*world, "second");

  fmt::print("the grid gets solar power\n");
  auto grid = std::make_shared<api::Node>(*world->api().get<api::Node>(Symbol(), "grid"));
  grid->metadata.labels = api::Labels{{"solar-percent", Symbol("20")}};
  world->update(api::AnyObject(std::shared_ptr<const api::Node>(grid))).value();
  world->run_until_idle(world->now() + Duration::minutes(1)).value();
  say_where(*world, "second");
}
