// The topology spread constraints that hold for one pod, and the nodes that they look at: what the filter and the score
// of PodTopologySpread have in common.
//
// A pod with constraints of its own is under those; any other is under the plugin's default constraints, which count
// the pods of its default selector. A constraint counts pods of the pod's namespace that are not terminating, on nodes
// that its policies include: nodes that the pod's node affinity allows (unless the policy is Ignore) and whose taints
// it tolerates (if the policy is Honor).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/api/compiled_pod.h"
#include "berth/base/bitset.h"
#include "berth/base/error.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/node_table.h"
#include "berth/framework/pod_to_place.h"
#include "berth/plugins/default_selector.h"

namespace berth::plugins {

struct SpreadOptions {
  std::vector<api::SpreadConstraint> default_constraints;
  bool are_defaults_of_system = false;
  bool match_label_keys = true;       // feature gate MatchLabelKeysInPodTopologySpread
  bool comparison_operators = false;  // feature gate TaintTolerationComparisonOperators
};

struct SpreadRule {
  Symbol topology_key;
  api::LabelMatcher pods;
  std::int32_t max_skew = 0;
  std::int32_t min_domains = 1;
  bool honors_node_affinity = true;
  bool honors_node_taints = false;

  // A selector for everything counts nobody, strange as it is.
  bool counts(const cache::PodClass& pod_class) const {
    return !pod_class.is_terminating && !pods.is_everything() && pods.matches(*pod_class.labels);
  }
};

struct SpreadRules {
  using Action = api::SpreadConstraint::Action;

  std::vector<SpreadRule> rules;
  bool are_own = false;  // the pod's, not the defaults
  // Set if other objects decide which pods the rules count, or that there are no rules.
  std::optional<DefaultSelectorWatch> group;

  // The error is that of a selector that does not parse.
  static Result<SpreadRules> of(const framework::PodToPlace& pod, Action action, const SpreadOptions& options,
                                const cache::ClusterObjects& objects);

  bool honor_node_taints() const;
  std::uint64_t objects_version(const cache::ClusterObjects& objects) const {
    return group ? group->version(objects) : 0;
  }
};

// The nodes that have the topology keys of all rules.
Bitset rows_with_all_keys(const SpreadRules& spread, const cache::NodeTable& table);

// By rule, those of `rows` that its policies include.
std::vector<Bitset> included_rows(const SpreadRules& spread, const framework::PodToPlace& pod, const Bitset& rows,
                                  const cache::NodeTable& table, const SpreadOptions& options);

// What happened to nodes makes what was counted before worthless.
bool is_worthless_after(const cache::Change& change, bool honor_node_taints);

}  // namespace berth::plugins
