// A small cluster in a few words, and what one plugin says about it, for the tests of plugins.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "berth/api/compiled_pod.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/node_table.h"
#include "berth/config/feature_gates.h"
#include "berth/framework/plugin.h"
#include "berth/framework/registry.h"
#include "berth/plugins/hint_testing.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins::testing {

class PluginWorld {
 public:
  cache::NodeTable nodes;
  cache::ClusterObjects objects;
  config::FeatureGates gates;
  PluginQuirks quirks;
  config::PluginArgs args;

  framework::ClusterView view() const { return {nodes, objects}; }

  PluginWorld& node(const api::Node& node) {
    nodes.set_node(std::make_shared<const api::Node>(node));
    return *this;
  }
  PluginWorld& place(const api::Pod& pod) {
    nodes.add_pod(std::make_shared<const api::Pod>(pod), compiled_.get(pod.spec.shared));
    return *this;
  }
  framework::PodToPlace to_place(const api::Pod& pod) {
    return {std::make_shared<const api::Pod>(pod), compiled_.get(pod.spec.shared)};
  }
  const cache::NodeState& at(std::string_view node) const { return nodes.at(nodes.row_of(Symbol(node))); }

  using Factory = Result<std::unique_ptr<framework::Plugin>> (*)(const framework::PluginContext&, const PluginQuirks&);
  Result<std::unique_ptr<framework::Plugin>> try_make(Factory factory) const {
    return factory({Symbol("default-scheduler"), args, gates, objects}, quirks);
  }
  std::unique_ptr<framework::Plugin> make(Factory factory) const { return try_make(factory).value(); }

  // "Unschedulable | Insufficient cpu | Insufficient memory", with "PreFilter " in front if no node was asked about.
  std::string verdict(const framework::Plugin& plugin, const api::Pod& pod, std::string_view node) {
    const auto& filter = dynamic_cast<const framework::FilterPlugin&>(plugin);
    const framework::PreFiltered made = filter.pre_filter(to_place(pod), view());
    if (!made.status.is_success()) return "PreFilter " + text_of(made.status);
    return text_of(framework::status_of(*made.filter, made.filter->check(at(node)), Symbol(plugin.name())));
  }
  std::string verdict(Factory factory, const api::Pod& pod, std::string_view node) {
    return verdict(*make(factory), pod, node);
  }

  // Before normalization. -1 if the plugin skips the pod.
  std::int64_t score(const framework::Plugin& plugin, const api::Pod& pod, std::string_view node) {
    const auto& score = dynamic_cast<const framework::ScorePlugin&>(plugin);
    const framework::PreScored made = score.pre_score(to_place(pod), view(), nodes.nodes());
    return made.status.is_success() ? made.scorer->score(at(node)) : -1;
  }
  std::int64_t score(Factory factory, const api::Pod& pod, std::string_view node) {
    return score(*make(factory), pod, node);
  }

  static std::string text_of(const framework::Status& status) {
    std::string text(framework::to_string(status.code()));
    for (const framework::Reason& reason : status.reasons()) text += " | " + reason.text();
    return text;
  }

 private:
  api::CompiledPods compiled_;
};

// One resource request more, in a container of its own.
inline Shape asking_too(std::string_view resource, std::string_view amount) {
  return [resource = Symbol(resource), amount = api::Quantity::parse(amount).value()](api::PodTemplate& pod) {
    pod.containers.emplace_back().resources.requests[resource] = amount;
  };
}

}  // namespace berth::plugins::testing
