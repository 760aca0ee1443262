// Which kube-scheduler release's rules the queue follows, and what those rules are.
//
// There is one queue. What the releases do differently is written down here as named choices, one value of Rules per
// release; rules_for() reads as a table. The queue asks a rule where it decides, and never which release it is. Rules
// are what a release meant to do; what it did by mistake is in quirks.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/time.h"

namespace berth::queue {

enum class Release : std::uint8_t { kV1_17, kV1_20, kV1_28, kV1_36 };

// "v1.17", as the option `compatibility` spells it.
std::string_view to_string(Release release);
// Accepts a patch release too: "v1.17.17". Nothing if the queue has no rules for it.
std::optional<Release> parse_release(std::string_view text);

// What a pod's backoff is computed from.
enum class BackoffRule : std::uint8_t {
  kRecordByName,       // a record of failures kept apart from the pod, by its name, dropped after twice the maximum
  kFromAttempts,       // how often the pod was popped
  kFromFailureCounts,  // rejections and consecutive errors, counted apart
};

// Whom an event wakes.
enum class Wakes : std::uint8_t {
  kEverybody,           // every unschedulable pod
  kPodsOfItsListeners,  // pods that were rejected by a plugin which registered for the event
};

// Which registrations an event matches.
enum class EventMatching : std::uint8_t {
  kSharedAction,      // same resource, and an action in common
  kWithinRegistered,  // ... and no action beyond those registered, numerically
};

enum class PreEnqueueOrder : std::uint8_t {
  kNobodyIsAsked,
  kAsConfigured,   // in the order of the configuration, until one rejects
  kGateGoesFirst,  // first the plugin that holds the pod back already
};

// What an update of an unschedulable pod does.
enum class UpdateOfUnschedulable : std::uint8_t {
  kActivates,     // a change makes it active
  kRequeues,      // a change makes it active, or sends it to backoff if that is due
  kAsksTheHints,  // it is an event like others (kRequeues if hints are switched off)
};

// Which changes of a pod count as one.
enum class PodChange : std::uint8_t {
  kAllButStatus,   // finalizers too (and managed fields, which Berth does not keep)
  kForScheduling,  // not finalizers, but the status of resource claims
};

// What a nomination knows about its pod.
enum class NominationHolds : std::uint8_t {
  kThePodAsNominated,
  kTheQueuedPod,  // whatever version of it the queue has
  kItsName,       // the pod is looked up when somebody asks
};

// When a pod can be nominated.
enum class Nominates : std::uint8_t { kAnyPod, kPodsThatExist, kPodsThatExistWithoutANode };

struct Rules {
  // --- Backoff ---
  BackoffRule backoff;
  bool backs_off_through_its_end;  // a pod whose backoff ends in this very instant (or window) still backs off
  bool gated_pods_back_off;
  bool may_pop_from_backoff;   // SchedulerPopFromBackoffQ exists
  bool errors_back_off_apart;  // in a heap that is never popped early

  // --- After a failed try ---
  bool has_hints;               // SchedulerQueueingHints exists; else moves are compared by scheduling cycle
  bool errors_always_back_off;  // else they wait for an event like rejected pods
  bool return_renominates;      // coming back reads the nomination from the pod's status again
  Duration leftover_limit;      // how long a pod may stay unschedulable, where that is a constant; else 0

  // --- Updates ---
  bool update_ends_backoff;  // any update of a pod in backoff makes it active
  UpdateOfUnschedulable update_of_unschedulable;
  PodChange change;
  bool pod_events_renominate;  // arriving as "UnschedulablePodAdd" or "...Update" reads the nomination again

  // --- Events ---
  Wakes wakes;
  EventMatching matching;
  bool ignores_unregistered_events;  // an event that nobody registered for does not count as a move
  bool wildcard_is_for_its_object;   // a wildcard that comes with a pod wakes that pod alone
  bool hints_may_say_immediately;    // a hint can skip backoff; else only plugins with status Pending do
  bool gate_filters_events;          // a gated pod hears only what its gate registered for
  bool spread_pods_want_to_be_near;  // assigned pods also wake pods that PodTopologySpread rejected
  bool broken_term_voids_affinity;   // one that cannot be parsed voids all of a pod's terms, not only itself

  // --- PreEnqueue and activation ---
  PreEnqueueOrder pre_enqueue;
  bool counts_gated_arrivals;  // queue_incoming_pods_total counts a gated pod's arrival as unschedulable
  bool has_activate;
  bool activate_reaches_flights;  // activating a pod in flight makes it retry, and counts as a move
  bool activate_renominates;

  // --- Nominations ---
  NominationHolds nomination_holds;
  Nominates nominates;

  // --- Odds and ends ---
  bool first_try_counts_from_arrival;  // else from when the pod first became active
  bool close_ends_flights;
  std::string_view pod_add_label;     // what metrics call the arrival of a new pod
  std::string_view pod_update_label;  // ... of a pod that an update brought; empty: not counted
  std::string_view closed_pop_error;  // what upstream's pop says on a closed and empty queue; pop() here returns null
};

const Rules& rules_for(Release release);

enum class Place : std::uint8_t;

// What a release says when a pod comes back that is in the queue already.
std::string already_present_text(Release release, Place place, std::string_view pod_name);

}  // namespace berth::queue
