#include "berth/explain/pod_classes.h"

#include <array>
#include <string_view>

#include "berth/codec/json.h"

namespace berth::explain {

namespace {

// Labels that number the pods of a workload: no two pods share them, and nobody selects by them.
constexpr std::array<std::string_view, 3> kNumberLabels = {
    "apps.kubernetes.io/pod-index", "batch.kubernetes.io/job-completion-index", "statefulset.kubernetes.io/pod-name"};

}  // namespace

std::size_t PodClasses::class_of(const api::Pod& pod) {
  const bool is_being_deleted = pod.metadata.deletion_timestamp.is_set();
  return index_
      .try_emplace(
          {template_of(pod), pod.metadata.name_space.str(), pod.status.nominated_node_name.str(), is_being_deleted},
          index_.size())
      .first->second;
}

std::size_t PodClasses::template_of(const api::Pod& pod) {
  const auto identity = std::pair(pod.spec.shared.identity(), pod.metadata.labels.identity());
  if (const auto it = by_identity_.find(identity); it != by_identity_.end()) return it->second;
  api::Labels labels = *pod.metadata.labels;
  for (const std::string_view label : kNumberLabels) labels.erase(Symbol(label));
  const std::string text = codec::to_json(*pod.spec) + codec::to_json(labels);
  const std::size_t number = by_text_.try_emplace(text, by_text_.size()).first->second;
  by_identity_.emplace(identity, number);
  return number;
}

}  // namespace berth::explain
