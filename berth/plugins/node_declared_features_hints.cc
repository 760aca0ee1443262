#include "berth/plugins/node_declared_features_hints.h"

#include <algorithm>

#include "berth/plugins/names.h"

namespace berth::plugins {

HintAnswer node_declared_features_after_node_change(const api::Pod&, const EventObjects& objects) {
  const ObjectsOf<api::Node> node(objects);
  if (!node.has_after()) return HintAnswer::kError;
  return queue_if(node.before == nullptr ||
                  node.before->status.declared_features != node.after->status.declared_features);
}

HintAnswer node_declared_features_after_pod_update(const api::Pod& pod, const EventObjects& objects) {
  const ObjectsOf<api::Pod> updated(objects);
  if (!updated.has_after()) return HintAnswer::kError;
  if (!is_same_pod(pod, *updated.after)) return HintAnswer::kSkip;
  if (updated.before == nullptr) return HintAnswer::kError;
  return queue_if(needed_features(*updated.before->spec) != needed_features(*updated.after->spec));
}

std::vector<HintRegistration> node_declared_features_hints(Symbol profile,
                                                           const NodeDeclaredFeaturesHintOptions& options) {
  HintList hints(profile, name::kNodeDeclaredFeatures);
  if (!options.enabled) return {};
  hints.add(queue::resource::kNode, queue::action::kAdd | queue::action::kUpdateNodeDeclaredFeature,
            node_declared_features_after_node_change);
  hints.add(
      options.quirks.declared_features_watch_all_pods ? queue::resource::kPod : queue::resource::kUnschedulablePod,
      queue::action::kUpdate, node_declared_features_after_pod_update);
  return std::move(hints).take();
}

std::vector<std::string_view> needed_features(const api::PodTemplate& pod) {
  const auto may_restart_all = [](const api::Container& container) {
    return std::ranges::any_of(container.restart_policy_rules,
                               [](const auto& rule) { return rule.action == "RestartAllContainers"; });
  };
  std::vector<std::string_view> features;
  if (std::ranges::any_of(pod.containers, may_restart_all) ||
      std::ranges::any_of(pod.init_containers, may_restart_all)) {
    features.push_back("RestartAllContainersOnContainerExits");
  }
  if (pod.host_network && pod.host_users == false) features.push_back("UserNamespacesHostNetworkSupport");
  return features;
}

}  // namespace berth::plugins
