// Conditions of pods, as a scheduler changes them.
#pragma once

#include <optional>

#include "berth/api/pod.h"
#include "berth/base/time.h"

namespace berth::engine {

// `wanted` as the pod is to have it from `now` on: one that only says more about the status that the pod shows already
// keeps the time of the transition to it. Nothing if the pod says just that.
std::optional<api::PodCondition> changed_condition(const api::Pod& pod, api::PodCondition wanted, Instant now);

}  // namespace berth::engine
