// A pod on its way through the queue: the object and what the queue remembers about its attempts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/api/pod.h"
#include "berth/base/intrusive_heap.h"
#include "berth/base/time.h"
#include "berth/queue/plugin_set.h"

namespace berth::queue {

// Where a pod is. Every pod that the queue holds is in exactly one place.
enum class Place : std::uint8_t {
  kNone,     // on its way between two places, or with the scheduler
  kActive,   // to be tried next
  kBackoff,  // rejected, worth another attempt once its backoff has ended; may be tried earlier when nothing else is
  kErrorBackoff,   // failed with an error: waits out its backoff
  kUnschedulable,  // waits until an event or the timeout wakes it; also pods that a PreEnqueue plugin gates
};

struct UnschedulableClass;

struct QueuedPod {
  api::PodPtr pod;

  Instant timestamp;                  // when it came, or when its last attempt failed: its seniority among equals
  Instant backoff_ends_at;            // unset until first asked for after a failure
  Instant initial_attempt_timestamp;  // when it first became active; unset before
  Instant waits_since;                // what the leftover timeout counts from, while unschedulable

  std::int32_t attempts = 0;             // how often it was popped
  std::int32_t unschedulable_count = 0;  // how often it was rejected
  std::int32_t consecutive_errors = 0;   // failures with an error since it was last rejected

  HeapPosition heap_position;

  // The plugins that rejected it last, and those of them that wait for something of their own (status Pending).
  PluginSet unschedulable_plugins;
  PluginSet pending_plugins;

  PluginId gating_plugin = kNoPlugin;  // the PreEnqueue plugin that gates it
  Place place = Place::kNone;
  bool was_flushed = false;  // the leftover timeout picked it since its last attempt

  // The hash of its name in the queue's table of names (0: not there), and links of UnschedulablePods. Theirs to
  // change.
  std::uint32_t name_hash = 0;
  UnschedulableClass* unschedulable_class = nullptr;
  QueuedPod* before_in_class = nullptr;
  QueuedPod* after_in_class = nullptr;

  bool is_gated() const { return gating_plugin != kNoPlugin; }
  PluginSet rejectors() const { return unschedulable_plugins | pending_plugins; }
  Symbol profile() const { return pod->spec->scheduler_name; }
  const std::string& uid() const { return pod->metadata.uid; }

  // What the failure handler does before it gives a pod back: forget the last attempt's rejectors.
  void clear_rejectors() {
    unschedulable_plugins = {};
    pending_plugins = {};
    gating_plugin = kNoPlugin;
  }
};

}  // namespace berth::queue
