// Taints and tolerations: which taints of a node a pod puts up with.
#pragma once

#include <span>

#include "berth/api/node.h"
#include "berth/api/pod.h"

namespace berth::api {

// `comparison_operators` is the feature gate TaintTolerationComparisonOperators: without it, Lt and Gt tolerate
// nothing.
bool tolerates(const Toleration& toleration, const Taint& taint, bool comparison_operators = false);
bool tolerates(std::span<const Toleration> tolerations, const Taint& taint, bool comparison_operators = false);

// NoSchedule and NoExecute keep a pod off a node; PreferNoSchedule only makes the node less liked.
bool keeps_pods_off(const Taint& taint);
bool is_prefer_no_schedule(const Taint& taint);

// The first taint that keeps the pod off and is not tolerated, or null.
const Taint* find_untolerated_taint(std::span<const Taint> taints, std::span<const Toleration> tolerations,
                                    bool comparison_operators = false);

}  // namespace berth::api
