// What the releases of kube-scheduler do differently in the queue: one strategy per release.
//
// There is one queue. Where releases differ, it calls a function of Rules or passes on a value of it, and never asks
// which release it follows. rules.cc has the functions, and a table per release that is written as what it changed from
// the one before. Rules are what a release meant to do; what it did by mistake is in quirks.h.
//
// The functions are plain function pointers: a rule has no state, and a call costs what an indirect call costs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/api/pod.h"
#include "berth/base/time.h"
#include "berth/queue/cluster_event.h"
#include "berth/queue/hints.h"
#include "berth/queue/nominator.h"
#include "berth/queue/object_diff.h"
#include "berth/queue/queued_pod.h"
#include "berth/queue/release.h"

namespace berth::queue {

struct BackoffPolicy;
class InFlight;
struct QueueOptions;

// What becomes of a pod after an event or a failed attempt, in kube-scheduler's terms.
enum class QueueingStrategy : std::uint8_t { kSkip, kAfterBackoff, kImmediately };

// Which pods activate() reaches.
enum class Activation : std::uint8_t { kUnsupported, kQueuedPods, kQueuedAndInFlightPods };

// Requires of all functions: what a pointer parameter refers to may be null only where the comment says so.
struct BackoffRules {
  // When the pod's backoff ends or ended; unset if it has none. Kept in the pod, as its rank in the heap.
  Instant (*ends_at)(const BackoffPolicy&, QueuedPod&);
  // Whether a pod whose backoff ends at `end` still backs off.
  bool (*is_backing_off)(const BackoffPolicy&, const QueuedPod&, Instant end, Instant now);
  // How long after the end of its backoff a pod can leave.
  Duration (*leaves_after_end)(const BackoffPolicy&);
  // The pod's attempt failed at `now`, which its timestamp and counts say already.
  void (*on_failure)(const BackoffPolicy&, QueuedPod&, Instant now);
  // The pod is gone, or has changed so that its past does not count.
  void (*forget)(const BackoffPolicy&, const api::Pod&);
  // The heap in which the pod waits: Place::kBackoff, or kErrorBackoff, which is never popped early.
  Place (*place)(const QueuedPod&);
};

struct EventRules {
  EventMatching matching;
  // Whether the event counts as a move at all. One that no plugin registered for may not.
  bool (*is_move)(const HintTable::Match&);
  // What an event about everything does to a pod.
  QueueingStrategy (*on_wildcard)(const QueuedPod&, const EventObjects&);
  // Whether the answer of a plugin's hint, which is not kSkip, lets the pod skip its backoff.
  bool (*skips_backoff)(const QueuedPod&, PluginId, HintAnswer);
  // Whether any answer could.
  bool (*may_skip_backoff)(const QueuedPod&);
  // Whether an event is for pods that this PreEnqueue plugin gates.
  bool (*reaches_gated)(PluginId gating_plugin, const HintTable::Match&);
  // Whether a newly assigned pod wakes a pod. The labels are those of the namespace of `assigned`; null counts as none.
  bool (*is_woken_by_assigned)(const api::Pod& waiting, bool rejected_by_spread, const api::Pod& assigned,
                               const api::Labels* namespace_labels);
};

struct NominationRules {
  // `known` is the pod as the API server has it now; null if it is gone.
  bool (*can_be_nominated)(const api::Pod* known);
  // What a nomination keeps of its pod besides the name. `queued`: where in the queue it is; null if it is not there.
  void (*keep_pod)(Nominator::Nomination&, const api::Pod&, const QueuedPod* queued);
  // Whether it keeps the pod as the queue has it, whatever version that is.
  bool follows_queued_pod;
  // When the nomination is read from the pod's status again: a failed pod comes back; activate() made one active; one
  // became active for the reason that `label` names.
  void (*on_return)(Nominator&, const QueuedPod&);
  void (*on_activate)(Nominator&, const QueuedPod&);
  void (*on_active)(Nominator&, const QueuedPod&, Symbol label);
};

struct Rules {
  // Switches off what the release does not have, and sets what is not up to the user there.
  void (*restrict_options)(QueueOptions&);

  BackoffRules backoff;
  EventRules events;
  NominationRules nominations;

  // --- Updates of pods ---
  bool updates_are_events;  // if SchedulerQueueingHints is on; else these three apply
  PodChange change;         // which changes of a pod count as one
  QueueingStrategy update_in_unschedulable;
  QueueingStrategy update_in_backoff;  // kSkip: the pod stays where it is

  // --- Attempts ---
  // When the first attempt's latency counts from; unset: when the pod first becomes active.
  Instant (*first_attempt_counts_from)(Instant arrival);
  // A pod failed with an error. `has_moved`: something happened in the cluster during the attempt.
  QueueingStrategy (*after_error)(bool has_moved);

  // --- PreEnqueue and activation ---
  // The PreEnqueue plugin that is asked before the others; kNoPlugin: none.
  PluginId (*first_pre_enqueue)(const QueuedPod&);
  // Under which label queue_incoming_pods_total counts a gated pod's arrival; empty: not at all.
  Symbol (*gated_label)(Symbol label);
  Activation activation;

  // --- Closing ---
  void (*on_close)(InFlight&);
  std::string_view closed_pop_error;  // what upstream's pop says on a closed and empty queue; pop() here returns null

  // --- Texts ---
  std::string_view pod_add_label;     // what metrics call the arrival of a new pod
  std::string_view pod_update_label;  // ... of a pod that an update brought; empty: not counted
  // What is said when a pod comes back that is in the queue already.
  std::string (*already_present)(Place, std::string_view pod_name);

  // --- The scheduler cache ---
  // After which an assumed pod expires whose binding was done and never confirmed; zero: never.
  Duration assumed_pod_ttl;
};

const Rules& rules_for(Release release);

}  // namespace berth::queue
