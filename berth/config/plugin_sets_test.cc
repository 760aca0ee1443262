#include "berth/config/plugin_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace berth::config {
namespace {

std::vector<std::string> names_of(const std::vector<Plugin>& plugins) {
  std::vector<std::string> names;
  for (const Plugin& plugin : plugins) names.push_back(plugin.name);
  return names;
}

using Names = std::vector<std::string>;

// Profiles in which only what a test names is enabled, and the two plugins that a profile cannot do without.
Plugins small_profile(std::vector<Plugin> multi_point) {
  Plugins plugins;
  plugins.multi_point.enabled = std::move(multi_point);
  plugins.queue_sort.enabled = {{"PrioritySort"}};
  plugins.bind.enabled = {{"DefaultBinder"}};
  return plugins;
}

std::string error_of(const Plugins& plugins) {
  const auto lists = expand_plugins("x", plugins);
  return lists ? "none" : lists.error().message();
}

TEST(DefaultPlugins, FollowTheGates) {
  const FeatureGates gates;
  const Names names = names_of(default_plugins(gates).multi_point.enabled);
  EXPECT_EQ(names.size(), 20u);
  EXPECT_EQ(names.front(), "SchedulingGates");
  EXPECT_EQ(names.back(), "NodeDeclaredFeatures");
  const auto dra = std::ranges::find(names, "DynamicResources");
  EXPECT_EQ(*std::next(dra), "DefaultPreemption");

  const FeatureGates all = gates.with(Feature::kNodeDeclaredFeatures, false)
                               .with(Feature::kGangScheduling, true)
                               .with(Feature::kTopologyAwareWorkloadScheduling, true);
  const Names more = names_of(default_plugins(all).multi_point.enabled);
  EXPECT_EQ(Names(more.end() - 4, more.end()),
            (Names{"DefaultBinder", "GangScheduling", "TopologyPlacementGenerator", "PodGroupPodsCount"}));
}

TEST(MergePlugins, AReconfiguredDefaultKeepsItsPlaceAndOthersComeBehind) {
  Plugins defaults, custom;
  defaults.score.enabled = {{"A", 1}, {"B", 2}, {"C", 3}};
  custom.score.enabled = {{"X", 9}, {"B", 7}};
  custom.score.disabled = {{"C", 5}};
  const PluginSet merged = merge_plugins(defaults, custom).score;
  EXPECT_EQ(merged.enabled, (std::vector<Plugin>{{"A", 1}, {"B", 7}, {"X", 9}}));
  EXPECT_EQ(merged.disabled, (std::vector<Plugin>{{"C", 0}}));
}

TEST(MergePlugins, AStarDropsAllDefaults) {
  Plugins defaults, custom;
  defaults.filter.enabled = {{"A"}, {"B"}};
  custom.filter.disabled = {{"*"}};
  custom.filter.enabled = {{"B", 4}};
  EXPECT_EQ(merge_plugins(defaults, custom).filter.enabled, (std::vector<Plugin>{{"B", 4}}));
}

TEST(MergePlugins, OfAPluginNamedTwiceTheLastTakesThePlace) {
  Plugins defaults, custom;
  defaults.score.enabled = {{"A", 1}};
  custom.score.enabled = {{"A", 2}, {"A", 3}};
  EXPECT_EQ(merge_plugins(defaults, custom).score.enabled, (std::vector<Plugin>{{"A", 3}, {"A", 2}}));
}

TEST(ExpandPlugins, TheDefaultProfileHasTheKnownLists) {
  const auto lists = expand_plugins("default-scheduler", default_plugins(FeatureGates()));
  ASSERT_TRUE(lists.has_value()) << lists.error().message();
  EXPECT_EQ(names_of(lists->at(ExtensionPoint::kPostFilter)), (Names{"DynamicResources", "DefaultPreemption"}));
  EXPECT_EQ(names_of(lists->at(ExtensionPoint::kPreEnqueue)),
            (Names{"SchedulingGates", "DynamicResources", "DefaultPreemption"}));
  EXPECT_EQ(lists->at(ExtensionPoint::kScore), (std::vector<Plugin>{{"TaintToleration", 3},
                                                                    {"NodeAffinity", 2},
                                                                    {"NodeResourcesFit", 1},
                                                                    {"VolumeBinding", 1},
                                                                    {"PodTopologySpread", 2},
                                                                    {"InterPodAffinity", 2},
                                                                    {"DynamicResources", 2},
                                                                    {"NodeResourcesBalancedAllocation", 1},
                                                                    {"ImageLocality", 1}}));
  EXPECT_TRUE(lists->at(ExtensionPoint::kPermit).empty());
}

TEST(ExpandPlugins, OrdersOverriddenThenMultiPointThenOwn) {
  Plugins plugins = small_profile({{"NodeAffinity", 2}, {"ImageLocality", 3}, {"TaintToleration", 4}});
  plugins.score.enabled = {{"PodTopologySpread", 8}, {"TaintToleration", 9}, {"NodeAffinity"}};
  const auto lists = expand_plugins("x", plugins);
  ASSERT_TRUE(lists.has_value()) << lists.error().message();
  EXPECT_EQ(lists->at(ExtensionPoint::kScore),
            (std::vector<Plugin>{
                {"TaintToleration", 9}, {"NodeAffinity", 1}, {"ImageLocality", 3}, {"PodTopologySpread", 8}}));
}

TEST(ExpandPlugins, APointCanRefuseWhatMultiPointAdds) {
  Plugins plugins = small_profile({{"NodeAffinity"}, {"TaintToleration"}});
  plugins.filter.disabled = {{"*"}};
  plugins.filter.enabled = {{"NodeName"}};
  plugins.score.disabled = {{"NodeAffinity"}};
  const auto lists = expand_plugins("x", plugins);
  ASSERT_TRUE(lists.has_value()) << lists.error().message();
  EXPECT_EQ(names_of(lists->at(ExtensionPoint::kFilter)), Names{"NodeName"});
  EXPECT_EQ(names_of(lists->at(ExtensionPoint::kScore)), Names{"TaintToleration"});
}

TEST(ExpandPlugins, OutOfTreePluginsJoinIn) {
  const PluginSpec mine[] = {{"Mine", {ExtensionPoint::kFilter, ExtensionPoint::kScore}}};
  const auto lists = expand_plugins("x", small_profile({{"Mine", 6}}), mine);
  ASSERT_TRUE(lists.has_value()) << lists.error().message();
  EXPECT_EQ(lists->at(ExtensionPoint::kScore), (std::vector<Plugin>{{"Mine", 6}}));
  EXPECT_EQ(lists->at(ExtensionPoint::kFilter), (std::vector<Plugin>{{"Mine", 0}}));
}

TEST(ExpandPlugins, ErrorsAreKubeSchedulers) {
  EXPECT_EQ(error_of(small_profile({{"Nope"}})), "PreFilterPlugin \"Nope\" does not exist");
  EXPECT_EQ(error_of(small_profile({{"NodeName"}, {"NodeName"}})),
            "plugin \"NodeName\" already registered as \"FilterPlugin\"");

  Plugins wrong_point = small_profile({});
  wrong_point.filter.enabled = {{"ImageLocality"}};
  EXPECT_EQ(error_of(wrong_point), "plugin \"ImageLocality\" does not extend FilterPlugin plugin");

  Plugins unknown = small_profile({});
  unknown.score.enabled = {{"Nope"}};
  EXPECT_EQ(error_of(unknown), "ScorePlugin \"Nope\" does not exist");

  Plugins twice = small_profile({});
  twice.filter.enabled = {{"NodeName"}, {"NodeName"}};
  EXPECT_EQ(error_of(twice), "plugin \"NodeName\" already registered as \"FilterPlugin\"");

  Plugins no_sort = small_profile({});
  no_sort.queue_sort.enabled.clear();
  EXPECT_EQ(error_of(no_sort), "only one queue sort plugin required for profile with scheduler name \"x\", but got 0");

  Plugins no_bind = small_profile({});
  no_bind.bind.enabled.clear();
  EXPECT_EQ(error_of(no_bind), "at least one bind plugin is needed for profile with scheduler name \"x\"");

  const PluginSpec generator[] = {{"Other", {ExtensionPoint::kPlacementGenerate}}};
  const auto lists = expand_plugins("x", small_profile({{"TopologyPlacementGenerator"}, {"Other"}}), generator);
  ASSERT_FALSE(lists.has_value());
  EXPECT_EQ(lists.error().message(),
            "at most one placement generate plugin is allowed for profile with scheduler name \"x\"");
}

TEST(InTreePlugins, EveryDefaultAndEveryPluginWithArgumentsExists) {
  const auto exists = [](std::string_view name) {
    return std::ranges::find(in_tree_plugins(), name, &PluginSpec::name) != in_tree_plugins().end();
  };
  for (const Plugin& plugin : default_plugins(FeatureGates()).multi_point.enabled) EXPECT_TRUE(exists(plugin.name));
  for (const ArgsKind& kind : args_kinds()) EXPECT_TRUE(exists(kind.plugin)) << kind.plugin;
}

}  // namespace
}  // namespace berth::config
