// One look at whether and where a pod fits: the same steps as a scheduling attempt, with everything kept.
//
// An attempt stops at the first filter that rejects a node. For the person who wants to know what to change the others
// count as much, so failing() asks all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/explain/cluster.h"
#include "berth/framework/attempt.h"
#include "berth/framework/profile.h"

namespace berth::explain {

struct Evaluation {
  framework::PodToPlace pod;
  framework::PreFilterResult pre_filter;
  // Unset if PreFilter rejected the pod.
  std::optional<framework::FilterResult> filtered;
  // Of a plugin that failed; the attempt ends then.
  std::optional<std::string> error;

  bool fits() const { return !error && filtered && filtered->feasible.any(); }
};
Evaluation evaluate(const framework::Profile& profile, Cluster& cluster, const api::PodPtr& pod);

struct FailingFilter {
  std::uint8_t filter = 0;  // which of the profile's
  Symbol plugin;
  framework::Verdict verdict;
  std::vector<framework::Reason> reasons;

  bool has(framework::ReasonCode code) const;
  // In kube-scheduler's words.
  std::vector<std::string> reason_texts() const;
};
// What every filter says about one node as it is, without nominated pods; in the profile's order.
std::vector<FailingFilter> failing(const framework::Profile& profile, const Evaluation& evaluation,
                                   const cache::NodeState& node);

struct RankedNode {
  cache::RowId row = cache::kNoRow;
  std::int64_t total = 0;
  std::vector<std::int64_t> by_plugin;  // weighted, in the order of Ranking::plugins
};
struct Ranking {
  std::vector<std::size_t> plugins;  // indices into profile.scores()
  std::vector<RankedNode> nodes;     // best first, equal ones by name
  std::optional<std::string> error;
};
// Requires: evaluation.fits().
Ranking rank(const framework::Profile& profile, const Cluster& cluster, const Evaluation& evaluation);

// The best node, or nothing if the pod does not fit.
std::optional<std::string> best_node(const framework::Profile& profile, Cluster& cluster, const api::PodPtr& pod);

}  // namespace berth::explain
