// What the tests of the cache and of everything above it share: nodes and pods in one line. For tests only; the library
// must not include it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/node.h"
#include "berth/api/pod.h"

namespace berth::cache::testing {

inline api::Quantity quantity(std::string_view text) {
  return api::Quantity::parse(text).value();
}

// NodeBuilder("n1").label("zone", "a").allocatable("cpu", "4").build(). It has room for 110 pods and nothing else.
class NodeBuilder {
 public:
  explicit NodeBuilder(std::string_view name) {
    node_.metadata.name = name;
    allocatable("pods", "110");
  }
  // Another version of a node.
  explicit NodeBuilder(const api::Node& old) : node_(old) {}

  NodeBuilder& label(std::string_view key, std::string_view value) {
    api::Labels labels = *node_.metadata.labels;
    labels[Symbol(key)] = Symbol(value);
    node_.metadata.labels = labels;
    return *this;
  }
  NodeBuilder& zone(std::string_view name) { return label("topology.kubernetes.io/zone", name); }
  NodeBuilder& allocatable(std::string_view resource, std::string_view amount) {
    return node_.status.allocatable[Symbol(resource)] = quantity(amount), *this;
  }
  NodeBuilder& taint(std::string_view key, std::string_view value, std::string_view effect) {
    api::Taint& taint = node_.spec.taints.emplace_back();
    taint.key = Symbol(key);
    taint.value = Symbol(value);
    taint.effect = Symbol(effect);
    return *this;
  }
  NodeBuilder& unschedulable(bool value = true) { return node_.spec.unschedulable = value, *this; }
  NodeBuilder& image(std::string_view name, std::int64_t size_bytes) {
    std::vector<api::ContainerImage> images = *node_.status.images;
    images.push_back({{Symbol(name)}, size_bytes});
    node_.status.images = images;
    return *this;
  }
  api::NodePtr build() const { return std::make_shared<const api::Node>(node_); }

 private:
  api::Node node_;
};

// PodBuilder("a").on("n1").request("cpu", "1").build(). Its UID is "a-uid" and its namespace "default".
class PodBuilder {
 public:
  explicit PodBuilder(std::string_view name) {
    pod_.metadata.name = name;
    pod_.metadata.uid = std::string(name) + "-uid";
    pod_.metadata.name_space = Symbol("default");
    template_.containers.emplace_back().name = Symbol("main");
  }
  // A pod of another pod's template and labels, so of the same class.
  PodBuilder(std::string_view name, const api::Pod& like) : PodBuilder(name) {
    shared_ = like.spec.shared;
    is_shared_ = true;
    pod_.metadata.labels = like.metadata.labels;
    pod_.metadata.name_space = like.metadata.name_space;
  }

  PodBuilder& on(std::string_view node) { return pod_.spec.node_name = Symbol(node), *this; }
  PodBuilder& uid(std::string_view uid) { return pod_.metadata.uid = uid, *this; }
  PodBuilder& name_space(std::string_view name) { return pod_.metadata.name_space = Symbol(name), *this; }
  PodBuilder& priority(std::int32_t priority) { return template_.priority = priority, *this; }
  PodBuilder& label(std::string_view key, std::string_view value) {
    api::Labels labels = *pod_.metadata.labels;
    labels[Symbol(key)] = Symbol(value);
    pod_.metadata.labels = labels;
    return *this;
  }
  PodBuilder& request(std::string_view resource, std::string_view amount) {
    return template_.containers[0].resources.requests[Symbol(resource)] = quantity(amount), *this;
  }
  PodBuilder& host_port(std::int32_t port) {
    api::ContainerPort& added = template_.containers[0].ports.emplace_back();
    added.host_port = port;
    return *this;
  }
  PodBuilder& claim(std::string_view name) {
    api::Volume& volume = template_.volumes.emplace_back();
    volume.name = name;
    volume.source.persistent_volume_claim = api::PersistentVolumeClaimVolumeSource{std::string(name), false};
    return *this;
  }
  PodBuilder& terminating() { return pod_.metadata.deletion_timestamp = Instant::from_unix_seconds(1), *this; }
  api::PodTemplate& spec() { return template_; }
  api::Pod& pod() { return pod_; }
  api::PodPtr build() const {
    api::Pod pod = pod_;
    pod.spec.shared = is_shared_ ? shared_ : Interned<api::PodTemplate>(template_);
    return std::make_shared<const api::Pod>(std::move(pod));
  }

 private:
  api::Pod pod_;
  api::PodTemplate template_;
  Interned<api::PodTemplate> shared_;
  bool is_shared_ = false;
};

}  // namespace berth::cache::testing
