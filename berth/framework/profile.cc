#include "berth/framework/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace berth::framework {
namespace {

using config::ExtensionPoint;

const config::PluginArgs& args_of(const config::Profile& profile, std::string_view plugin) {
  static const config::PluginArgs kNone;
  for (const config::PluginConfig& entry : profile.plugin_config) {
    if (entry.name == plugin) return entry.args;
  }
  return kNone;
}

// The plugin as what it is at `point`. The registry says that it is; null, and an error, if it is not.
template <typename Interface>
Interface* interface_of(Plugin& plugin, std::string_view point, std::optional<Error>& error) {
  auto* found = dynamic_cast<Interface*>(&plugin);
  if (found == nullptr && !error) {
    error = Error(fmt::format("plugin \"{}\" is registered at {}, which it does not implement", plugin.name(), point));
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<Profile>> Profile::build(const config::Profile& configuration, const PluginRegistry& registry,
                                                const config::FeatureGates& gates, const cache::ClusterObjects& objects,
                                                const cache::NodeTable* nodes) {
  static const config::Plugins kNoPlugins;
  auto lists = config::expand_plugins(configuration.name(), configuration.plugins ? *configuration.plugins : kNoPlugins,
                                      registry.out_of_tree());
  if (!lists) return std::unexpected(lists.error());

  std::unique_ptr<Profile> profile(new Profile);
  profile->scheduler_name_ = Symbol(configuration.name());
  profile->percentage_of_nodes_to_score_ = configuration.percentage_of_nodes_to_score;
  profile->lists_ = std::move(*lists);

  // Each plugin once, however many points it is at.
  std::optional<Error> error;
  const auto plugin_named = [&](const std::string& name) -> Plugin* {
    for (const std::unique_ptr<Plugin>& plugin : profile->plugins_) {
      if (plugin->name() == name) return plugin.get();
    }
    const PluginRegistry::Entry* entry = registry.find(name);
    if (entry == nullptr) {
      error = Error(fmt::format("plugin \"{}\" does not exist", name));
      return nullptr;
    }
    auto built = entry->build({profile->scheduler_name_, args_of(configuration, name), gates, objects, nodes});
    if (!built) {
      error = Error(fmt::format("initializing plugin \"{}\": {}", name, built.error().message()));
      return nullptr;
    }
    if ((*built)->name() != name) {
      error = Error(fmt::format("plugin \"{}\" calls itself \"{}\"", name, (*built)->name()));
      return nullptr;
    }
    return profile->plugins_.emplace_back(std::move(*built)).get();
  };
  const auto for_each_at = [&](ExtensionPoint point, auto&& fn) {
    for (const config::Plugin& entry : profile->lists_.at(point)) {
      Plugin* plugin = plugin_named(entry.name);
      if (plugin == nullptr) return;
      fn(Symbol(entry.name), *plugin, entry);
    }
  };
  const auto fill = [&]<typename Interface>(ExtensionPoint point, std::vector<At<Interface>>& list) {
    for_each_at(point, [&](Symbol name, Plugin& plugin, const config::Plugin&) {
      const std::string_view field = config::extension_points()[static_cast<std::size_t>(point)].field;
      list.push_back({name, interface_of<std::remove_const_t<Interface>>(plugin, field, error)});
    });
  };

  const auto filter_named = [&](Symbol name, Plugin& plugin) -> Filter& {
    for (Filter& filter : profile->filters_) {
      if (filter.name == name) return filter;
    }
    return profile->filters_.emplace_back(
        Filter{name, interface_of<FilterPlugin>(plugin, "filter", error), false, false});
  };
  for_each_at(ExtensionPoint::kPreFilter, [&](Symbol name, Plugin& plugin, const config::Plugin&) {
    filter_named(name, plugin).at_pre_filter = true;
  });
  for_each_at(ExtensionPoint::kFilter, [&](Symbol name, Plugin& plugin, const config::Plugin&) {
    Filter& filter = filter_named(name, plugin);
    filter.at_filter = true;
    profile->filter_order_.push_back(static_cast<std::uint8_t>(&filter - profile->filters_.data()));
  });
  std::vector<std::string> pre_scored;
  for_each_at(ExtensionPoint::kPreScore,
              [&](Symbol, Plugin&, const config::Plugin& entry) { pre_scored.push_back(entry.name); });
  for_each_at(ExtensionPoint::kScore, [&](Symbol name, Plugin& plugin, const config::Plugin& entry) {
    const bool at_pre_score = std::ranges::find(pre_scored, entry.name) != pre_scored.end();
    profile->scores_.push_back({name, interface_of<ScorePlugin>(plugin, "score", error), entry.weight, at_pre_score});
  });
  fill(ExtensionPoint::kPreEnqueue, profile->pre_enqueue_);
  fill(ExtensionPoint::kPostFilter, profile->post_filter_);
  fill(ExtensionPoint::kReserve, profile->reserve_);
  fill(ExtensionPoint::kPermit, profile->permit_);
  fill(ExtensionPoint::kPreBind, profile->pre_bind_);
  fill(ExtensionPoint::kBind, profile->bind_);
  fill(ExtensionPoint::kPostBind, profile->post_bind_);
  for_each_at(ExtensionPoint::kQueueSort, [&](Symbol, Plugin& plugin, const config::Plugin&) {
    profile->queue_sort_ = interface_of<QueueSortPlugin>(plugin, "queueSort", error);
  });
  // Nothing runs there yet; plugins that are for these points alone say so when they are built.
  for (const ExtensionPoint point : {ExtensionPoint::kPlacementGenerate, ExtensionPoint::kPlacementScore}) {
    for_each_at(point, [](Symbol, Plugin&, const config::Plugin&) {});
  }
  if (error) return std::unexpected(std::move(*error));
  for (const std::unique_ptr<Plugin>& plugin : profile->plugins_) {
    if (auto checked = profile->check_events(*plugin); !checked) return std::unexpected(std::move(checked).error());
  }
  return profile;
}

Result<void> Profile::check_events(const Plugin& plugin) const {
  const auto events = plugin.events(scheduler_name_);
  if (!events || !can_reject(Symbol(plugin.name()))) return {};
  if (events->empty() && !plugin.needs_no_events()) {
    return fail(
        Error(fmt::format("plugin \"{}\" can reject pods and registers for no event, so nothing would wake them",
                          plugin.name()))
            .with_fix("return the events that may help from events(), or true from needs_no_events()"));
  }
  for (const queue::HintRegistration& hint : *events) {
    if (hint.plugin == plugin.name() && hint.profile == scheduler_name_) continue;
    return fail(fmt::format("plugin \"{}\" of profile {} registers for {} as plugin \"{}\" of profile {}",
                            plugin.name(), scheduler_name_.text(), hint.event.label().text(), hint.plugin.text(),
                            hint.profile.text()));
  }
  return {};
}

const Plugin* Profile::plugin(std::string_view name) const {
  const auto it = std::ranges::find_if(plugins_, [&](const auto& plugin) { return plugin->name() == name; });
  return it == plugins_.end() ? nullptr : it->get();
}

bool Profile::can_reject(Symbol plugin) const {
  const auto is_among = [plugin](const auto& list) {
    return std::ranges::any_of(list, [plugin](const auto& entry) { return entry.name == plugin; });
  };
  return is_among(pre_enqueue_) || is_among(filters_) || is_among(reserve_) || is_among(permit_);
}

std::vector<queue::HintRegistration> Profile::hints() const {
  std::vector<queue::HintRegistration> all;
  for (const std::unique_ptr<Plugin>& plugin : plugins_) {
    const Symbol name(plugin->name());
    if (auto events = plugin->events(scheduler_name_)) {
      std::ranges::move(*events, std::back_inserter(all));
    } else if (can_reject(name)) {
      all.push_back({scheduler_name_, name, queue::ClusterEvent(queue::resource::kAny, queue::action::kAll), {}});
    }
  }
  return all;
}

std::vector<queue::PreEnqueueCheck> Profile::pre_enqueue_checks() const {
  std::vector<queue::PreEnqueueCheck> checks;
  for (const auto& [name, plugin] : pre_enqueue_) {
    checks.push_back(
        {scheduler_name_, name, [plugin](const api::Pod& pod) { return plugin->pre_enqueue(pod).is_success(); }});
  }
  return checks;
}

}  // namespace berth::framework
