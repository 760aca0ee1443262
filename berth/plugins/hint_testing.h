// Objects in a few words and tables of cases, for the tests of hints. A case says what happened to which pod and what
// the hint has to answer.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/plugins/hint_support.h"

namespace berth::plugins::testing {

using Shape = std::function<void(api::PodTemplate&)>;

class PodSketch {
 public:
  explicit PodSketch(std::string name) {
    pod_.metadata.uid = "uid-" + name;
    pod_.metadata.name = std::move(name);
    pod_.metadata.name_space = Symbol("default");
  }
  PodSketch in(std::string_view name_space) const {
    return with([&](api::Pod& pod) { pod.metadata.name_space = Symbol(name_space); });
  }
  PodSketch labelled(std::string_view key, std::string_view value) const {
    return with([&](api::Pod& pod) {
      api::Labels labels = *pod.metadata.labels;
      labels[Symbol(key)] = Symbol(value);
      pod.metadata.labels = labels;
    });
  }
  PodSketch on(std::string_view node) const {
    return with([&](api::Pod& pod) { pod.spec.node_name = Symbol(node); });
  }
  PodSketch nominated_to(std::string_view node) const {
    return with([&](api::Pod& pod) { pod.status.nominated_node_name = Symbol(node); });
  }
  PodSketch shaped(const Shape& shape) const {
    return with([&](api::Pod& pod) {
      api::PodTemplate spec = *pod.spec;
      shape(spec);
      pod.spec.shared = spec;
    });
  }
  PodSketch with(const std::function<void(api::Pod&)>& change) const {
    PodSketch changed = *this;
    change(changed.pod_);
    return changed;
  }
  operator api::Pod() const { return pod_; }

 private:
  api::Pod pod_;
};

class NodeSketch {
 public:
  explicit NodeSketch(std::string name) { node_.metadata.name = std::move(name); }
  NodeSketch labelled(std::string_view key, std::string_view value) const {
    return with([&](api::Node& node) {
      api::Labels labels = *node.metadata.labels;
      labels[Symbol(key)] = Symbol(value);
      node.metadata.labels = labels;
    });
  }
  NodeSketch tainted(std::string_view key, std::string_view effect) const {
    return with([&](api::Node& node) {
      node.spec.taints.push_back({.key = Symbol(key), .value = {}, .effect = Symbol(effect), .time_added = {}});
    });
  }
  NodeSketch cordoned() const {
    return with([](api::Node& node) { node.spec.unschedulable = true; });
  }
  NodeSketch having(std::string_view resource, std::string_view amount) const {
    return with(
        [&](api::Node& node) { node.status.allocatable[Symbol(resource)] = api::Quantity::parse(amount).value(); });
  }
  NodeSketch with(const std::function<void(api::Node&)>& change) const {
    NodeSketch changed = *this;
    change(changed.node_);
    return changed;
  }
  operator api::Node() const { return node_; }

 private:
  api::Node node_;
};

template <typename T>
api::AnyObject any(const T& object) {
  return api::AnyObject(std::make_shared<const T>(object));
}
inline api::AnyObject any(const PodSketch& pod) {
  return any(static_cast<api::Pod>(pod));
}
inline api::AnyObject any(const NodeSketch& node) {
  return any(static_cast<api::Node>(node));
}

template <typename T>
EventObjects added(const T& object) {
  return {{}, any(object)};
}
template <typename T>
EventObjects updated(const T& before, const T& after) {
  return {any(before), any(after)};
}
template <typename T>
EventObjects deleted(const T& object) {
  return {any(object), {}};
}

struct Case {
  std::string_view what;
  PodSketch pod;
  EventObjects objects;
  HintAnswer answer;
};

inline void check(const queue::Hint& hint, const std::vector<Case>& cases) {
  for (const Case& each : cases) EXPECT_EQ(hint(each.pod, each.objects), each.answer) << each.what;
}

inline constexpr HintAnswer kQueue = HintAnswer::kQueue, kSkip = HintAnswer::kSkip, kError = HintAnswer::kError;

inline Shape tolerating(std::string_view key) {
  return [key = Symbol(key)](api::PodTemplate& pod) {
    pod.tolerations.push_back(
        {.key = key, .op = Symbol("Exists"), .value = {}, .effect = {}, .toleration_seconds = {}});
  };
}

inline Shape asking(std::string_view resource, std::string_view amount) {
  return [resource = Symbol(resource), amount = api::Quantity::parse(amount).value()](api::PodTemplate& pod) {
    if (pod.containers.empty()) pod.containers.emplace_back();
    pod.containers.front().resources.requests[resource] = amount;
  };
}

inline api::LabelSelector selecting(std::string_view key, std::string_view value) {
  api::LabelSelector selector;
  selector.match_labels[Symbol(key)] = Symbol(value);
  return selector;
}

inline Shape using_claim(std::string_view claim_name) {
  return [name = std::string(claim_name)](api::PodTemplate& pod) {
    pod.volumes.emplace_back();
    pod.volumes.back().source.persistent_volume_claim.emplace().claim_name = name;
  };
}
inline Shape with_ephemeral_volume(std::string_view volume_name) {
  return [name = std::string(volume_name)](api::PodTemplate& pod) {
    pod.volumes.emplace_back();
    pod.volumes.back().name = name;
    pod.volumes.back().source.ephemeral.emplace();
  };
}

inline api::PersistentVolumeClaim claim_named(std::string_view name_space, std::string_view name) {
  api::PersistentVolumeClaim claim;
  claim.metadata.name_space = Symbol(name_space);
  claim.metadata.name = std::string(name);
  return claim;
}

}  // namespace berth::plugins::testing
