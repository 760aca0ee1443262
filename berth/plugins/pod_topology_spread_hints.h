// A pod that PodTopologySpread rejected is woken when a pod that one of its hard constraints counts comes, goes or
// changes its labels, when nodes with its topology keys come, go, move or change their taints, and by its own getting
// another toleration where a constraint looks at taints.
#pragma once

#include <functional>
#include <vector>

#include "berth/plugins/hint_quirks.h"
#include "berth/plugins/hint_support.h"

namespace berth::plugins {

struct PodTopologySpreadHintOptions {
  CompilePod compile;
  // The plugin's defaultConstraints that are hard (see hard_constraints), for pods without constraints.
  std::vector<api::SpreadConstraint> default_constraints;
  // Which pods belong together by their services and owners: what the default constraints count. A selector for
  // everything means that there is no such group. Required if there are default constraints.
  std::function<api::LabelMatcher(const api::Pod&)> default_selector;
  bool match_label_keys = true;  // feature gate MatchLabelKeysInPodTopologySpread
  HintQuirks quirks;
};

// Both answer kError if a hard constraint of the pod has a selector that does not parse.
HintAnswer pod_topology_spread_after_pod_change(const api::Pod& pod, const EventObjects& objects,
                                                const PodTopologySpreadHintOptions& options);
HintAnswer pod_topology_spread_after_node_change(const api::Pod& pod, const EventObjects& objects,
                                                 const PodTopologySpreadHintOptions& options);

std::vector<HintRegistration> pod_topology_spread_hints(Symbol profile, const PodTopologySpreadHintOptions& options);

// Those that keep pods off nodes, ready to match.
std::vector<api::SpreadConstraint> hard_constraints(const std::vector<api::TopologySpreadConstraint>& constraints);

}  // namespace berth::plugins
