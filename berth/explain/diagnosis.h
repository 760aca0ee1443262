// Why no node, or not every node, can take a pod: nodes grouped by reason, in words, and the one sentence about all of
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/explain/cluster.h"
#include "berth/explain/evaluation.h"
#include "berth/explain/explanation.h"

namespace berth::explain {

// A node that cannot take the pod, with everything that keeps it from it. Nothing if others are promised its room, or
// if the pod may not go to a node of that name.
struct NodeFinding {
  cache::RowId row = cache::kNoRow;
  std::vector<FailingFilter> failing;
  std::size_t primary = 0;  // the one of them by which the node is grouped

  const FailingFilter& primary_filter() const { return failing[primary]; }
  bool fails_only(std::string_view plugin) const { return failing.size() == 1 && failing[0].plugin == plugin; }
};

struct Diagnosis {
  std::vector<NodeFinding> findings;  // by name
  std::vector<NodeGroup> groups;      // most nodes first, and of equals those that lack nothing else
  // What comes behind "default/web-1 ": "fits on none of the 6 nodes: 4 are short of cpu (nearest: n-7, lacks 300m
  // cpu), ...". The groups in their order; some are merged if there are many.
  std::string headline;
};
// Requires: !evaluation.error.
Diagnosis diagnose(const framework::Profile& profile, const Cluster& cluster, const Evaluation& evaluation);

}  // namespace berth::explain
