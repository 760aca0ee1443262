#include "berth/plugins/scheduling_gates_hints.h"

#include "berth/plugins/names.h"

namespace berth::plugins {

HintAnswer scheduling_gates_after_gates_gone(const api::Pod& pod, const EventObjects& objects) {
  const ObjectsOf<api::Pod> updated(objects);
  if (!updated.has_after()) return HintAnswer::kError;
  return queue_if(is_same_pod(pod, *updated.after));
}

std::vector<HintRegistration> scheduling_gates_hints(Symbol profile) {
  HintList hints(profile, name::kSchedulingGates);
  hints.add(queue::resource::kPod, queue::action::kUpdatePodSchedulingGatesEliminated,
            scheduling_gates_after_gates_gone);
  return std::move(hints).take();
}

bool scheduling_gates_admits(const api::Pod& pod) {
  return pod.spec->scheduling_gates.empty();
}

}  // namespace berth::plugins
