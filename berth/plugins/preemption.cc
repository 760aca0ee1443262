#include "berth/plugins/preemption.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>

namespace berth::plugins {

using framework::FailedAttempt;
using framework::ReasonCode;
using framework::Status;

namespace {

// Later than every other if the pod has none yet.
std::int64_t start_of(const api::Pod& pod) {
  return pod.status.start_time.is_set() ? pod.status.start_time.unix_nanoseconds()
                                        : std::numeric_limits<std::int64_t>::max();
}

bool is_being_preempted(const api::Pod& pod) {
  if (!pod.metadata.deletion_timestamp.is_set()) return false;
  static const Symbol kDisruptionTarget("DisruptionTarget");
  const api::PodCondition* condition = api::find_condition(pod, kDisruptionTarget);
  return condition != nullptr && condition->status == "True" && condition->reason == "PreemptionByScheduler";
}

// The more important pod; of equals, which upstream takes in any order, the one whose name comes first.
bool comes_first(const cache::PlacedPod& a, const cache::PlacedPod& b) {
  if (is_more_important(*a.pod, *b.pod)) return true;
  if (is_more_important(*b.pod, *a.pod)) return false;
  return api::full_name(a.pod->metadata) < api::full_name(b.pod->metadata);
}

// By text: names of pods are not kept as symbols.
bool is_disrupted(const api::PodDisruptionBudget& budget, std::string_view pod_name) {
  return std::ranges::any_of(budget.status.disrupted_pods,
                             [pod_name](const auto& entry) { return entry.key == pod_name; });
}

// What evicting the victims costs; less is better.
struct Harm {
  std::int64_t pdb_violations;
  std::int64_t highest_priority;
  std::int64_t sum_of_priorities;
  std::size_t victims;
  std::int64_t earlier_start;  // the negated start of the longest-running victim of the highest priority

  auto operator<=>(const Harm&) const = default;
};

Harm harm_of(const PreemptionCandidate& candidate) {
  // Added to each priority so that none is negative: otherwise more victims would count as less harm.
  constexpr std::int64_t kOffset = std::int64_t{std::numeric_limits<std::int32_t>::max()} + 1;
  Harm harm = {.pdb_violations = candidate.pdb_violations,
               .highest_priority = api::priority_of(*candidate.victims.front()),
               .sum_of_priorities = 0,
               .victims = candidate.victims.size(),
               .earlier_start = std::numeric_limits<std::int64_t>::min()};
  for (const api::PodPtr& victim : candidate.victims) {
    harm.sum_of_priorities += api::priority_of(*victim) + kOffset;
    if (api::priority_of(*victim) != harm.highest_priority) continue;
    harm.earlier_start = std::max(harm.earlier_start, -start_of(*victim));
  }
  return harm;
}

}  // namespace

bool is_more_important(const api::Pod& a, const api::Pod& b) {
  const std::int32_t priority_a = api::priority_of(a), priority_b = api::priority_of(b);
  return priority_a != priority_b ? priority_a > priority_b : start_of(a) < start_of(b);
}

std::optional<ReasonCode> preemption_ineligibility(const FailedAttempt& attempt) {
  const api::Pod& pod = *attempt.pod();
  if (pod.spec->preemption_policy && *pod.spec->preemption_policy == "Never") {
    return ReasonCode::kNeverPreempts;
  }
  const Symbol nominated = pod.status.nominated_node_name;
  if (nominated.empty()) return std::nullopt;
  const cache::NodeTable& nodes = attempt.cluster().nodes;
  const cache::RowId row = nodes.row_of(nominated);
  if (row == cache::kNoRow || nodes.at(row).node == nullptr) return std::nullopt;
  if (attempt.code_of(row) == framework::Code::kUnschedulableAndUnresolvable) return std::nullopt;
  const bool awaits_a_victim = std::ranges::any_of(nodes.at(row).pods, [&](const cache::PlacedPod& placed) {
    return api::priority_of(*placed.pod) < api::priority_of(pod) && is_being_preempted(*placed.pod);
  });
  if (awaits_a_victim) return ReasonCode::kVictimTerminating;
  return std::nullopt;
}

std::vector<cache::RowId> preemption_rows(const FailedAttempt& attempt) {
  std::vector<cache::RowId> rows;
  for (const cache::RowId row : attempt.cluster().nodes.order()) {
    if (attempt.code_of(row) == framework::Code::kUnschedulable) rows.push_back(row);
  }
  return rows;
}

bool DisruptionBudgets::Budget::covers(const api::ObjectMeta& victim) const {
  return object->metadata.name_space == victim.name_space && selector.matches(*victim.labels) &&
         !is_disrupted(*object, victim.name);  // else the API server has counted this disruption already
}

DisruptionBudgets::DisruptionBudgets(const cache::ObjectMap<api::PodDisruptionBudget>& budgets,
                                     std::span<const api::PodPtr> uncounted) {
  budgets.for_each([&](const auto& budget) {
    auto selector = api::LabelMatcher::compile(budget->spec.selector);
    // Other than everywhere else, an empty selector matches nothing.
    if (!selector || selector->is_nothing() || selector->is_everything()) return;
    budgets_.push_back(
        {.object = budget.get(), .selector = std::move(*selector), .allowed = budget->status.disruptions_allowed});
    for (const api::PodPtr& victim : uncounted) {
      if (budgets_.back().covers(victim->metadata)) --budgets_.back().allowed;
    }
  });
}

std::vector<bool> DisruptionBudgets::violations(std::span<const cache::PlacedPod> victims) const {
  std::vector<std::int32_t> allowed;
  for (const Budget& budget : budgets_) allowed.push_back(budget.allowed);
  std::vector<bool> violates(victims.size());
  for (std::size_t v = 0; v < victims.size(); ++v) {
    const api::ObjectMeta& victim = victims[v].pod->metadata;
    if (victim.labels->empty()) continue;
    for (std::size_t b = 0; b < budgets_.size(); ++b) {
      if (budgets_[b].covers(victim) && --allowed[b] < 0) violates[v] = true;
    }
  }
  return violates;
}

std::expected<PreemptionCandidate, Status> dry_run_preemption(const FailedAttempt& attempt, cache::RowId row,
                                                              const DisruptionBudgets& budgets) {
  const api::Pod& pod = *attempt.pod();
  const cache::NodeState& node = attempt.cluster().nodes.at(row);
  std::vector<cache::PlacedPod> lower;
  for (const cache::PlacedPod& placed : node.pods) {
    if (api::priority_of(*placed.pod) < api::priority_of(pod)) lower.push_back(placed);
  }
  if (lower.empty()) {
    return std::unexpected(Status::unresolvable(ReasonCode::kNoPreemptionVictims));
  }

  framework::NodeTrial trial(attempt.profile(), attempt.pre_filter(), node);
  for (const cache::PlacedPod& placed : lower) trial.remove_pod(*placed.pod);
  if (const auto entry = trial.check(attempt.nominated(), pod); !entry.verdict.is_success()) {
    return std::unexpected(framework::status_of(attempt.profile(), attempt.pre_filter(), entry));
  }

  std::sort(lower.begin(), lower.end(), comes_first);
  const std::vector<bool> violates = budgets.violations(lower);
  std::vector<bool> is_victim(lower.size());
  for (const bool violating : {true, false}) {
    for (std::size_t i = 0; i < lower.size(); ++i) {
      if (violates[i] != violating) continue;
      trial.add_pod(lower[i]);
      if (trial.check(attempt.nominated(), pod).verdict.is_success()) continue;
      trial.remove_pod(*lower[i].pod);
      is_victim[i] = true;
    }
  }

  PreemptionCandidate candidate{.row = row, .victims = {}, .pdb_violations = 0};
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (!is_victim[i]) continue;
    candidate.victims.push_back(lower[i].pod);
    candidate.pdb_violations += violates[i] ? 1 : 0;
  }
  if (candidate.victims.empty()) {
    return std::unexpected(
        Status::error(fmt::format("expected at least one victim pod on node \"{}\"", node.name.text())));
  }
  return candidate;
}

PreemptionSearch find_preemption_candidates(const FailedAttempt& attempt, std::span<const cache::RowId> rows,
                                            const DisruptionBudgets& budgets, std::size_t enough) {
  PreemptionSearch search;
  std::vector<PreemptionCandidate> violating;
  for (const cache::RowId row : rows) {
    auto candidate = dry_run_preemption(attempt, row, budgets);
    if (!candidate) {
      search.rejected.emplace_back(row, std::move(candidate.error()));
      continue;
    }
    auto& list = candidate->pdb_violations == 0 ? search.candidates : violating;
    if (list.size() < enough) list.push_back(std::move(*candidate));
    if (!search.candidates.empty() && search.candidates.size() + violating.size() >= enough) break;
  }
  std::ranges::move(violating, std::back_inserter(search.candidates));
  return search;
}

std::vector<std::size_t> best_preemption_candidates(std::span<const PreemptionCandidate> candidates) {
  std::vector<std::size_t> best;
  std::optional<Harm> least;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Harm harm = harm_of(candidates[i]);
    if (!least || harm < *least) {
      least = harm;
      best.clear();
    }
    if (harm == *least) best.push_back(i);
  }
  return best;
}

namespace {

// `tried` are the nodes that `reasons` is about.
std::string no_preemption_message(std::size_t nodes, std::size_t tried,
                                  std::map<std::string, std::size_t, std::less<>> reasons) {
  if (tried < nodes) reasons["Preemption is not helpful for scheduling"] += nodes - tried;
  return framework::fit_error_message(nodes, reasons);
}

}  // namespace

std::string no_preemption_message(std::size_t nodes, const PreemptionSearch& search) {
  std::map<std::string, std::size_t, std::less<>> reasons;
  for (const auto& [row, status] : search.rejected) {
    for (const framework::Reason& reason : status.reasons()) ++reasons[reason.text()];
  }
  return no_preemption_message(nodes, search.rejected.size(), std::move(reasons));
}

std::string no_victims_message(std::size_t nodes, std::size_t potential) {
  std::map<std::string, std::size_t, std::less<>> reasons;
  if (potential > 0) reasons[framework::Reason(ReasonCode::kNoPreemptionVictims).text()] = potential;
  return no_preemption_message(nodes, potential, std::move(reasons));
}

}  // namespace berth::plugins
