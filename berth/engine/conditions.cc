#include "berth/engine/conditions.h"

namespace berth::engine {

std::optional<api::PodCondition> changed_condition(const api::Pod& pod, api::PodCondition wanted, Instant now) {
  wanted.observed_generation = pod.metadata.generation;
  wanted.last_transition_time = now;
  const api::PodCondition* old = api::find_condition(pod, wanted.type);
  if (old == nullptr || old->status != wanted.status) return wanted;
  if (old->reason == wanted.reason && old->message == wanted.message && !old->last_probe_time.is_set()) {
    return std::nullopt;
  }
  wanted.last_transition_time = old->last_transition_time;
  return wanted;
}

}  // namespace berth::engine
