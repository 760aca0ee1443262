#include "berth/explain/preemption_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/explain/words.h"
#include "berth/plugins/names.h"
#include "berth/plugins/preemption.h"

namespace berth::explain {

namespace {

// How many victims the sentence names.
constexpr std::size_t kMaxVictims = 4;

Preemption no(std::string sentence) {
  Preemption result;
  result.sentence = std::move(sentence);
  return result;
}

std::string why_not(const framework::FailedAttempt& attempt, const std::vector<cache::RowId>& rows,
                    const plugins::PreemptionSearch& search) {
  const std::int32_t priority = api::priority_of(*attempt.pod());
  if (rows.empty()) {
    return "Preemption cannot help: what is wrong on each node does not change when pods are evicted.";
  }
  const auto has_victims = [](const auto& rejected) {
    return rejected.second.reasons() != std::vector{framework::Reason(framework::ReasonCode::kNoPreemptionVictims)};
  };
  const auto with_victims = static_cast<std::size_t>(std::ranges::count_if(search.rejected, has_victims));
  const std::string where = rows.size() == 1 ? "the one node" : "the " + counted(rows.size(), "node");
  if (with_victims == 0) {
    return fmt::format(
        "Preemption cannot help: its priority is {}, and no pod on {} where eviction could help has a "
        "lower one.",
        priority, where);
  }
  return fmt::format(
      "Preemption cannot help: even without all pods of lower priority than {} it would not fit on {} "
      "where eviction could help.",
      priority, where);
}

}  // namespace

Preemption preemption_of(const framework::Profile& profile, const Cluster& cluster, const Evaluation& evaluation) {
  if (profile.plugin(plugins::name::kDefaultPreemption) == nullptr) {
    return no("Preemption is not configured in this profile.");
  }
  const framework::ClusterView view = cluster.view();
  const framework::FailedAttempt attempt(profile, evaluation.pod, view, cluster.nominated, evaluation.pre_filter,
                                         evaluation.filtered ? &*evaluation.filtered : nullptr);
  if (const auto reason = plugins::preemption_ineligibility(attempt)) {
    const Symbol nominated = evaluation.pod->status.nominated_node_name;
    if (*reason == framework::ReasonCode::kVictimTerminating) {
      return no(fmt::format("Preemption is under way: it waits for pods on {} to end.", nominated.text()));
    }
    return no("Preemption is out of the question: its preemptionPolicy is Never.");
  }
  const std::vector<cache::RowId> rows = plugins::preemption_rows(attempt);
  const plugins::DisruptionBudgets budgets(cluster.objects.pod_disruption_budgets);
  const plugins::PreemptionSearch search = plugins::find_preemption_candidates(attempt, rows, budgets);
  if (search.candidates.empty()) return no(why_not(attempt, rows, search));

  // Of equally good ones, the first by name.
  std::vector<std::size_t> best = plugins::best_preemption_candidates(search.candidates);
  const auto chosen = std::ranges::min_element(best, [&](std::size_t a, std::size_t b) {
    return natural_less(cluster.name_of(search.candidates[a].row), cluster.name_of(search.candidates[b].row));
  });
  const plugins::PreemptionCandidate& candidate = search.candidates[*chosen];
  Preemption result;
  result.helps = true;
  result.node = cluster.name_of(candidate.row);
  result.budget_violations = candidate.pdb_violations;
  std::vector<std::string> texts;
  for (const api::PodPtr& victim : candidate.victims) {
    result.victims.push_back(api::full_name(victim->metadata));
    texts.push_back(fmt::format("{} (priority {})", result.victims.back(), api::priority_of(*victim)));
  }
  result.sentence =
      fmt::format("Preemption would make room on {}: it evicts {}", result.node, listed(texts, kMaxVictims));
  if (candidate.pdb_violations > 0) {
    result.sentence += candidate.pdb_violations == std::ssize(candidate.victims)
                           ? std::string(", against a disruption budget")
                           : fmt::format(", {} of them against a disruption budget", candidate.pdb_violations);
  }
  result.sentence += ".";
  return result;
}

}  // namespace berth::explain
