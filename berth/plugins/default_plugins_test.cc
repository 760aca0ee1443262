#include "berth/plugins/default_plugins.h"

#include "berth/config/plugin_sets.h"
#include "berth/plugins/default_hints.h"
#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;
using config::ExtensionPoint;

TEST(DefaultPlugins, AllThatKubeSchedulerHasAreThereWithTheirExtensionPoints) {
  const framework::PluginRegistry registry = default_registry();
  for (const config::PluginSpec& spec : config::in_tree_plugins()) {
    const auto* entry = registry.find(spec.name);
    ASSERT_NE(entry, nullptr) << spec.name;
    for (const config::ExtensionPointSpec& point : config::extension_points()) {
      EXPECT_EQ(entry->points.contains(point.point), spec.points.contains(point.point)) << spec.name << point.field;
    }
  }
  EXPECT_TRUE(registry.out_of_tree().empty());
}

TEST(DefaultPlugins, EachIsWhatItIsRegisteredAs) {
  const PluginWorld world;
  const framework::PluginRegistry registry = default_registry();
  for (const config::PluginSpec& spec : config::in_tree_plugins()) {
    const auto made = registry.find(spec.name)->build({Symbol("s"), world.args, world.gates, world.objects});
    if (spec.name == "GangScheduling" || spec.name == "TopologyPlacementGenerator" ||
        spec.name == "PodGroupPodsCount") {
      ASSERT_FALSE(made) << spec.name;
      EXPECT_EQ(made.error().what(), "plugin \"" + std::string(spec.name) + "\" is not supported yet");
      continue;
    }
    ASSERT_TRUE(made) << spec.name << ": " << made.error().message();
    framework::Plugin* plugin = made->get();
    EXPECT_EQ(plugin->name(), spec.name);
    const auto implements = [&](ExtensionPoint point, bool is_one) {
      EXPECT_EQ(is_one, spec.points.contains(point))
          << spec.name << " at " << config::extension_points()[static_cast<std::size_t>(point)].field;
    };
    implements(ExtensionPoint::kFilter, dynamic_cast<framework::FilterPlugin*>(plugin) != nullptr);
    implements(ExtensionPoint::kPostFilter, dynamic_cast<framework::PostFilterPlugin*>(plugin) != nullptr);
    implements(ExtensionPoint::kReserve, dynamic_cast<framework::ReservePlugin*>(plugin) != nullptr);
    implements(ExtensionPoint::kScore, dynamic_cast<framework::ScorePlugin*>(plugin) != nullptr);
    implements(ExtensionPoint::kPreBind, dynamic_cast<framework::PreBindPlugin*>(plugin) != nullptr);
    implements(ExtensionPoint::kBind, dynamic_cast<framework::BindPlugin*>(plugin) != nullptr);
    implements(ExtensionPoint::kPermit, dynamic_cast<framework::PermitPlugin*>(plugin) != nullptr);
    implements(ExtensionPoint::kPreEnqueue, dynamic_cast<framework::PreEnqueuePlugin*>(plugin) != nullptr);
    implements(ExtensionPoint::kQueueSort, dynamic_cast<framework::QueueSortPlugin*>(plugin) != nullptr);
  }
}

TEST(DefaultPlugins, RegisterTheEventsOfTheirHints) {
  const PluginWorld world;
  const framework::PluginRegistry registry = default_registry();
  for (const std::string_view name : default_rejecting_plugins()) {
    const auto made = registry.find(name)->build({Symbol("s"), world.args, world.gates, world.objects});
    ASSERT_TRUE(made) << name;
    const auto events = (*made)->events(Symbol("s"));
    const auto expected = hints_of(name, Symbol("s"), {});
    ASSERT_TRUE(events && expected) << name;
    ASSERT_EQ(events->size(), expected->size()) << name;
    for (std::size_t i = 0; i < events->size(); ++i) {
      EXPECT_EQ((*events)[i].event, (*expected)[i].event) << name;
      EXPECT_EQ((*events)[i].plugin.text(), name);
    }
  }
}

}  // namespace
}  // namespace berth::plugins
