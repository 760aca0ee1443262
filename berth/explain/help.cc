#include "berth/explain/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "berth/explain/help_search.h"
#include "berth/plugins/names.h"
#include "berth/plugins/preemption.h"

namespace berth::explain {

namespace {

// From this priority on a pod is part of the system.
constexpr std::int32_t kSystemPriority = 2'000'000'000;

}  // namespace

std::optional<std::string> HelpSearch::best_node(std::span<const Step> steps) {
  return with_steps(cluster, evaluation.pod.pod, steps,
                    [&](const api::PodPtr& changed) { return explain::best_node(profile, cluster, changed); });
}

bool HelpSearch::fits_on(const std::string& node_name, std::span<const Step> steps) {
  return with_steps(cluster, evaluation.pod.pod, steps, [&](const api::PodPtr& changed) {
    const Evaluation now = evaluate(profile, cluster, changed);
    const cache::RowId row = cluster.cache.nodes().row_of(Symbol(node_name));
    return now.fits() && row != cache::kNoRow && now.filtered->feasible.test(row);
  });
}

void HelpSearch::say(std::span<const Step> steps, const std::string& node_name, std::string_view then) {
  std::vector<std::string> texts;
  for (const Step& step : steps) texts.push_back(step.text);
  Help& said = help.emplace_back();
  said.kind = Symbol(steps.size() == 1 ? steps.front().kind : "combination");
  said.sentence = fmt::format("{}: {}", listed(texts), then);
  said.node = node_name;
  write_down(said, cluster, pod(), steps);
}

const Neighbourhood& HelpSearch::neighbourhood() {
  if (!neighbourhood_) neighbourhood_.emplace(cluster, evaluation);
  return *neighbourhood_;
}

bool HelpSearch::may_be_moved(std::span<const api::PodPtr> pods) {
  std::vector<cache::PlacedPod> placed;
  for (const api::PodPtr& each : pods) {
    const api::OwnerReference* owner = api::controller_of(each->metadata);
    const bool comes_back = owner != nullptr && (owner->kind == "DaemonSet" || owner->kind == "Node");
    const bool is_of_system = each->metadata.name_space == "kube-system" ||
                              api::priority_of(*each) >= kSystemPriority ||
                              each->metadata.annotations->contains(Symbol("kubernetes.io/config.mirror"));
    if (comes_back || is_of_system) return false;
    placed.push_back({.pod = each, .compiled = cluster.cache.compile(*each)});
  }
  const plugins::DisruptionBudgets budgets(cluster.objects.pod_disruption_budgets);
  return std::ranges::none_of(budgets.violations(placed), std::identity());
}

namespace {

// No node would do for the pod if it were empty.
bool is_larger_than_nodes(const HelpSearch& search) {
  return std::ranges::all_of(search.diagnosis.findings, [&](const NodeFinding& finding) {
    return std::ranges::any_of(finding.failing, [&](const FailingFilter& failing) {
      return failing.plugin == plugins::name::kNodeResourcesFit &&
             std::ranges::any_of(shortages(search.evaluation, search.node(finding.row), failing),
                                 [](const Shortage& each) { return each.kind != Shortage::Kind::kTaken; });
    });
  });
}

void search_all(HelpSearch& search) {
  // A pod that asks for what only tainted nodes have belongs there; any other one rather not.
  const bool wants_special_nodes = !search.evaluation.pod.compiled->usage.requested.scalars.empty();
  correct_selector(search);
  const bool is_corrected = !search.help.empty();
  correct_affinity(search);
  if (wants_special_nodes) add_tolerations(search);
  uncordon(search);
  fit_volumes(search);
  lower_requests(search);
  free_port(search);
  move_neighbours(search);
  relax_spread(search);
  const std::size_t before_nodes = search.help.size();
  add_nodes(search);
  const bool has_pool = search.help.size() > before_nodes;
  if (!wants_special_nodes) add_tolerations(search);
  raise_priority(search);
  if (!is_corrected) label_node(search);
  drop_selector(search);
  start_neighbour(search);
  drop_affinity(search);
  const bool is_enough = std::ranges::any_of(
      search.help, [](const Help& help) { return help.kind != "nodes" && help.kind != "priority"; });
  const bool is_huge = !has_pool && is_larger_than_nodes(search);
  if (is_huge) describe_node(search);
  if (!is_enough) combine_steps(search);
  if (!has_pool && !is_huge && search.help.empty()) describe_node(search);
  if (search.help.empty()) make_room(search);
  if (search.help.empty()) tolerate_control_plane(search);
}

std::string why_none(const HelpSearch& search) {
  if (!search.evaluation.filtered) {
    return fmt::format(
        "Nothing was found that would help: no change of the nodes, and none of what the pod asks of them, matters as "
        "long as it {}.",
        search.diagnosis.headline);
  }
  // The node with the least against it.
  const NodeFinding* nearest = nullptr;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    if (finding.failing.empty()) continue;
    if (nearest == nullptr || finding.failing.size() < nearest->failing.size()) nearest = &finding;
  }
  if (nearest == nullptr) {
    return "Nothing was found that would help: the pod is bound to nodes that are not there, or that are kept for "
           "others.";
  }
  std::vector<std::string> reasons;
  for (const FailingFilter& each : nearest->failing) {
    reasons.push_back(fmt::format("{} ({})", each.plugin.text(), fmt::join(each.reason_texts(), ", ")));
  }
  return fmt::format(
      "Nothing was found that would help: {} is nearest, and no change of the pod or of the node, alone or with "
      "another one, ends what {} against it; nor does a new node.",
      search.cluster.name_of(nearest->row), listed(reasons) + (reasons.size() == 1 ? " has" : " have"));
}

}  // namespace

FoundHelp what_would_help(const framework::Profile& profile, Cluster& cluster, const Evaluation& evaluation,
                          const Diagnosis& diagnosis, const Preemption& preemption) {
  HelpSearch search(profile, cluster, evaluation, diagnosis, preemption);
  if (evaluation.filtered) {
    search_all(search);
  } else if (cluster.cache.nodes().node_count() == 0) {
    describe_node(search);
  } else {
    provide_claims(search);
  }
  if (search.help.size() > kMaxHelp) search.help.resize(kMaxHelp);
  FoundHelp found{.help = std::move(search.help), .none = {}};
  if (found.help.empty() && !preemption.helps) found.none = why_none(search);
  return found;
}

}  // namespace berth::explain
