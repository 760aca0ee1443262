// Preemption: whether evicting pods of lower priority would make room for a pod that no node can take, whose pods, and
// on which node it does the least harm. DefaultPreemption acts on the answer; explain shows it.
//
// Nothing here changes anything: each node is tried out on a copy. All lower-priority pods of the node are taken away;
// if the pod fits then, they are put back one by one, the most important first and those whose disruption budget is
// exhausted before all others, as long as the pod still fits. Those that cannot come back are the victims.
//
// A pod is the more important the higher its priority, and then the longer it runs. One that has no start time yet has
// just started: it counts as started after all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "berth/api/label_selector.h"
#include "berth/api/policy.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/pod_class.h"
#include "berth/framework/attempt.h"
#include "berth/framework/status.h"

namespace berth::plugins {

bool is_more_important(const api::Pod& a, const api::Pod& b);

// Why the pod may not preempt at all: "not eligible due to preemptionPolicy=Never."; nothing if it may.
std::optional<framework::ReasonCode> preemption_ineligibility(const framework::FailedAttempt& attempt);

// The nodes that a plugin called Unschedulable, where evicting pods may help, in the order of the node table.
std::vector<cache::RowId> preemption_rows(const framework::FailedAttempt& attempt);

// The PodDisruptionBudgets that can be violated at all, ready to match. Keeps references to the objects.
class DisruptionBudgets {
 public:
  // `uncounted` are pods that are being evicted already, and that the status of the budgets does not show yet.
  explicit DisruptionBudgets(const cache::ObjectMap<api::PodDisruptionBudget>& budgets,
                             std::span<const api::PodPtr> uncounted = {});

  // For each of `victims`, in this order, whether evicting it after those before it violates a budget.
  std::vector<bool> violations(std::span<const cache::PlacedPod> victims) const;

 private:
  struct Budget {
    const api::PodDisruptionBudget* object;
    api::LabelMatcher selector;
    std::int32_t allowed = 0;

    bool covers(const api::ObjectMeta& victim) const;
  };
  std::vector<Budget> budgets_;
};

// A node that can take the pod once the victims are gone.
struct PreemptionCandidate {
  cache::RowId row = cache::kNoRow;
  std::vector<api::PodPtr> victims;  // the most important first; at least one
  std::int64_t pdb_violations = 0;   // victims whose eviction a budget does not allow
};

// Tries one node. The status says why evicting does not help: what still rejects the pod when all lower-priority pods
// are gone, or that there are none.
std::expected<PreemptionCandidate, framework::Status> dry_run_preemption(const framework::FailedAttempt& attempt,
                                                                         cache::RowId row,
                                                                         const DisruptionBudgets& budgets);

struct PreemptionSearch {
  std::vector<PreemptionCandidate> candidates;  // those without violations first, else as tried
  std::vector<std::pair<cache::RowId, framework::Status>> rejected;
};
// Tries `rows` in their order, until there are `enough` candidates and one of them violates no budget.
PreemptionSearch find_preemption_candidates(const framework::FailedAttempt& attempt, std::span<const cache::RowId> rows,
                                            const DisruptionBudgets& budgets,
                                            std::size_t enough = std::numeric_limits<std::size_t>::max());

// The indices of the candidates that do the least harm, lowest first. Usually one; upstream takes any, Berth the first.
// What counts, in this order: few violations; a low highest priority; a low sum of priorities; few victims; a late
// start of the victim of highest priority that runs longest.
std::vector<std::size_t> best_preemption_candidates(std::span<const PreemptionCandidate> candidates);

// "0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming
// pod."
std::string no_preemption_message(std::size_t nodes, const PreemptionSearch& search);
// The same where no pod anywhere has a lower priority, so that nothing has to be tried on the `potential` nodes.
std::string no_victims_message(std::size_t nodes, std::size_t potential);

}  // namespace berth::plugins
