#include "berth/scenario/quirk_names.h"

#include <algorithm>
#include <array>

#include "berth/scenario/reader.h"

namespace berth::scenario {

namespace {

struct QuirkRow {
  std::string_view name;
  bool& (*member)(engine::Quirks&);
};

#define BERTH_QUIRK(name, path)                             \
  QuirkRow {                                                \
    name, [](engine::Quirks& q) -> bool& { return q.path; } \
  }

constexpr auto kQuirks = std::to_array<QuirkRow>({
    BERTH_QUIRK("preemption-end-wakes-nobody", preemption_end_wakes_nobody),
    BERTH_QUIRK("preemptor-strips-all-nominations", preemptor_strips_all_nominations),
    BERTH_QUIRK("budgets-ignore-own-evictions", budgets_ignore_own_evictions),
    BERTH_QUIRK("leftover-flush-skips-gated", queue.leftover_flush_skips_gated),
    BERTH_QUIRK("delete-leaks-unschedulable-gauge", queue.delete_leaks_unschedulable_gauge),
    BERTH_QUIRK("update-goes-on-after-backoff", queue.update_goes_on_after_backoff),
    BERTH_QUIRK("cleared-nomination-stays", queue.cleared_nomination_stays),
    BERTH_QUIRK("gated-add-is-not-nominated", queue.gated_add_is_not_nominated),
    BERTH_QUIRK("leftover-flush-wakes-in-flight", queue.leftover_flush_wakes_in_flight),
    BERTH_QUIRK("in-flight-update-keeps-nomination", queue.in_flight_update_keeps_nomination),
    BERTH_QUIRK("add-over-queued-pod", queue.add_over_queued_pod),
    BERTH_QUIRK("nominated-in-flight-is-a-stub", queue.nominated_in_flight_is_a_stub),
    BERTH_QUIRK("works-when-closed", queue.works_when_closed),
    BERTH_QUIRK("update-requeues-pod-in-flight", queue.update_requeues_pod_in_flight),
    BERTH_QUIRK("in-flight-events-get-lost", queue.in_flight_events_get_lost),
    BERTH_QUIRK("gate-counts-every-rejection", queue.gate_counts_every_rejection),
    BERTH_QUIRK("gated-gauge-drifts", queue.gated_gauge_drifts),
    BERTH_QUIRK("delete-leaks-parked-gauge", queue.delete_leaks_parked_gauge),
    BERTH_QUIRK("gated-leftover-is-flushed-again", queue.gated_leftover_is_flushed_again),
    BERTH_QUIRK("replacement-keeps-nomination", queue.replacement_keeps_nomination),
    BERTH_QUIRK("delete-keeps-backoff-record", queue.delete_keeps_backoff_record),
    BERTH_QUIRK("negative-namespace-selector-selects-all", plugins.negative_namespace_selector_selects_all),
    BERTH_QUIRK("idle-affinity-overlooks-nominees", plugins.idle_affinity_overlooks_nominees),
    BERTH_QUIRK("victim-frees-claim-of-any-namespace", plugins.victim_frees_claim_of_any_namespace),
    BERTH_QUIRK("claim-mounted-twice-takes-two-volumes", plugins.claim_mounted_twice_takes_two_volumes),
    BERTH_QUIRK("fit-score-ignores-pod-level-requests", plugins.fit_score_ignores_pod_level_requests),
    BERTH_QUIRK("node-taints-wake-all", plugins.hints.node_taints_wake_all),
    BERTH_QUIRK("anti-affinity-needs-all-terms", plugins.hints.anti_affinity_needs_all_terms),
    BERTH_QUIRK("namespace-selectors-see-no-labels", plugins.hints.namespace_selectors_see_no_labels),
    BERTH_QUIRK("everything-is-not-everything", plugins.hints.everything_is_not_everything),
    BERTH_QUIRK("deleted-claims-wake-nobody", plugins.hints.deleted_claims_wake_nobody),
    BERTH_QUIRK("affinity-to-nobody-wakes-nobody", plugins.hints.affinity_to_nobody_wakes_nobody),
    BERTH_QUIRK("anti-affinity-of-others-is-ignored", plugins.hints.anti_affinity_of_others_is_ignored),
    BERTH_QUIRK("added-affinity-change-wakes-nobody", plugins.hints.added_affinity_change_wakes_nobody),
    BERTH_QUIRK("ignored-resources-count", plugins.hints.ignored_resources_count),
    BERTH_QUIRK("shared-disks-stay-in-namespace", plugins.hints.shared_disks_stay_in_namespace),
    BERTH_QUIRK("deleted-nodes-keep-claims", plugins.hints.deleted_nodes_keep_claims),
    BERTH_QUIRK("nodes-without-limits-wake-nobody", plugins.hints.nodes_without_limits_wake_nobody),
    BERTH_QUIRK("no-volume-limit-means-zero", plugins.hints.no_volume_limit_means_zero),
    BERTH_QUIRK("detached-volume-ignores-ephemeral", plugins.hints.detached_volume_ignores_ephemeral),
    BERTH_QUIRK("csi-driver-change-ignores-claims", plugins.hints.csi_driver_change_ignores_claims),
    BERTH_QUIRK("spread-ignores-node-affinity-changes", plugins.hints.spread_ignores_node_affinity_changes),
    BERTH_QUIRK("spread-ignores-terminating-pods", plugins.hints.spread_ignores_terminating_pods),
    BERTH_QUIRK("declared-features-watch-all-pods", plugins.hints.declared_features_watch_all_pods),
});

#undef BERTH_QUIRK

// All members are bools, so a quirk that is missing here shows.
static_assert(sizeof(engine::Quirks) == kQuirks.size() * sizeof(bool));

}  // namespace

std::span<const std::string_view> quirk_names() {
  static const auto names = [] {
    std::array<std::string_view, kQuirks.size()> result;
    std::ranges::transform(kQuirks, result.begin(), [](const QuirkRow& row) { return row.name; });
    return result;
  }();
  return names;
}

Result<void> set_quirk(engine::Quirks& quirks, std::string_view name) {
  const auto row = std::ranges::find_if(kQuirks, [&](const QuirkRow& each) { return each.name == name; });
  if (row == kQuirks.end()) {
    return fail(Error("there is no quirk \"" + std::string(name) + "\"").with_fix(did_you_mean(name, quirk_names())));
  }
  row->member(quirks) = true;
  return {};
}

Result<engine::Quirks> parse_quirks(std::string_view list, queue::Release release) {
  if (list == "upstream") return engine::Quirks::upstream(release);
  engine::Quirks quirks;
  if (list == "none" || list.empty()) return quirks;
  while (true) {
    const std::size_t comma = list.find(',');
    if (auto set = set_quirk(quirks, list.substr(0, comma)); !set) return fail(set.error());
    if (comma == std::string_view::npos) return quirks;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace berth::scenario
