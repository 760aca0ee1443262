// A small cluster with storage in a few words, for the tests of the volume plugins.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/compiled_pod.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/node_table.h"
#include "berth/config/feature_gates.h"
#include "berth/framework/plugin.h"
#include "berth/framework/registry.h"
#include "berth/plugins/hint_testing.h"
#include "berth/plugins/plugin_quirks.h"

namespace berth::plugins::testing {

inline constexpr std::string_view kZone = "topology.kubernetes.io/zone", kHost = "kubernetes.io/hostname";

using VolumeShape = std::function<void(api::PersistentVolume&)>;
using ClaimShape = std::function<void(api::PersistentVolumeClaim&)>;

inline api::NodeSelector on_nodes(std::string_view key, std::vector<std::string_view> values) {
  api::NodeSelectorRequirement in{.key = Symbol(key), .op = Symbol("In"), .values = {}};
  for (const std::string_view value : values) in.values.emplace_back(value);
  return {{{.match_expressions = {in}, .match_fields = {}}}};
}
inline VolumeShape usable_on(std::string_view key, std::vector<std::string_view> values) {
  return [selector = on_nodes(key, std::move(values))](api::PersistentVolume& volume) {
    volume.spec.node_affinity = std::optional(api::VolumeNodeAffinity{selector});
  };
}
inline VolumeShape from_driver(std::string_view driver, std::string_view handle) {
  return [driver = Symbol(driver), handle = std::string(handle)](api::PersistentVolume& volume) {
    auto& csi = volume.spec.source.csi.emplace();
    csi.driver = driver;
    csi.volume_handle = handle;
  };
}
inline VolumeShape amazon_disk(std::string_view id) {
  return [id = std::string(id)](api::PersistentVolume& volume) {
    volume.spec.source.aws_elastic_block_store.emplace().volume_id = id;
  };
}
inline VolumeShape volume_labelled(std::string_view key, std::string_view value) {
  return [=](api::PersistentVolume& volume) {
    api::Labels labels = *volume.metadata.labels;
    labels[Symbol(key)] = Symbol(value);
    volume.metadata.labels = labels;
  };
}

template <typename Object>
void annotate(Object& object, std::string_view key, std::string_view value) {
  api::Annotations annotations = *object.metadata.annotations;
  annotations[Symbol(key)] = std::string(value);
  object.metadata.annotations = annotations;
}

inline ClaimShape bound_to_volume(std::string_view volume) {
  return [volume = std::string(volume)](api::PersistentVolumeClaim& claim) {
    claim.spec.volume_name = volume;
    annotate(claim, "pv.kubernetes.io/bind-completed", "yes");
  };
}
inline ClaimShape with_mode(std::string_view mode) {
  return [mode = Symbol(mode)](api::PersistentVolumeClaim& claim) { claim.spec.access_modes = {mode}; };
}
inline ClaimShape selected(std::string_view node) {
  return [node = std::string(node)](api::PersistentVolumeClaim& claim) {
    annotate(claim, "volume.kubernetes.io/selected-node", node);
  };
}
inline ClaimShape made_for(std::string_view pod) {
  return [pod = std::string(pod)](api::PersistentVolumeClaim& claim) {
    api::OwnerReference owner;
    owner.uid = "uid-" + pod;
    owner.controller = true;
    claim.metadata.owner_references = std::vector<api::OwnerReference>{owner};
  };
}

class StorageWorld {
 public:
  cache::NodeTable nodes;
  cache::ClusterObjects objects;
  config::FeatureGates gates;
  PluginQuirks quirks;

  framework::ClusterView view() const { return {nodes, objects}; }

  void node(const api::Node& node) { nodes.set_node(std::make_shared<const api::Node>(node)); }
  void place(const api::Pod& pod) {
    nodes.add_pod(std::make_shared<const api::Pod>(pod), compiled_.get(pod.spec.shared));
  }
  static framework::PodToPlace to_place(const api::Pod& pod) {
    return {std::make_shared<const api::Pod>(pod), api::compile(*pod.spec)};
  }
  cache::PlacedPod placed(const api::Pod& pod) {
    return {std::make_shared<const api::Pod>(pod), compiled_.get(pod.spec.shared), nullptr};
  }

  api::PersistentVolumeClaim claim(std::string_view name, std::string_view storage_class, std::string_view size,
                                   const std::vector<ClaimShape>& shapes = {}) {
    api::PersistentVolumeClaim claim = claim_named("default", name);
    claim.metadata.uid = "uid-of-" + std::string(name);
    claim.metadata.resource_version = next_version();
    if (!storage_class.empty()) claim.spec.storage_class_name = Symbol(storage_class);
    claim.spec.resources.requests[Symbol("storage")] = api::Quantity::parse(size).value();
    for (const ClaimShape& shape : shapes) shape(claim);
    set(claim);
    return claim;
  }
  api::PersistentVolume volume(std::string_view name, std::string_view storage_class, std::string_view size,
                               const std::vector<VolumeShape>& shapes = {}) {
    api::PersistentVolume volume;
    volume.metadata.name = std::string(name);
    volume.metadata.resource_version = next_version();
    volume.spec.storage_class_name = Symbol(storage_class);
    volume.spec.capacity[Symbol("storage")] = api::Quantity::parse(size).value();
    volume.status.phase = Symbol("Available");
    for (const VolumeShape& shape : shapes) shape(volume);
    set(volume);
    return volume;
  }
  api::StorageClass storage_class(std::string_view name, std::string_view provisioner,
                                  std::string_view mode = "WaitForFirstConsumer") {
    api::StorageClass storage_class;
    storage_class.metadata.name = std::string(name);
    storage_class.provisioner = Symbol(provisioner);
    if (!mode.empty()) storage_class.volume_binding_mode = Symbol(mode);
    set(storage_class);
    return storage_class;
  }
  struct Driver {
    std::string_view name;
    std::optional<std::int32_t> limit;
  };
  void csi_node(std::string_view name, const std::vector<Driver>& drivers, std::string_view migrated = "") {
    api::CsiNode node;
    node.metadata.name = std::string(name);
    for (const Driver& driver : drivers) {
      auto& entry = node.spec.drivers.emplace_back();
      entry.name = Symbol(driver.name);
      if (driver.limit) entry.allocatable = api::VolumeNodeResources{driver.limit};
    }
    if (!migrated.empty()) annotate(node, "storage.alpha.kubernetes.io/migrated-plugins", migrated);
    set(node);
  }

  template <typename T>
  void set(const T& object) {
    ASSERT_TRUE(objects.set(any(object)));
  }
  std::string next_version() { return std::to_string(++version_); }

  using Factory = Result<std::unique_ptr<framework::Plugin>> (*)(const framework::PluginContext&, const PluginQuirks&);
  std::unique_ptr<framework::Plugin> make(Factory factory) const {
    static const config::PluginArgs no_args;
    return factory({Symbol("default-scheduler"), no_args, gates, objects}, quirks).value();
  }

 private:
  int version_ = 100;
  api::CompiledPods compiled_;
};

// What a plugin says about a pod: PreFilter's code and reasons if it is the end, else those of each node by name.
inline std::string show(framework::Code code, const std::vector<std::string>& reasons) {
  std::string text(framework::to_string(code));
  for (const std::string& reason : reasons) text += " | " + reason;
  return text;
}
inline std::string verdict_on(const framework::PodFilter& filter, const cache::NodeState& node) {
  const framework::Status status = framework::status_of(filter, filter.check(node), Symbol("plugin"));
  return show(status.code(), status.reason_texts());
}
inline std::string ask(const framework::Plugin& plugin, const StorageWorld& world, const api::Pod& pod,
                       std::string_view node) {
  const auto& filter = dynamic_cast<const framework::FilterPlugin&>(plugin);
  const framework::PreFiltered filtered = filter.pre_filter(StorageWorld::to_place(pod), world.view());
  if (!filtered.status.is_success()) return "PreFilter " + show(filtered.status.code(), filtered.status.reason_texts());
  return verdict_on(*filtered.filter, world.nodes.at(world.nodes.row_of(Symbol(node))));
}

}  // namespace berth::plugins::testing
