#include "berth/plugins/pod_topology_spread_hints.h"

#include <algorithm>
#include <optional>

#include "berth/plugins/names.h"

namespace berth::plugins {

namespace {

bool is_hard(const api::SpreadConstraint& constraint) {
  return constraint.action == api::SpreadConstraint::Action::kDoNotSchedule;
}

struct Constraint {
  Symbol topology_key;
  api::LabelMatcher pods;
  bool honors_node_affinity = true;
  bool honors_node_taints = false;
};

// The hard constraints that hold for the pod. Nothing if one does not parse.
std::optional<std::vector<Constraint>> constraints_of(const api::Pod& pod, const api::CompiledPod& compiled,
                                                      const PodTopologySpreadHintOptions& options) {
  std::vector<Constraint> constraints;
  const auto add = [&constraints](const api::SpreadConstraint& constraint, api::LabelMatcher pods) {
    constraints.push_back(
        {constraint.topology_key, std::move(pods), constraint.honors_node_affinity, constraint.honors_node_taints});
  };
  if (!pod.spec->topology_spread_constraints.empty()) {
    for (const api::SpreadConstraint& constraint : compiled.spread_constraints) {
      if (!is_hard(constraint)) continue;
      if (constraint.selector_error) return std::nullopt;
      add(constraint, options.match_label_keys ? constraint.selector_for(*pod.metadata.labels) : constraint.pods);
    }
  } else if (!options.default_constraints.empty()) {
    const api::LabelMatcher group = options.default_selector(pod);
    if (group.is_everything()) return constraints;
    for (const api::SpreadConstraint& constraint : options.default_constraints) add(constraint, group);
  }
  return constraints;
}

// The constraints count pods of one namespace that have a place; and the pod itself may change.
bool is_counted(const api::Pod& other, const api::Pod& pod) {
  return is_same_pod(other, pod) || (has_place(other) && other.metadata.name_space == pod.metadata.name_space);
}

}  // namespace

HintAnswer pod_topology_spread_after_pod_change(const api::Pod& pod, const EventObjects& objects,
                                                const PodTopologySpreadHintOptions& options) {
  const ObjectsOf<api::Pod> other(objects);
  if (!other.has_any()) return HintAnswer::kError;
  if ((other.after != nullptr && !is_counted(*other.after, pod)) ||
      (other.before != nullptr && !is_counted(*other.before, pod))) {
    return HintAnswer::kSkip;
  }
  const auto constraints = constraints_of(pod, *options.compile(pod), options);
  if (!constraints) return HintAnswer::kError;
  const auto any_constraint = [&constraints](auto&& holds) { return std::ranges::any_of(*constraints, holds); };
  if (!other.has_both()) {
    const api::Labels& labels = *(other.after != nullptr ? other.after : other.before)->metadata.labels;
    return queue_if(any_constraint([&](const Constraint& constraint) { return constraint.pods.matches(labels); }));
  }
  if (is_same_pod(pod, *other.after) && other.before->spec->tolerations != other.after->spec->tolerations &&
      any_constraint([](const Constraint& constraint) { return constraint.honors_node_taints; })) {
    return HintAnswer::kQueue;
  }
  const api::Labels &before = *other.before->metadata.labels, &after = *other.after->metadata.labels;
  const bool begins_to_leave = other.after->metadata.deletion_timestamp.is_set() &&
                               !other.before->metadata.deletion_timestamp.is_set() &&
                               !options.quirks.spread_ignores_terminating_pods;
  return queue_if(any_constraint([&](const Constraint& constraint) {
    const bool was_counted = constraint.pods.matches(before);
    return was_counted != constraint.pods.matches(after) || (begins_to_leave && was_counted);
  }));
}

HintAnswer pod_topology_spread_after_node_change(const api::Pod& pod, const EventObjects& objects,
                                                 const PodTopologySpreadHintOptions& options) {
  const ObjectsOf<api::Node> node(objects);
  if (!node.has_any()) return HintAnswer::kError;
  const auto compiled = options.compile(pod);
  const auto constraints = constraints_of(pod, *compiled, options);
  if (!constraints) return HintAnswer::kError;
  const auto any_constraint = [&constraints](auto&& holds) { return std::ranges::any_of(*constraints, holds); };
  const auto has_all_keys = [&](const api::Node& any) {
    return !any_constraint(
        [&any](const Constraint& constraint) { return !any.metadata.labels->contains(constraint.topology_key); });
  };
  if (!node.has_both()) return queue_if(has_all_keys(*(node.after != nullptr ? node.after : node.before)));
  if (has_all_keys(*node.before) != has_all_keys(*node.after)) return HintAnswer::kQueue;
  if (!has_all_keys(*node.after)) return HintAnswer::kSkip;
  const api::Labels &before = *node.before->metadata.labels, &after = *node.after->metadata.labels;
  if (node.before->spec.taints != node.after->spec.taints || any_constraint([&](const Constraint& constraint) {
        return *before.find(constraint.topology_key) != *after.find(constraint.topology_key);
      })) {
    return HintAnswer::kQueue;
  }
  if (options.quirks.spread_ignores_node_affinity_changes) return HintAnswer::kSkip;
  const api::RequiredNodeAffinity& affinity = compiled->required_node_affinity;
  return queue_if(any_constraint([](const Constraint& constraint) { return constraint.honors_node_affinity; }) &&
                  affinity.matches(node.before->metadata.name, before) !=
                      affinity.matches(node.after->metadata.name, after));
}

std::vector<HintRegistration> pod_topology_spread_hints(Symbol profile, const PodTopologySpreadHintOptions& options) {
  HintList hints(profile, name::kPodTopologySpread);
  // Default constraints depend on the pod's owners, which pods of one class need not share.
  const HintScope scope = options.default_constraints.empty() ? HintScope::kClass : HintScope::kPod;
  hints.add(
      queue::resource::kPod,
      queue::action::kAdd | queue::action::kDelete | queue::action::kUpdatePodLabel |
          queue::action::kUpdatePodToleration,
      [options](const api::Pod& pod, const EventObjects& objects) {
        return pod_topology_spread_after_pod_change(pod, objects, options);
      },
      scope);
  hints.add(
      queue::resource::kNode,
      queue::action::kAdd | queue::action::kDelete | queue::action::kUpdateNodeLabel | queue::action::kUpdateNodeTaint,
      [options](const api::Pod& pod, const EventObjects& objects) {
        return pod_topology_spread_after_node_change(pod, objects, options);
      },
      scope);
  return std::move(hints).take();
}

std::vector<api::SpreadConstraint> hard_constraints(const std::vector<api::TopologySpreadConstraint>& constraints) {
  api::PodTemplate pod;
  pod.topology_spread_constraints = constraints;
  std::vector<api::SpreadConstraint> compiled = api::compile(pod)->spread_constraints;
  std::erase_if(compiled, [](const api::SpreadConstraint& constraint) { return !is_hard(constraint); });
  return compiled;
}

}  // namespace berth::plugins
