// A cluster and a profile to hold EquivalenceCache against the step-by-step functions with.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "berth/cache/scheduler_cache.h"
#include "berth/cache/testing.h"
#include "berth/config/load.h"
#include "berth/framework/attempt.h"
#include "berth/framework/equivalence_cache.h"
#include "berth/plugins/default_plugins.h"

namespace berth::plugins::testing {

inline constexpr std::string_view kZone = "topology.kubernetes.io/zone";
inline constexpr std::string_view kHost = "kubernetes.io/hostname";

struct World {
  framework::PluginRegistry registry = default_registry();
  config::FeatureGates gates;
  cache::ClusterObjects objects;
  cache::SchedulerCache cache;
  std::unique_ptr<framework::Profile> profile;
  framework::ClusterView view{cache.nodes(), objects};
  framework::NominatedPods nominated;

  World() { use(config::default_config()); }

  // `plugins` is what stands under `plugins:` in a profile, indented by four.
  void use_plugins(const std::string& plugins) {
    const auto loaded = config::load_config(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- plugins:\n" +
            plugins,
        {.gates = {}, .out_of_tree = registry.out_of_tree()});
    ASSERT_TRUE(loaded.has_value());
    use(*loaded);
  }
  // Adds a plugin to the registry, and to the profile at the points given as in use_plugins().
  template <typename Plugin>
  void add_plugin(const std::string& name, config::ExtensionPoints points, const std::string& plugins) {
    (void)registry.add(
        {.name = name, .points = points, .build = [](const auto&) { return std::make_unique<Plugin>(); }});
    use_plugins(plugins);
  }
  framework::PodToPlace to_place(const api::PodPtr& pod) { return {pod, cache.compile(*pod)}; }

 private:
  void use(const config::LoadedConfig& loaded) {
    profile = framework::Profile::build(loaded.config.profiles.at(0), registry, gates, objects).value();
  }
};

inline api::PodAffinityTerm term(std::string_view app, std::string_view key) {
  api::PodAffinityTerm made;
  made.label_selector.emplace().match_labels[Symbol("app")] = Symbol(app);
  made.topology_key = Symbol(key);
  return made;
}

}  // namespace berth::plugins::testing
