// Profiles built from configurations, with kube-scheduler's own plugins and an embedder's.
#include "berth/framework/profile.h"

#include <gtest/gtest.h>

#include "berth/config/load.h"
#include "berth/framework/per_node.h"
#include "berth/plugins/default_plugins.h"

namespace berth::plugins {
namespace {

class Picky final : public framework::Plugin, public framework::PerNodeFilter {
 public:
  std::string_view name() const override { return "Picky"; }
  framework::Status filter(const framework::PodToPlace&, const cache::NodeState&) const override {
    return framework::Status::unschedulable("node(s) are not good enough");
  }
};

Result<std::unique_ptr<framework::Profile>> build(std::string_view document, const config::FeatureGates& gates = {}) {
  framework::PluginRegistry registry = default_registry();
  const auto added = registry.add({"Picky",
                                   {config::ExtensionPoint::kPreFilter, config::ExtensionPoint::kFilter},
                                   [](const framework::PluginContext&) -> Result<std::unique_ptr<framework::Plugin>> {
                                     return std::make_unique<Picky>();
                                   }});
  BERTH_CHECK(added.has_value(), "{}", added.error().message());
  static const cache::ClusterObjects objects;
  const std::vector<config::PluginSpec> out_of_tree = registry.out_of_tree();
  const auto loaded = config::load_config(document, {.gates = gates, .out_of_tree = out_of_tree});
  BERTH_CHECK(loaded.has_value(), "the configuration is wrong");
  return framework::Profile::build(loaded->config.profiles.at(0), registry, gates, objects);
}

constexpr std::string_view kHeader = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

TEST(Profile, RunsThePluginsOfTheConfiguration) {
  const auto profile =
      build(std::string(kHeader) +
            "profiles: [{plugins: {multiPoint: {enabled: [{name: Picky}], disabled: [{name: NodePorts}]}}}]")
          .value();
  EXPECT_NE(profile->plugin("Picky"), nullptr);
  EXPECT_EQ(profile->plugin("NodePorts"), nullptr);
  EXPECT_EQ(profile->filters().at(profile->filter_order().back()).name, Symbol("Picky"));
}

TEST(Profile, APluginThatDoesNotSayWhatItWaitsForWaitsForEverything) {
  const auto profile =
      build(std::string(kHeader) + "profiles: [{plugins: {multiPoint: {enabled: [{name: Picky}]}}}]").value();
  std::vector<queue::ClusterEvent> events;
  for (const queue::HintRegistration& hint : profile->hints()) {
    if (hint.plugin == Symbol("Picky")) events.push_back(hint.event);
  }
  ASSERT_EQ(events.size(), 1u);
  const queue::ClusterEvent node_added(queue::resource::kNode, queue::action::kAdd);
  EXPECT_TRUE(queue::matches(events[0], node_added));
  EXPECT_FALSE(queue::matches(queue::ClusterEvent(queue::resource::kPod, queue::action::kAll), node_added));
}

TEST(Profile, SaysWhichPluginIsNotThereYet) {
  const config::FeatureGates gates = config::FeatureGates().with(config::Feature::kGangScheduling, true);
  const auto profile = build(kHeader, gates);
  ASSERT_FALSE(profile.has_value());
  EXPECT_NE(profile.error().message().find("GangScheduling"), std::string::npos) << profile.error().message();
}

}  // namespace
}  // namespace berth::plugins
