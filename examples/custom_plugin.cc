// A scheduler with a plugin of its own. GreenPower keeps pods marked "deferrable" off nodes that run on bought power,
// and prefers nodes with more solar power for all others; each is one small function about one node. It is registered
// beside kube-scheduler's own plugins and enabled by a configuration file, and decides together with them.
#include <fmt/format.h>

#include "berth/config/load.h"
#include "berth/framework/class_memory.h"
#include "berth/framework/per_node.h"
#include "berth/plugins/default_plugins.h"

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
  bool is_filter_by_class() const override { return true; }  // it looks at labels alone
  bool is_score_by_class() const override { return true; }
};

constexpr std::string_view kConfiguration = R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {multiPoint: {enabled: [{name: GreenPower, weight: 10}]}}}])";

api::NodePtr make_node(std::string name, std::string_view solar) {
  auto node = std::make_shared<api::Node>();
  node->metadata.name = std::move(name);
  node->metadata.labels = api::Labels{{"solar-percent", Symbol(solar)}};
  node->status.allocatable = {{"cpu", api::Quantity::from_units(2)}, {"pods", api::Quantity::from_units(110)}};
  return node;
}

int main() {
  framework::PluginRegistry registry = plugins::default_registry();
  (void)registry.add({.name = "GreenPower",
                      .points = {config::ExtensionPoint::kFilter, config::ExtensionPoint::kScore},
                      .build = [](const auto&) { return std::make_unique<GreenPower>(); }});
  const auto loaded = config::load_config(kConfiguration, {.gates = {}, .out_of_tree = registry.out_of_tree()});
  const config::FeatureGates gates;
  const cache::ClusterObjects objects;
  const auto profile = framework::Profile::build(loaded.value().config.profiles[0], registry, gates, objects);
  cache::NodeTable nodes;
  nodes.set_node(make_node("grid", "0"));
  nodes.set_node(make_node("roof", "80"));
  const framework::ClusterView cluster{nodes, objects};
  const framework::NominatedPods nominated;
  framework::ClassMemory scheduler(*profile.value(), cluster);
  api::PodTemplate spec;
  spec.containers.emplace_back().resources.requests = {{"cpu", api::Quantity::from_units(2)}};  // one fills a node
  api::Pod like;
  like.metadata.labels = api::Labels{{"deferrable", Symbol("true")}};
  like.spec.shared = spec;
  const auto compiled = api::compile(spec);
  for (const std::string_view name : {"first", "second"}) {
    auto pod = std::make_shared<api::Pod>(like);
    pod->metadata.name = pod->metadata.uid = name;
    const framework::PodToPlace to_place{pod, compiled};
    const auto decision = scheduler.decide(to_place, nominated, 0);
    if (decision.row == cache::kNoRow) {
      const framework::FailedAttempt why(*profile.value(), to_place, cluster, nominated, *decision.pre_filter,
                                         decision.filtered);
      fmt::print("{}: {}\n", name, why.message());
    } else {
      pod->spec.node_name = nodes.at(decision.row).name;
      fmt::print("{} goes to {}\n", name, pod->spec.node_name.text());
      nodes.add_pod(pod, compiled);
    }
  }
}
