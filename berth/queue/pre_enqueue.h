// PreEnqueue as the queue knows it: who decides whether a pod may enter the active queue at all. A pod that a check
// does not admit is gated, and is looked at again when something happens that the check's plugin registered for.
#pragma once

#include <functional>

#include "berth/api/pod.h"
#include "berth/base/symbol.h"

namespace berth::queue {

struct PreEnqueueCheck {
  Symbol profile;
  Symbol plugin;
  std::function<bool(const api::Pod&)> admits;
};

}  // namespace berth::queue
