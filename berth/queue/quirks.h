// Upstream's bugs, by name. Off by default: Berth does the right thing. Conformance turns them on to be compared with
// kube-scheduler transition by transition. Each names the entry in docs/conformance.md and the upstream issue or fix.
#pragma once

#include "berth/queue/release.h"

namespace berth::queue {

struct Quirks {
  // --- v1.36 (some of them older) ---

  // Q-02 (PR 139330): the leftover timeout marks gated pods as flushed although it leaves them where they are.
  // Q-03 (PRs 139162, 139331): ... and never looks at them again, so a gate that opened unseen stays shut.
  bool leftover_flush_skips_gated = false;

  // Q-04 (issue 138444): deleting a pod from the active or backoff queue leaves its rejectors in unschedulable_pods.
  bool delete_leaks_unschedulable_gauge = false;

  // Q-06 (not reported): with SchedulerPopFromBackoffQ off, an update with several events goes on after one of them has
  // moved the pod to backoff.
  bool update_goes_on_after_backoff = false;

  // Q-07 (commit 251a9c72757): a cleared nomination stays as one to the node "".
  bool cleared_nomination_stays = false;

  // Q-08 (commit 613ef88f2bc): a pod that is gated when it is added is not nominated.
  bool gated_add_is_not_nominated = false;

  // Q-09 (not reported): the leftover timeout of one pod sends every rejected pod in flight to backoff.
  bool leftover_flush_wakes_in_flight = false;

  // Q-10 (not reported): an update of a pod in flight does not reach its nomination.
  bool in_flight_update_keeps_nomination = false;

  // Q-19, Q-24 (restructured in 1.37): adding a pod whose name is queued replaces the entry, or, if the new one is
  // gated, may drop it silently; and the gauges of gated and unschedulable pods go wrong. Without the quirk adding a
  // pod twice is an error, and a successor of the same name replaces its predecessor cleanly.
  bool add_over_queued_pod = false;

  // A nominated pod in flight looks like a pod without priority and requests (spec/queue.md 6.13).
  bool nominated_in_flight_is_a_stub = false;

  // Calls that make no sense are carried out as far as possible instead of being refused: operations on a closed queue.
  bool works_when_closed = false;

  // Issue 118226: without hints (and in 1.28 also with them) an update of a pod that is being tried queues it a second
  // time, as if new. Without the quirk such a pod goes to backoff if its attempt fails.
  bool update_requeues_pod_in_flight = false;

  // --- v1.28 ---

  // PR 120413: a popped pod remembers the last event before it; if that one is dropped meanwhile, the events after it
  // are not found. Events are counted by reference, and counts go wrong too.
  bool in_flight_events_get_lost = false;

  // Issue 132333: unschedulable_pods counts a PreEnqueue plugin again each time it rejects a pod.
  bool gate_counts_every_rejection = false;

  // A pod that becomes gated, or stops being so, while it is unschedulable stays in the gauge where it was.
  bool gated_gauge_drifts = false;

  // Deleting an unschedulable pod leaves its rejectors in unschedulable_pods.
  bool delete_leaks_parked_gauge = false;

  // A pod that is still gated at the leftover timeout is tried again at every flush from then on.
  bool gated_leftover_is_flushed_again = false;

  // A nomination shares the queued pod; if an update replaces that by a pod with another UID, the nomination of the old
  // one is not found any more and stays.
  bool replacement_keeps_nomination = false;

  // --- v1.17 ---

  // Deleting an active pod leaves its backoff record behind for the next pod of that name.
  bool delete_keeps_backoff_record = false;

  static constexpr Quirks none() { return {}; }
  // Everything that the release is known to do wrong.
  static constexpr Quirks upstream(Release release = Release::kV1_36) {
    Quirks quirks;
    quirks.add_over_queued_pod = true;
    quirks.works_when_closed = true;
    quirks.update_requeues_pod_in_flight = true;
    if (release == Release::kV1_17) quirks.delete_keeps_backoff_record = true;
    if (release == Release::kV1_28 || release == Release::kV1_36) {
      quirks.delete_leaks_unschedulable_gauge = true;
      quirks.cleared_nomination_stays = true;
      quirks.gated_add_is_not_nominated = true;
      quirks.leftover_flush_wakes_in_flight = true;
    }
    if (release == Release::kV1_28) {
      quirks.in_flight_events_get_lost = true;
      quirks.gate_counts_every_rejection = true;
      quirks.gated_gauge_drifts = true;
      quirks.delete_leaks_parked_gauge = true;
      quirks.gated_leftover_is_flushed_again = true;
      quirks.replacement_keeps_nomination = true;
    }
    if (release == Release::kV1_36) {
      quirks.leftover_flush_skips_gated = true;
      quirks.update_goes_on_after_backoff = true;
      quirks.in_flight_update_keeps_nomination = true;
      quirks.nominated_in_flight_is_a_stub = true;
    }
    return quirks;
  }
};

}  // namespace berth::queue
