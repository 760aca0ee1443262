#include "berth/config/plugin_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "berth/config/in_tree_plugins.h"
#include "berth/config/suggest.h"

namespace berth::config {

namespace {

using enum ExtensionPoint;

constexpr std::array<ExtensionPointSpec, kExtensionPointCount> kExtensionPoints = {{
    {kPreFilter, "preFilter", "PreFilterPlugin", &Plugins::pre_filter},
    {kFilter, "filter", "FilterPlugin", &Plugins::filter},
    {kPostFilter, "postFilter", "PostFilterPlugin", &Plugins::post_filter},
    {kReserve, "reserve", "ReservePlugin", &Plugins::reserve},
    {kPreScore, "preScore", "PreScorePlugin", &Plugins::pre_score},
    {kScore, "score", "ScorePlugin", &Plugins::score},
    {kPreBind, "preBind", "PreBindPlugin", &Plugins::pre_bind},
    {kBind, "bind", "BindPlugin", &Plugins::bind},
    {kPostBind, "postBind", "PostBindPlugin", &Plugins::post_bind},
    {kPermit, "permit", "PermitPlugin", &Plugins::permit},
    {kPreEnqueue, "preEnqueue", "PreEnqueuePlugin", &Plugins::pre_enqueue},
    {kQueueSort, "queueSort", "QueueSortPlugin", &Plugins::queue_sort},
    {kPlacementGenerate, "placementGenerate", "PlacementGeneratePlugin", &Plugins::placement_generate},
    {kPlacementScore, "placementScore", "PlacementScorePlugin", &Plugins::placement_score},
}};

#define BERTH_PLUGIN_SPEC(name, points, ...) PluginSpec{#name, BERTH_POINTS_IN_BRACES points},
constexpr PluginSpec kInTreePlugins[] = {BERTH_IN_TREE_PLUGINS(BERTH_PLUGIN_SPEC, BERTH_PLUGIN_SPEC)};
#undef BERTH_PLUGIN_SPEC

bool names(const std::vector<Plugin>& plugins, std::string_view name) {
  return std::ranges::find(plugins, name, &Plugin::name) != plugins.end();
}

PluginSet merge_plugin_set(PluginSet defaults, const PluginSet& custom) {
  PluginSet merged;
  for (const PluginSet* from : std::initializer_list<const PluginSet*>{&custom, &defaults}) {
    for (const Plugin& plugin : from->disabled) merged.disabled.push_back({plugin.name, 0});
  }
  // Of a plugin that the user names twice, the last mention takes the default's place; the first one stays and is found
  // as a double registration when the lists are expanded.
  std::set<std::size_t> in_place;
  if (!names(merged.disabled, "*")) {
    for (Plugin& plugin : defaults.enabled) {
      if (names(merged.disabled, plugin.name)) continue;
      const auto last = std::find_if(custom.enabled.rbegin(), custom.enabled.rend(),
                                     [&](const Plugin& other) { return other.name == plugin.name; });
      if (last != custom.enabled.rend()) {
        plugin = *last;
        in_place.insert(static_cast<std::size_t>(std::distance(last, custom.enabled.rend())) - 1);
      }
      merged.enabled.push_back(std::move(plugin));
    }
  }
  for (std::size_t i = 0; i < custom.enabled.size(); ++i) {
    if (!in_place.contains(i)) merged.enabled.push_back(custom.enabled[i]);
  }
  return merged;
}

// The plugins that exist.
class Registry {
 public:
  explicit Registry(std::span<const PluginSpec> out_of_tree) : out_of_tree_(out_of_tree) {}

  const PluginSpec* find(std::string_view name) const {
    for (const std::span<const PluginSpec> plugins : {std::span<const PluginSpec>(kInTreePlugins), out_of_tree_}) {
      const auto found = std::ranges::find(plugins, name, &PluginSpec::name);
      if (found != plugins.end()) return &*found;
    }
    return nullptr;
  }
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> all;
    for (const PluginSpec& plugin : kInTreePlugins) all.push_back(plugin.name);
    for (const PluginSpec& plugin : out_of_tree_) all.push_back(plugin.name);
    return all;
  }

 private:
  std::span<const PluginSpec> out_of_tree_;
};

std::unexpected<Error> does_not_exist(const ExtensionPointSpec& point, std::string_view name,
                                      const Registry& registry) {
  Error error(fmt::format("{} \"{}\" does not exist", point.interface, name));
  const std::string_view meant = nearest_name(name, registry.names());
  if (!meant.empty()) error = std::move(error).with_fix(fmt::format("did you mean {}?", meant));
  return fail(std::move(error));
}

std::unexpected<Error> already_registered(const ExtensionPointSpec& point, std::string_view name) {
  return fail(fmt::format("plugin \"{}\" already registered as \"{}\"", name, point.interface));
}

// What the extension point itself enables.
Result<std::vector<Plugin>> own_plugins(const ExtensionPointSpec& point, const PluginSet& set,
                                        const Registry& registry) {
  std::vector<Plugin> list;
  for (const Plugin& plugin : set.enabled) {
    const PluginSpec* spec = registry.find(plugin.name);
    if (spec == nullptr) return does_not_exist(point, plugin.name, registry);
    if (!spec->points.contains(point.point)) {
      return fail(fmt::format("plugin \"{}\" does not extend {} plugin", plugin.name, point.interface));
    }
    if (names(list, plugin.name)) return already_registered(point, plugin.name);
    list.push_back({plugin.name, 0});
  }
  return list;
}

// The extension point's own list together with what multiPoint adds to it: first the plugins that are in both, in the
// order of the extension point; then those from multiPoint alone; then the rest of the extension point's own.
Result<std::vector<Plugin>> with_multi_point(const ExtensionPointSpec& point, const PluginSet& set,
                                             const PluginSet& multi_point, const std::vector<Plugin>& own,
                                             const Registry& registry) {
  if (names(set.disabled, "*")) return own;
  std::vector<Plugin> added;
  std::set<std::string_view> in_both;
  for (const Plugin& plugin : multi_point.enabled) {
    const PluginSpec* spec = registry.find(plugin.name);
    if (spec == nullptr) return does_not_exist(point, plugin.name, registry);
    if (!spec->points.contains(point.point) || names(set.disabled, plugin.name)) continue;
    if (names(own, plugin.name)) {
      in_both.insert(plugin.name);
      continue;
    }
    if (names(added, plugin.name)) return already_registered(point, plugin.name);
    added.push_back({plugin.name, 0});
  }
  std::vector<Plugin> list;
  std::ranges::copy_if(own, std::back_inserter(list), [&](const Plugin& p) { return in_both.contains(p.name); });
  std::ranges::copy(added, std::back_inserter(list));
  std::ranges::copy_if(own, std::back_inserter(list), [&](const Plugin& p) { return !in_both.contains(p.name); });
  return list;
}

// Gives each plugin of `list` its weight: the extension point's own before multiPoint's, and 1 for none.
Result<void> set_weights(ExtensionPoint point, const PluginSet& set, const PluginSet& multi_point,
                         const Registry& registry, std::vector<Plugin>& list) {
  constexpr std::int64_t kMaxScore = 100;
  std::vector<Plugin> weighted;
  std::int64_t total = 0;
  for (const PluginSet* from : {&set, &multi_point}) {
    for (const Plugin& plugin : from->enabled) {
      const PluginSpec* spec = registry.find(plugin.name);
      if (spec == nullptr || !spec->points.contains(point) || names(weighted, plugin.name)) continue;
      const std::int32_t weight = plugin.weight == 0 ? 1 : plugin.weight;
      const std::int64_t most = weight * kMaxScore;
      if (most > std::numeric_limits<std::int64_t>::max() - total) {
        return fail("total score of Score plugins could overflow");
      }
      total += most;
      weighted.push_back({plugin.name, weight});
    }
  }
  for (Plugin& plugin : list) plugin.weight = std::ranges::find(weighted, plugin.name, &Plugin::name)->weight;
  return {};
}

}  // namespace

std::span<const ExtensionPointSpec, kExtensionPointCount> extension_points() {
  return kExtensionPoints;
}

std::span<const PluginSpec> in_tree_plugins() {
  return kInTreePlugins;
}

Plugins default_plugins(const FeatureGates& gates) {
  std::vector<Plugin> enabled = {
      {"SchedulingGates"},      {"PrioritySort"},        {"NodeUnschedulable"}, {"NodeName"},
      {"TaintToleration", 3},   {"NodeAffinity", 2},     {"NodePorts"},         {"NodeResourcesFit", 1},
      {"VolumeRestrictions"},   {"NodeVolumeLimits"},    {"VolumeBinding"},     {"VolumeZone"},
      {"PodTopologySpread", 2}, {"InterPodAffinity", 2},
  };
  // Before preemption: to deallocate an idle claim is better than to evict a pod.
  if (gates.enabled(Feature::kDynamicResourceAllocation)) enabled.push_back({"DynamicResources", 2});
  enabled.insert(
      enabled.end(),
      {{"DefaultPreemption"}, {"NodeResourcesBalancedAllocation", 1}, {"ImageLocality", 1}, {"DefaultBinder"}});
  if (gates.enabled(Feature::kNodeDeclaredFeatures)) enabled.push_back({"NodeDeclaredFeatures"});
  if (gates.enabled(Feature::kGangScheduling)) enabled.push_back({"GangScheduling"});
  if (gates.enabled(Feature::kTopologyAwareWorkloadScheduling)) {
    enabled.push_back({"TopologyPlacementGenerator"});
    enabled.push_back({"PodGroupPodsCount", 1});
  }
  Plugins plugins;
  plugins.multi_point.enabled = std::move(enabled);
  return plugins;
}

Plugins merge_plugins(Plugins defaults, const Plugins& custom) {
  Plugins merged;
  merged.multi_point = merge_plugin_set(std::move(defaults.multi_point), custom.multi_point);
  for (const ExtensionPointSpec& point : kExtensionPoints) {
    merged.*point.set = merge_plugin_set(std::move(defaults.*point.set), custom.*point.set);
  }
  return merged;
}

std::vector<std::string> enabled_plugin_names(const Plugins& plugins) {
  std::set<std::string> sorted;
  const auto add = [&](const PluginSet& set) {
    for (const Plugin& plugin : set.enabled) sorted.insert(plugin.name);
  };
  add(plugins.multi_point);
  for (const ExtensionPointSpec& point : kExtensionPoints) add(plugins.*point.set);
  return {sorted.begin(), sorted.end()};
}

Result<PluginLists> expand_plugins(std::string_view scheduler_name, const Plugins& plugins,
                                   std::span<const PluginSpec> out_of_tree) {
  const Registry registry(out_of_tree);
  PluginLists lists;
  const auto list_at = [&](ExtensionPoint point) -> std::vector<Plugin>& {
    return lists.at_point[static_cast<std::size_t>(point)];
  };
  for (const ExtensionPointSpec& point : kExtensionPoints) {
    auto own = own_plugins(point, plugins.*point.set, registry);
    if (!own) return fail(own.error());
    list_at(point.point) = std::move(*own);
  }
  for (const ExtensionPointSpec& point : kExtensionPoints) {
    auto all = with_multi_point(point, plugins.*point.set, plugins.multi_point, list_at(point.point), registry);
    if (!all) return fail(all.error());
    list_at(point.point) = std::move(*all);
  }
  if (list_at(kQueueSort).size() != 1) {
    return fail(fmt::format("only one queue sort plugin required for profile with scheduler name \"{}\", but got {}",
                            scheduler_name, list_at(kQueueSort).size()));
  }
  if (list_at(kBind).empty()) {
    return fail(
        fmt::format("at least one bind plugin is needed for profile with scheduler name \"{}\"", scheduler_name));
  }
  if (list_at(kPlacementGenerate).size() > 1) {
    return fail(fmt::format("at most one placement generate plugin is allowed for profile with scheduler name \"{}\"",
                            scheduler_name));
  }
  if (auto set = set_weights(kScore, plugins.score, plugins.multi_point, registry, list_at(kScore)); !set) {
    return fail("score plugins: " + set.error().what());
  }
  if (auto set = set_weights(kPlacementScore, plugins.placement_score, plugins.multi_point, registry,
                             list_at(kPlacementScore));
      !set) {
    return fail("placement score plugins: " + set.error().what());
  }
  return lists;
}

}  // namespace berth::config
