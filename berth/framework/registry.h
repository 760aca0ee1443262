// The plugins that exist, by name, and how to build one. Berth's own are added by plugins::add_default_plugins();
// an embedder adds more: see examples/.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/node_table.h"
#include "berth/config/feature_gates.h"
#include "berth/config/plugin_sets.h"
#include "berth/config/scheduler_config.h"
#include "berth/framework/plugin.h"

namespace berth::framework {

// What a plugin is built from. Everything referred to outlives the plugin.
struct PluginContext {
  Symbol profile;
  const config::PluginArgs& args;  // std::monostate if the configuration has none
  const config::FeatureGates& gates;
  // The live objects, for event hints and volume reservations. Pods and nodes come with each call.
  const cache::ClusterObjects& objects;
  // The live nodes and their pods, for event hints. Null: there are no events, since nothing is scheduled.
  const cache::NodeTable* nodes = nullptr;
};

using PluginFactory = std::function<Result<std::unique_ptr<Plugin>>(const PluginContext&)>;

class PluginRegistry {
 public:
  struct Entry {
    std::string name;
    config::ExtensionPoints points;
    PluginFactory build;
  };

  // The error: a plugin of that name is there already.
  Result<void> add(Entry entry);
  // Null if there is none.
  const Entry* find(std::string_view name) const;
  // All of them, sorted.
  std::vector<std::string_view> names() const;
  // What config::expand_plugins() wants to know about plugins that are not kube-scheduler's own.
  std::vector<config::PluginSpec> out_of_tree() const;

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace berth::framework
