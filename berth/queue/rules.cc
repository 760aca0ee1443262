#include "berth/queue/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "berth/queue/affinity_terms.h"
#include "berth/queue/backoff.h"
#include "berth/queue/in_flight.h"
#include "berth/queue/scheduling_queue.h"

namespace berth::queue {

namespace {

// --- Options -------------------------------------------------------------------------------------------------------

// Without profiles and registrations every event is for every pod.
void without_plugins(QueueOptions& options) {
  options.pop_from_backoff = false;
  options.queueing_hints = false;
  options.profiles.clear();
  options.hints.clear();
  options.pre_enqueue.clear();
  options.maximum_in_unschedulable = Duration::seconds(60);
}

void without_pop_from_backoff(QueueOptions& options) {
  options.pop_from_backoff = false;
}

void all_options(QueueOptions&) {}

// --- Backoff -------------------------------------------------------------------------------------------------------

Instant end_by_record(const BackoffPolicy& policy, QueuedPod& pod) {
  const BackoffRecords::Record* record = policy.records->find(*pod.pod);
  pod.backoff_ends_at = record != nullptr ? record->last_update + policy.after(record->failures) : Instant();
  return pod.backoff_ends_at;
}

Instant end_by_attempts(const BackoffPolicy& policy, QueuedPod& pod) {
  pod.backoff_ends_at = pod.timestamp + policy.after(std::max(pod.attempts, 1));
  return pod.backoff_ends_at;
}

// Rejections and consecutive errors are counted apart. Computed once per failure.
Instant end_by_failures(const BackoffPolicy& policy, QueuedPod& pod) {
  const std::int32_t failures = pod.consecutive_errors > 0 ? pod.consecutive_errors : pod.unschedulable_count;
  if (failures == 0) return {};
  if (!pod.backoff_ends_at.is_set()) pod.backoff_ends_at = policy.align(pod.timestamp + policy.after(failures));
  return pod.backoff_ends_at;
}

bool before_end_unless_gated(const BackoffPolicy&, const QueuedPod& pod, Instant end, Instant now) {
  return end > now && !pod.is_gated();
}

// A pod whose backoff ends in this very instant, or window, still backs off.
bool through_end(const BackoffPolicy& policy, const QueuedPod&, Instant end, Instant now) {
  return end >= policy.align(now);
}

Duration at_end(const BackoffPolicy&) {
  return {};
}

Duration after_window(const BackoffPolicy& policy) {
  return policy.windows ? Duration::seconds(1) : Duration::nanoseconds(1);
}

void record_failure(const BackoffPolicy& policy, QueuedPod& pod, Instant now) {
  policy.records->drop_older_than(now - (policy.maximum + policy.maximum));
  const Instant end = policy.ends_at(pod);
  if (!end.is_set() || end < now) policy.records->add_failure(*pod.pod, now);
}

void record_nothing(const BackoffPolicy&, QueuedPod&, Instant) {}

void drop_record(const BackoffPolicy& policy, const api::Pod& pod) {
  policy.records->drop(pod);
}

void drop_nothing(const BackoffPolicy&, const api::Pod&) {}

Place one_heap(const QueuedPod&) {
  return Place::kBackoff;
}

Place errors_apart(const QueuedPod& pod) {
  return pod.rejectors().empty() ? Place::kErrorBackoff : Place::kBackoff;
}

// --- Events --------------------------------------------------------------------------------------------------------

bool every_event(const HintTable::Match&) {
  return true;
}

bool registered_event(const HintTable::Match& match) {
  return match.is_of_interest;
}

QueueingStrategy wakes_every_pod(const QueuedPod&, const EventObjects&) {
  return QueueingStrategy::kAfterBackoff;
}

QueueingStrategy wakes_its_object(const QueuedPod& pod, const EventObjects& objects) {
  if (!objects.new_object) return QueueingStrategy::kAfterBackoff;
  const auto about = objects.new_object.as<api::Pod>();
  const bool is_own = about != nullptr && about->metadata.uid == pod.uid();
  return is_own ? QueueingStrategy::kAfterBackoff : QueueingStrategy::kSkip;
}

bool if_pending(const QueuedPod& pod, PluginId plugin, HintAnswer) {
  return pod.pending_plugins.contains(plugin);
}

bool if_pending_or_immediately(const QueuedPod& pod, PluginId plugin, HintAnswer answer) {
  return pod.pending_plugins.contains(plugin) || answer == HintAnswer::kQueueImmediately;
}

bool has_pending_plugins(const QueuedPod& pod) {
  return !pod.pending_plugins.empty();
}

bool every_pod(const QueuedPod&) {
  return true;
}

bool every_gated_pod(PluginId, const HintTable::Match&) {
  return true;
}

bool gate_registered(PluginId gating_plugin, const HintTable::Match& match) {
  return match.plugins_of_any_profile.contains(gating_plugin);
}

// An affinity term that cannot be parsed is left out in v1.17 and v1.20, and later voids all terms of the pod.
bool by_parsed_terms(const api::Pod& waiting, bool, const api::Pod& assigned, const api::Labels* namespace_labels) {
  return has_required_affinity_to(waiting, assigned, namespace_labels, false);
}

bool by_all_terms(const api::Pod& waiting, bool, const api::Pod& assigned, const api::Labels* namespace_labels) {
  return has_required_affinity_to(waiting, assigned, namespace_labels, true);
}

bool by_all_terms_or_spread(const api::Pod& waiting, bool rejected_by_spread, const api::Pod& assigned,
                            const api::Labels* namespace_labels) {
  return (rejected_by_spread && waiting.metadata.name_space == assigned.metadata.name_space) ||
         has_required_affinity_to(waiting, assigned, namespace_labels, true);
}

// --- Nominations ---------------------------------------------------------------------------------------------------

bool any_pod(const api::Pod*) {
  return true;
}

bool existing_pod(const api::Pod* known) {
  return known != nullptr;
}

bool existing_pod_without_node(const api::Pod* known) {
  return known != nullptr && known->spec.node_name.empty();
}

void keep_name_only(Nominator::Nomination&, const api::Pod&, const QueuedPod*) {}

void keep_pod_as_nominated(Nominator::Nomination& nomination, const api::Pod& pod, const QueuedPod* queued) {
  nomination.pod = queued != nullptr ? queued->pod : std::make_shared<const api::Pod>(pod);
}

void keep_queued_pod(Nominator::Nomination& nomination, const api::Pod& pod, const QueuedPod* queued) {
  keep_pod_as_nominated(nomination, pod, queued);
  nomination.queued = queued;
}

void nominate_by_status(Nominator& nominator, const QueuedPod& pod) {
  nominator.add(*pod.pod, {}, &pod);
}

void keep_nomination(Nominator&, const QueuedPod&) {}

void keep_nomination_whatever_the_label(Nominator&, const QueuedPod&, Symbol) {}

void nominate_after_pod_event(Nominator& nominator, const QueuedPod& pod, Symbol label) {
  static const Symbol added("UnschedulablePodAdd"), updated("UnschedulablePodUpdate");
  if (label == added || label == updated) nominate_by_status(nominator, pod);
}

// --- Attempts, PreEnqueue, closing ---------------------------------------------------------------------------------

Instant from_arrival(Instant arrival) {
  return arrival;
}

Instant from_first_time_active(Instant) {
  return {};
}

QueueingStrategy wait_for_move(bool has_moved) {
  return has_moved ? QueueingStrategy::kAfterBackoff : QueueingStrategy::kSkip;
}

QueueingStrategy always_back_off(bool) {
  return QueueingStrategy::kAfterBackoff;
}

PluginId in_configured_order(const QueuedPod&) {
  return kNoPlugin;
}

PluginId gating_plugin_first(const QueuedPod& pod) {
  return pod.gating_plugin;
}

Symbol not_counted(Symbol) {
  return {};
}

Symbol counted_as(Symbol label) {
  return label;
}

void keep_in_flight(InFlight&) {}

void end_in_flight(InFlight& in_flight) {
  in_flight.clear();
}

// --- Texts ---------------------------------------------------------------------------------------------------------

std::string_view queue_name(Place place) {
  switch (place) {
    case Place::kActive: return "the active queue";
    case Place::kUnschedulable: return "unschedulable queue";
    case Place::kBackoff:
    case Place::kErrorBackoff:
    case Place::kNone: return "the backoff queue";
  }
  return "";
}

std::string already_present_v1_17(Place place, std::string_view) {
  return fmt::format("pod is already present in {}", place == Place::kActive          ? "the activeQ"
                                                     : place == Place::kUnschedulable ? "unschedulableQ"
                                                                                      : "the backoffQ");
}

// There is a colon after "pod", but not for the backoff queue.
std::string already_present_v1_20(Place place, std::string_view pod_name) {
  const bool has_colon = place == Place::kActive || place == Place::kUnschedulable;
  return fmt::format("pod{} {} is already present in {}", has_colon ? ":" : "", pod_name, queue_name(place));
}

std::string already_present_v1_28(Place place, std::string_view pod_name) {
  return fmt::format("Pod {} is already present in {}", pod_name, queue_name(place));
}

// --- The releases: each is written as what it changed from the one before ------------------------------------------

constexpr Rules kV1_17 = {
    .restrict_options = without_plugins,
    .backoff = {.ends_at = end_by_record,
                .is_backing_off = before_end_unless_gated,
                .leaves_after_end = at_end,
                .on_failure = record_failure,
                .forget = drop_record,
                .place = one_heap},
    .events = {.matching = EventMatching::kSharedAction,
               .is_move = every_event,
               .on_wildcard = wakes_every_pod,
               .skips_backoff = if_pending,
               .may_skip_backoff = has_pending_plugins,
               .reaches_gated = every_gated_pod,
               .is_woken_by_assigned = by_parsed_terms},
    .nominations = {.can_be_nominated = any_pod,
                    .keep_pod = keep_pod_as_nominated,
                    .follows_queued_pod = false,
                    .on_return = nominate_by_status,
                    .on_activate = keep_nomination,
                    .on_active = keep_nomination_whatever_the_label},
    .updates_are_events = false,
    .change = PodChange::kAllButStatus,
    .update_in_unschedulable = QueueingStrategy::kImmediately,
    .update_in_backoff = QueueingStrategy::kImmediately,
    .first_attempt_counts_from = from_arrival,
    .after_error = wait_for_move,
    .first_pre_enqueue = in_configured_order,
    .gated_label = not_counted,
    .activation = Activation::kUnsupported,
    .on_close = keep_in_flight,
    .closed_pop_error = "scheduling queue is closed",
    .pod_add_label = "PodAdd",
    .pod_update_label = "",
    .already_present = already_present_v1_17,
    .assumed_pod_ttl = Duration::seconds(30),
};

constexpr Rules kV1_20 = [] {
  Rules rules = kV1_17;
  rules.backoff.ends_at = end_by_attempts;
  rules.backoff.on_failure = record_nothing;
  rules.backoff.forget = drop_nothing;
  rules.nominations.can_be_nominated = existing_pod;
  rules.already_present = already_present_v1_20;
  return rules;
}();

constexpr Rules kV1_28 = [] {
  Rules rules = kV1_20;
  rules.restrict_options = without_pop_from_backoff;

  rules.events.skips_backoff = if_pending_or_immediately;
  rules.events.may_skip_backoff = every_pod;
  rules.events.is_woken_by_assigned = by_all_terms;

  rules.nominations.can_be_nominated = existing_pod_without_node;
  rules.nominations.keep_pod = keep_queued_pod;
  rules.nominations.follows_queued_pod = true;
  rules.nominations.on_activate = nominate_by_status;

  rules.change = PodChange::kForScheduling;
  rules.update_in_unschedulable = QueueingStrategy::kAfterBackoff;
  rules.update_in_backoff = QueueingStrategy::kSkip;

  rules.first_attempt_counts_from = from_first_time_active;
  rules.activation = Activation::kQueuedPods;
  rules.closed_pop_error = "";
  rules.already_present = already_present_v1_28;
  rules.assumed_pod_ttl = Duration();
  return rules;
}();

constexpr Rules kV1_36 = [] {
  Rules rules = kV1_28;
  rules.restrict_options = all_options;

  rules.backoff.ends_at = end_by_failures;
  rules.backoff.is_backing_off = through_end;
  rules.backoff.leaves_after_end = after_window;
  rules.backoff.place = errors_apart;

  rules.events.matching = EventMatching::kWithinRegistered;
  rules.events.is_move = registered_event;
  rules.events.on_wildcard = wakes_its_object;
  rules.events.skips_backoff = if_pending;
  rules.events.may_skip_backoff = has_pending_plugins;
  rules.events.reaches_gated = gate_registered;
  rules.events.is_woken_by_assigned = by_all_terms_or_spread;

  rules.nominations.keep_pod = keep_name_only;
  rules.nominations.follows_queued_pod = false;
  rules.nominations.on_return = keep_nomination;  // the failure handler nominates
  rules.nominations.on_activate = keep_nomination;
  rules.nominations.on_active = nominate_after_pod_event;

  rules.updates_are_events = true;
  rules.after_error = always_back_off;
  rules.first_pre_enqueue = gating_plugin_first;
  rules.gated_label = counted_as;
  rules.activation = Activation::kQueuedAndInFlightPods;
  rules.on_close = end_in_flight;
  rules.pod_add_label = "UnschedulablePodAdd";
  rules.pod_update_label = "UnschedulablePodUpdate";
  return rules;
}();

}  // namespace

const Rules& rules_for(Release release) {
  switch (release) {
    case Release::kV1_17: return kV1_17;
    case Release::kV1_20: return kV1_20;
    case Release::kV1_28: return kV1_28;
    case Release::kV1_36: return kV1_36;
  }
  return kV1_36;
}

}  // namespace berth::queue
