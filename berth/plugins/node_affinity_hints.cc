#include "berth/plugins/node_affinity_hints.h"

#include "berth/plugins/names.h"

namespace berth::plugins {

namespace {

bool matches(const api::RequiredNodeAffinity& affinity, const api::Node& node) {
  return affinity.matches(node.metadata.name, *node.metadata.labels);
}

// A term that does not parse could have matched, unless the node selector forbids the node anyway.
bool is_undecided(const api::PodTemplate& pod, const api::Node& node) {
  if (!pod.affinity || !pod.affinity->node_affinity || !pod.affinity->node_affinity->required) return false;
  if (!api::LabelMatcher::of_labels(pod.node_selector).matches(*node.metadata.labels)) return false;
  return api::NodeMatcher(*pod.affinity->node_affinity->required).error().has_value();
}

}  // namespace

HintAnswer node_affinity_after_node_change(const api::Pod& pod, const EventObjects& objects,
                                           const NodeAffinityHintOptions& options) {
  const ObjectsOf<api::Node> node(objects);
  if (!node.has_after()) return HintAnswer::kError;
  const auto satisfies_added = [&options](const api::Node& any) {
    return !options.added || options.added->matches(any.metadata.name, *any.metadata.labels);
  };
  if (!satisfies_added(*node.after)) return HintAnswer::kSkip;
  const auto compiled = options.compile(pod);
  const api::RequiredNodeAffinity& affinity = compiled->required_node_affinity;
  if (!matches(affinity, *node.after)) {
    return is_undecided(*pod.spec, *node.after) ? HintAnswer::kError : HintAnswer::kSkip;
  }
  if (node.before == nullptr) return HintAnswer::kQueue;
  if (!options.quirks.added_affinity_change_wakes_nobody && !satisfies_added(*node.before)) return HintAnswer::kQueue;
  if (matches(affinity, *node.before)) return HintAnswer::kSkip;
  return is_undecided(*pod.spec, *node.before) ? HintAnswer::kError : HintAnswer::kQueue;
}

std::vector<HintRegistration> node_affinity_hints(Symbol profile, const NodeAffinityHintOptions& options) {
  HintList hints(profile, name::kNodeAffinity);
  hints.add(queue::resource::kNode, queue::action::kAdd | queue::action::kUpdateNodeLabel,
            [options](const api::Pod& pod, const EventObjects& objects) {
              return node_affinity_after_node_change(pod, objects, options);
            });
  return std::move(hints).take();
}

}  // namespace berth::plugins
