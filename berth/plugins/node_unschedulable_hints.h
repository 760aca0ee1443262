// A pod that NodeUnschedulable rejected is woken by a node that is open for pods now (new, or no longer cordoned), and
// by its own getting a toleration for cordoned nodes.
#pragma once

#include <vector>

#include "berth/plugins/hint_support.h"

namespace berth::plugins {

struct NodeUnschedulableHintOptions {
  bool comparison_operators = false;  // feature gate TaintTolerationComparisonOperators
};

HintAnswer node_unschedulable_after_node_change(const api::Pod& pod, const EventObjects& objects);
HintAnswer node_unschedulable_after_tolerations(const api::Pod& pod, const EventObjects& objects,
                                                const NodeUnschedulableHintOptions& options);

std::vector<HintRegistration> node_unschedulable_hints(Symbol profile, const NodeUnschedulableHintOptions& options);

}  // namespace berth::plugins
