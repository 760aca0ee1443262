// DefaultPreemption holds a pod back while the victims that it chose are being evicted. No event wakes a pod on its
// account: the deletion of a pod makes the queue look again, and another plugin that rejected the pod has to say so.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "berth/plugins/hint_support.h"

namespace berth::plugins {

struct DefaultPreemptionHintOptions {
  bool async_preemption = true;  // feature gate SchedulerAsyncPreemption; without it no pod is held back
  // Whether victims are being evicted for the pod. Empty: never.
  std::function<bool(const api::Pod&)> is_preempting;
};

HintAnswer default_preemption_after_pod_delete(const api::Pod& pod, const EventObjects& objects);

std::vector<HintRegistration> default_preemption_hints(Symbol profile, const DefaultPreemptionHintOptions& options);

// The PreEnqueue check.
bool default_preemption_admits(const api::Pod& pod, const DefaultPreemptionHintOptions& options);

}  // namespace berth::plugins
