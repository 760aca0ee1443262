// Two or three changes at once, for pods that no single change helps: what is wrong with one node is put right piece by
// piece, on the nodes with the least against them.
#include <algorithm>
#include <tuple>

#include "berth/explain/diagnosis_parts.h"
#include "berth/explain/help_search.h"
#include "berth/explain/stable_order.h"
#include "berth/plugins/names.h"

namespace berth::explain {

namespace {

namespace name = plugins::name;

// More changes than this at once are not a suggestion any more but another pod.
constexpr std::size_t kMaxSteps = 3;
// How many nodes are tried.
constexpr std::size_t kMaxNodes = 2 * kMaxGuesses;

// What can be done about one reason; several if there is a choice.
std::vector<Step> steps_for(HelpSearch& search, cache::RowId row, const FailingFilter& failing) {
  std::vector<Step> steps;
  const auto add = [&](std::optional<Step> step) {
    if (step) steps.push_back(std::move(*step));
  };
  if (failing.plugin == name::kNodeUnschedulable) add(uncordon_step(search, row));
  if (failing.plugin == name::kTaintToleration) add(toleration_step(search, row));
  if (failing.plugin == name::kNodeResourcesFit) add(request_step(search, row, failing));
  if (failing.plugin == name::kNodePorts) add(port_step(search, row));
  if (failing.plugin == name::kPodTopologySpread) add(spread_step(search, row));
  if (failing.plugin == name::kInterPodAffinity) add(affinity_step(search, row));
  if (failing.plugin == name::kNodeAffinity) {
    add(label_step(search, row));
    if (steps.empty()) add(drop_demands_step(search, row));
  }
  return steps;
}

bool is_cordon(const HelpSearch& search, const NodeFinding& finding, const FailingFilter& failing) {
  if (failing.plugin != name::kTaintToleration || finding.failing[0].plugin != name::kNodeUnschedulable) return false;
  const auto taints = untolerated_taints(search.pod(), *search.node(finding.row).node);
  return std::ranges::all_of(taints,
                             [](const api::Taint& taint) { return taint.key == "node.kubernetes.io/unschedulable"; });
}

}  // namespace

void combine_steps(HelpSearch& search) {
  struct Guess {
    std::size_t steps;
    double distance;
    const NodeFinding* finding;
  };
  std::vector<Guess> guesses;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    Guess guess{0, 0, &finding};
    for (const FailingFilter& each : finding.failing) {
      if (is_cordon(search, finding, each)) continue;
      ++guess.steps;
      if (each.plugin != name::kNodeResourcesFit) continue;
      guess.distance = distance_of(shortages(search.evaluation, search.node(finding.row), each));
    }
    if (guess.steps >= 2 && guess.steps <= kMaxSteps) guesses.push_back(guess);
  }
  sort_stably(guesses, {}, [](const Guess& guess) { return std::tuple(guess.steps, guess.distance); });
  std::size_t tried = 0;
  for (const Guess& guess : guesses) {
    if (tried == kMaxNodes) return;
    std::vector<Step> steps;
    bool is_possible = true;
    for (const FailingFilter& each : guess.finding->failing) {
      if (is_cordon(search, *guess.finding, each)) continue;
      std::vector<Step> of_reason = steps_for(search, guess.finding->row, each);
      is_possible = !of_reason.empty();
      if (!is_possible) break;
      steps.push_back(std::move(of_reason.front()));
    }
    if (!is_possible) continue;
    ++tried;
    const std::string node_name = search.cluster.name_of(guess.finding->row);
    if (search.fits_on(node_name, steps)) return search.say(steps, node_name, "it fits on " + node_name);
  }
}

}  // namespace berth::explain
