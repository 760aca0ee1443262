// Queueing hints: what a plugin registers for, and what it answers when that happens.
//
// A plugin that can reject a pod registers (event, hint function) pairs per profile. When such an event happens, the
// queue asks the hint functions of the plugins that rejected an unschedulable pod whether another attempt is worth it.
//
// A hint's scope says what its answer depends on besides the event, which decides how often it has to be asked: pods of
// one class (same namespace, template and labels) share one answer where the hint looks at nothing else. The pod that
// an event is about is always asked by itself, so "was it my own update?" needs no wider scope.
#pragma once

#include <cstdint>
#include <functional>

#include "berth/api/object.h"
#include "berth/api/pod.h"
#include "berth/base/symbol.h"
#include "berth/queue/cluster_event.h"

namespace berth::queue {

// The object before and after. An addition has no old object, a deletion no new one, a wildcard mostly neither.
struct EventObjects {
  api::AnyObject old_object;
  api::AnyObject new_object;
};

enum class HintAnswer : std::uint8_t {
  kSkip,
  kQueue,
  kError,             // counts as kQueue: an attempt in vain is better than a pod that is forgotten
  kQueueImmediately,  // v1.28 only: ... and without backoff
};

using Hint = std::function<HintAnswer(const api::Pod& pod, const EventObjects& objects)>;

enum class HintScope : std::uint8_t {
  kClass,  // depends on the pod's namespace, labels, spec and claim statuses only (or on its being the event's pod)
  kPod,    // depends on more: asked for every pod
};

struct HintRegistration {
  Symbol profile;
  Symbol plugin;
  ClusterEvent event;
  Hint hint;  // empty: always kQueue
  HintScope scope = HintScope::kClass;
};

}  // namespace berth::queue
