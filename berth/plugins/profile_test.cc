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

// Says which events wake the pods that it rejected.
class Events final : public framework::Plugin, public framework::PerNodeFilter {
 public:
  Events(std::vector<queue::HintRegistration> events, bool needs_none)
      : events_(std::move(events)), needs_none_(needs_none) {}
  std::string_view name() const override { return "Picky"; }
  std::optional<std::vector<queue::HintRegistration>> events(Symbol) const override { return events_; }
  bool needs_no_events() const override { return needs_none_; }
  framework::Status filter(const framework::PodToPlace&, const cache::NodeState&) const override { return {}; }

 private:
  std::vector<queue::HintRegistration> events_;
  bool needs_none_;
};

const framework::PluginFactory kMakePicky =
    [](const framework::PluginContext&) -> Result<std::unique_ptr<framework::Plugin>> {
  return std::make_unique<Picky>();
};

Result<std::unique_ptr<framework::Profile>> build(std::string_view document, const config::FeatureGates& gates = {},
                                                  const framework::PluginFactory& make = kMakePicky) {
  framework::PluginRegistry registry = default_registry();
  const auto added =
      registry.add({"Picky", {config::ExtensionPoint::kPreFilter, config::ExtensionPoint::kFilter}, make});
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

Result<std::unique_ptr<framework::Profile>> build_with_events(std::vector<queue::HintRegistration> events,
                                                              bool needs_none) {
  return build(std::string(kHeader) + "profiles: [{plugins: {multiPoint: {enabled: [{name: Picky}]}}}]", {},
               [=](const framework::PluginContext&) -> Result<std::unique_ptr<framework::Plugin>> {
                 return std::make_unique<Events>(events, needs_none);
               });
}

TEST(Profile, RefusesAPluginThatRejectsPodsAndLetsNothingWakeThem) {
  const auto refused = build_with_events({}, false);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().what(),
            "plugin \"Picky\" can reject pods and registers for no event, so nothing would wake them");
  EXPECT_TRUE(build_with_events({}, true).has_value());
}

TEST(Profile, RefusesEventsThatAreRegisteredForAnotherPlugin) {
  const queue::ClusterEvent event(queue::resource::kNode, queue::action::kAdd);
  const Symbol profile("default-scheduler");
  EXPECT_TRUE(build_with_events({{profile, Symbol("Picky"), event, {}}}, false).has_value());
  const auto refused = build_with_events({{profile, Symbol("Pikcy"), event, {}}}, false);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().what(),
            "plugin \"Picky\" of profile default-scheduler registers for NodeAdd as plugin \"Pikcy\" of profile "
            "default-scheduler");
}

TEST(Profile, EveryInTreePluginPassesWhateverGatesAreOff) {
  using enum config::Feature;
  const config::FeatureGates gates = config::FeatureGates()
                                         .with(kSchedulerAsyncPreemption, false)
                                         .with(kDynamicResourceAllocation, false)
                                         .with(kNodeDeclaredFeatures, false);
  EXPECT_TRUE(build(std::string(kHeader) + "profiles: [{plugins: {multiPoint: {enabled: [{name: DynamicResources}, "
                                           "{name: NodeDeclaredFeatures}]}}}]",
                    gates)
                  .has_value());
}

// A mistake of the embedder's, who would not look for it in a core dump.
TEST(Profile, RefusesAPluginThatDoesNotImplementItsExtensionPoint) {
  class Nothing final : public framework::Plugin {
   public:
    std::string_view name() const override { return "Picky"; }
  };
  const auto refused = build(std::string(kHeader) + "profiles: [{plugins: {multiPoint: {enabled: [{name: Picky}]}}}]",
                             {}, [](const framework::PluginContext&) -> Result<std::unique_ptr<framework::Plugin>> {
                               return std::make_unique<Nothing>();
                             });
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().what(), "plugin \"Picky\" is registered at filter, which it does not implement");
}

TEST(Profile, SaysWhichPluginIsNotThereYet) {
  const config::FeatureGates gates = config::FeatureGates().with(config::Feature::kGangScheduling, true);
  const auto profile = build(kHeader, gates);
  ASSERT_FALSE(profile.has_value());
  EXPECT_NE(profile.error().message().find("GangScheduling"), std::string::npos) << profile.error().message();
}

}  // namespace
}  // namespace berth::plugins
