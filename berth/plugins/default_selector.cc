#include "berth/plugins/default_selector.h"

#include <optional>
#include <utility>

namespace berth::plugins {

namespace {

// No version ever goes down: the sum changes if one of them does.
std::uint64_t versions_of(const cache::ClusterObjects& objects) {
  return objects.services.version() + objects.replication_controllers.version() + objects.replica_sets.version() +
         objects.stateful_sets.version();
}

api::Labels selectors_of_services(const api::Pod& pod, const cache::ClusterObjects& objects) {
  api::Labels wanted;
  objects.services.for_each_in(pod.metadata.name_space, [&](const std::shared_ptr<const api::Service>& service) {
    const api::Labels& selector = service->spec.selector;
    if (!api::LabelMatcher::of_labels(selector).matches(*pod.metadata.labels)) return;
    for (const auto& [key, value] : selector) wanted[key] = value;
  });
  return wanted;
}

// A selector that does not parse adds nothing; neither does none.
void add_requirements(const std::optional<api::LabelSelector>& selector, api::LabelMatcher& matcher) {
  const auto compiled = api::LabelMatcher::compile(selector);
  if (!compiled) return;
  for (const api::LabelRequirement& requirement : compiled->requirements()) matcher.require(requirement);
}

}  // namespace

api::LabelMatcher default_selector(const api::Pod& pod, const cache::ClusterObjects& objects) {
  static const Symbol core("v1"), apps("apps/v1");
  static const Symbol replication_controller("ReplicationController"), replica_set("ReplicaSet"),
      stateful_set("StatefulSet");
  api::Labels labels = selectors_of_services(pod, objects);
  const Symbol name_space = pod.metadata.name_space;
  const api::OwnerReference* owner = api::controller_of(pod.metadata);
  if (owner != nullptr && owner->api_version == core && owner->kind == replication_controller) {
    if (const auto* found = objects.replication_controllers.find(name_space, owner->name)) {
      for (const auto& [key, value] : found->spec.selector) labels[key] = value;
    }
  }
  api::LabelMatcher matcher = api::LabelMatcher::of_labels(labels);
  if (owner == nullptr || owner->api_version != apps) return matcher;
  if (owner->kind == replica_set) {
    if (const auto* found = objects.replica_sets.find(name_space, owner->name)) {
      add_requirements(found->spec.selector, matcher);
    }
  } else if (owner->kind == stateful_set) {
    if (const auto* found = objects.stateful_sets.find(name_space, owner->name)) {
      add_requirements(found->spec.selector, matcher);
    }
  }
  return matcher;
}

DefaultSelectorWatch::DefaultSelectorWatch(api::PodPtr pod, const cache::ClusterObjects& objects)
    : pod_(std::move(pod)), selector_(default_selector(*pod_, objects)), checked_(versions_of(objects)) {}

std::uint64_t DefaultSelectorWatch::version(const cache::ClusterObjects& objects) const {
  const std::uint64_t versions = versions_of(objects);
  if (versions == checked_) return 0;
  if (default_selector(*pod_, objects) != selector_) return versions;
  checked_ = versions;
  return 0;
}

}  // namespace berth::plugins
