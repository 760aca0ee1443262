#include "berth/plugins/default_preemption_hints.h"

#include "berth/plugins/names.h"

namespace berth::plugins {

HintAnswer default_preemption_after_pod_delete(const api::Pod&, const EventObjects&) {
  return HintAnswer::kSkip;
}

std::vector<HintRegistration> default_preemption_hints(Symbol profile, const DefaultPreemptionHintOptions& options) {
  HintList hints(profile, name::kDefaultPreemption);
  if (options.async_preemption) {
    hints.add(queue::resource::kPod, queue::action::kDelete, default_preemption_after_pod_delete);
  }
  return std::move(hints).take();
}

bool default_preemption_admits(const api::Pod& pod, const DefaultPreemptionHintOptions& options) {
  return !options.async_preemption || !options.is_preempting || !options.is_preempting(pod);
}

}  // namespace berth::plugins
