// A pod that TaintToleration rejected is woken by a node whose taints it tolerates now and did not before, and by its
// own getting another toleration.
#pragma once

#include <vector>

#include "berth/plugins/hint_support.h"

namespace berth::plugins {

struct TaintTolerationHintOptions {
  bool comparison_operators = false;  // feature gate TaintTolerationComparisonOperators
};

HintAnswer taint_toleration_after_node_change(const api::Pod& pod, const EventObjects& objects,
                                              const TaintTolerationHintOptions& options);
HintAnswer taint_toleration_after_tolerations(const api::Pod& pod, const EventObjects& objects);

std::vector<HintRegistration> taint_toleration_hints(Symbol profile, const TaintTolerationHintOptions& options);

}  // namespace berth::plugins
