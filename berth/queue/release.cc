#include "berth/queue/release.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "berth/queue/queued_pod.h"

namespace berth::queue {

namespace {

constexpr std::array<std::pair<Release, std::string_view>, 4> kReleaseNames = {{
    {Release::kV1_17, "v1.17"},
    {Release::kV1_20, "v1.20"},
    {Release::kV1_28, "v1.28"},
    {Release::kV1_36, "v1.36"},
}};

// Each release is written as what it changed from the one before.

constexpr Rules kV1_17 = {
    .backoff = BackoffRule::kRecordByName,
    .backs_off_through_its_end = false,
    .gated_pods_back_off = false,
    .may_pop_from_backoff = false,
    .errors_back_off_apart = false,

    .has_hints = false,
    .errors_always_back_off = false,
    .return_renominates = true,
    .leftover_limit = Duration::seconds(60),

    .update_ends_backoff = true,
    .update_of_unschedulable = UpdateOfUnschedulable::kActivates,
    .change = PodChange::kAllButStatus,
    .pod_events_renominate = false,

    .wakes = Wakes::kEverybody,
    .matching = EventMatching::kSharedAction,
    .ignores_unregistered_events = false,
    .wildcard_is_for_its_object = false,
    .hints_may_say_immediately = false,
    .gate_filters_events = false,
    .spread_pods_want_to_be_near = false,
    .broken_term_voids_affinity = false,

    .pre_enqueue = PreEnqueueOrder::kNobodyIsAsked,
    .counts_gated_arrivals = false,
    .has_activate = false,
    .activate_reaches_flights = false,
    .activate_renominates = false,

    .nomination_holds = NominationHolds::kThePodAsNominated,
    .nominates = Nominates::kAnyPod,

    .first_try_counts_from_arrival = true,
    .close_ends_flights = false,
    .pod_add_label = "PodAdd",
    .pod_update_label = "",
    .closed_pop_error = "scheduling queue is closed",
};

constexpr Rules kV1_20 = [] {
  Rules rules = kV1_17;
  rules.backoff = BackoffRule::kFromAttempts;
  rules.nominates = Nominates::kPodsThatExist;
  return rules;
}();

constexpr Rules kV1_28 = [] {
  Rules rules = kV1_20;
  rules.has_hints = true;
  rules.leftover_limit = Duration();  // an option, 5 minutes by default

  rules.update_ends_backoff = false;
  rules.update_of_unschedulable = UpdateOfUnschedulable::kRequeues;
  rules.change = PodChange::kForScheduling;

  rules.wakes = Wakes::kPodsOfItsListeners;
  rules.hints_may_say_immediately = true;
  rules.broken_term_voids_affinity = true;

  rules.pre_enqueue = PreEnqueueOrder::kAsConfigured;
  rules.has_activate = true;
  rules.activate_renominates = true;

  rules.nomination_holds = NominationHolds::kTheQueuedPod;
  rules.nominates = Nominates::kPodsThatExistWithoutANode;

  rules.first_try_counts_from_arrival = false;
  rules.closed_pop_error = "";
  return rules;
}();

constexpr Rules kV1_36 = [] {
  Rules rules = kV1_28;
  rules.backoff = BackoffRule::kFromFailureCounts;
  rules.backs_off_through_its_end = true;
  rules.gated_pods_back_off = true;
  rules.may_pop_from_backoff = true;
  rules.errors_back_off_apart = true;

  rules.errors_always_back_off = true;
  rules.return_renominates = false;  // the failure handler does

  rules.update_of_unschedulable = UpdateOfUnschedulable::kAsksTheHints;
  rules.pod_events_renominate = true;

  rules.matching = EventMatching::kWithinRegistered;
  rules.ignores_unregistered_events = true;
  rules.wildcard_is_for_its_object = true;
  rules.hints_may_say_immediately = false;
  rules.gate_filters_events = true;
  rules.spread_pods_want_to_be_near = true;

  rules.pre_enqueue = PreEnqueueOrder::kGateGoesFirst;
  rules.counts_gated_arrivals = true;
  rules.activate_reaches_flights = true;
  rules.activate_renominates = false;

  rules.nomination_holds = NominationHolds::kItsName;

  rules.close_ends_flights = true;
  rules.pod_add_label = "UnschedulablePodAdd";
  rules.pod_update_label = "UnschedulablePodUpdate";
  return rules;
}();

}  // namespace

std::string_view to_string(Release release) {
  for (const auto& [candidate, name] : kReleaseNames) {
    if (candidate == release) return name;
  }
  return "";
}

std::optional<Release> parse_release(std::string_view text) {
  for (const auto& [release, name] : kReleaseNames) {
    if (text == name || (text.starts_with(name) && text[name.size()] == '.')) return release;
  }
  return std::nullopt;
}

const Rules& rules_for(Release release) {
  switch (release) {
    case Release::kV1_17: return kV1_17;
    case Release::kV1_20: return kV1_20;
    case Release::kV1_28: return kV1_28;
    case Release::kV1_36: return kV1_36;
  }
  return kV1_36;
}

std::string already_present_text(Release release, Place place, std::string_view pod_name) {
  const bool is_active = place == Place::kActive, is_parked = place == Place::kUnschedulable;
  if (release == Release::kV1_17) {
    return fmt::format("pod is already present in {}", is_active   ? "the activeQ"
                                                       : is_parked ? "unschedulableQ"
                                                                   : "the backoffQ");
  }
  const std::string_view where = is_active   ? "the active queue"
                                 : is_parked ? "unschedulable queue"
                                             : "the backoff queue";
  // 1.20 has a colon after "pod", but not for the backoff queue.
  const std::string_view what = release != Release::kV1_20 ? "Pod" : is_active || is_parked ? "pod:" : "pod";
  return fmt::format("{} {} is already present in {}", what, pod_name, where);
}

}  // namespace berth::queue
