#include "berth/explain/evaluation.h"

#include <algorithm>

#include "berth/explain/stable_order.h"

namespace berth::explain {

Evaluation evaluate(const framework::Profile& profile, Cluster& cluster, const api::PodPtr& pod) {
  const framework::ClusterView view = cluster.view();
  Evaluation result{.pod = {pod, cluster.cache.compile(*pod)}, .pre_filter = {}, .filtered = {}, .error = {}};
  result.pre_filter = framework::run_pre_filter(profile, result.pod, view);
  if (!result.pre_filter.status.is_success()) {
    if (!result.pre_filter.status.is_rejected()) result.error = result.pre_filter.status.message();
    return result;
  }
  result.filtered = framework::run_filters(profile, result.pre_filter, result.pod, view, cluster.nominated);
  if (!result.filtered->errors.empty()) result.error = result.filtered->errors.front();
  return result;
}

bool FailingFilter::has(framework::ReasonCode code) const {
  return std::ranges::find(reasons, code, &framework::Reason::code) != reasons.end();
}

std::vector<std::string> FailingFilter::reason_texts() const {
  std::vector<std::string> texts;
  for (const framework::Reason& reason : reasons) texts.push_back(reason.text());
  return texts;
}

std::vector<FailingFilter> failing(const framework::Profile& profile, const Evaluation& evaluation,
                                   const cache::NodeState& node) {
  std::vector<FailingFilter> result;
  for (const std::uint8_t index : profile.filter_order()) {
    const framework::PodFilter* filter = evaluation.pre_filter.filters[index].get();
    if (filter == nullptr) continue;
    const framework::Verdict verdict = filter->check(node);
    if (verdict.is_success()) continue;
    const Symbol plugin = profile.filters()[index].name;
    result.push_back({index, plugin, verdict, framework::status_of(*filter, verdict, plugin).reasons()});
  }
  return result;
}

Ranking rank(const framework::Profile& profile, const Cluster& cluster, const Evaluation& evaluation) {
  const Bitset& feasible = evaluation.filtered->feasible;
  const framework::ClusterView view = cluster.view();
  const framework::ScoreResult scores = framework::run_scores(profile, evaluation.pod, view, feasible);
  Ranking ranking;
  if (!scores.status.is_success()) ranking.error = scores.status.message();
  ranking.plugins = scores.scorers;
  for (const cache::RowId row : cluster.rows_by_name()) {
    if (!feasible.test(row)) continue;
    RankedNode node{.row = row, .total = scores.total[row], .by_plugin = {}};
    for (std::size_t i = 0; i < scores.scorers.size(); ++i) {
      node.by_plugin.push_back(scores.normalized[i][row] * profile.scores()[scores.scorers[i]].weight);
    }
    ranking.nodes.push_back(std::move(node));
  }
  sort_stably(ranking.nodes, std::ranges::greater(), &RankedNode::total);
  return ranking;
}

std::optional<std::string> best_node(const framework::Profile& profile, Cluster& cluster, const api::PodPtr& pod) {
  const Evaluation evaluation = evaluate(profile, cluster, pod);
  if (!evaluation.fits()) return std::nullopt;
  return cluster.name_of(rank(profile, cluster, evaluation).nodes.front().row);
}

}  // namespace berth::explain
