// The pieces that a diagnosis is put together from, one file per topic: resources, other pods, volumes. Each puts what
// one plugin has against a group of nodes into words. Internal to this folder.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/explain/cluster.h"
#include "berth/explain/diagnosis.h"
#include "berth/explain/evaluation.h"
#include "berth/explain/facts.h"
#include "berth/explain/neighbourhood.h"

namespace berth::explain {

// How many pods, domains or label values a detail names.
inline constexpr std::size_t kMaxNamed = 3;

// What stands behind "1 node " or "4 nodes ", and behind that in parentheses.
struct Phrase {
  std::string one;
  std::string many;
  std::string detail;
};

inline Phrase verb(std::string_view one, std::string_view many, std::string rest, std::string detail = "") {
  return {fmt::format("{} {}", one, rest), fmt::format("{} {}", many, rest), std::move(detail)};
}
inline Phrase is(std::string rest, std::string detail = "") {
  return verb("is", "are", std::move(rest), std::move(detail));
}
inline Phrase has(std::string rest, std::string detail = "") {
  return verb("has", "have", std::move(rest), std::move(detail));
}
inline Phrase has_not(std::string rest, std::string detail = "") {
  return verb("does not have", "do not have", std::move(rest), std::move(detail));
}

// The nodes of one group. Each has the failing filter that the group is about, unless the nodes were not asked.
using Members = std::vector<const NodeFinding*>;

// --- Resources (diagnosis_resources.cc)

// What NodeResourcesFit has against each node, and which resources no node would have enough of if it were empty.
class ResourceDiagnosis {
 public:
  ResourceDiagnosis(const Cluster& cluster, const Evaluation& evaluation)
      : cluster_(cluster), evaluation_(evaluation) {}

  // Call with all findings before anything below.
  void find_impossible(const std::vector<NodeFinding>& findings);
  bool is_impossible() const { return !impossible_.empty(); }

  // Nodes with the same key are one group.
  std::string key_of(cache::RowId row, const FailingFilter& failing) const;
  Phrase phrase(const Members& members) const;
  // "short of cpu and memory"
  std::string brief(cache::RowId row, const FailingFilter& failing) const;
  // What else each node is short of that phrase() does not say: "short of memory".
  std::string also(const NodeFinding& finding) const;
  // All that is missing is taken by other pods.
  bool is_only_taken(cache::RowId row, const FailingFilter& failing) const;
  // "it asks for 64 cpu and the largest of the 5 nodes, n-3, has 32 in total"
  std::string impossible_text(const std::vector<NodeFinding>& findings) const;

 private:
  std::vector<Shortage> shortages_of(const NodeFinding& finding) const;
  std::vector<Shortage> too_small(cache::RowId row, const FailingFilter& failing) const;
  Phrase phrase_of_taken(const Members& members) const;
  Phrase phrase_of_too_small(const Members& members) const;

  const Cluster& cluster_;
  const Evaluation& evaluation_;
  std::set<Symbol, SymbolTextLess> impossible_;
};

// What the node lacks: "300m cpu and 140Mi memory".
std::string lacks_text(const std::vector<Shortage>& shortages);
// How far the node is from taking the pod: the largest part of a request that is missing.
double distance_of(const std::vector<Shortage>& shortages);

// --- Other pods (diagnosis_neighbours.cc)

// The pods with their nodes, or, if they are all of one workload, of which.
std::string neighbours_text(const std::vector<Neighbour>& neighbours);
Phrase ports_phrase(const Cluster& cluster, const Evaluation& evaluation, const Members& members);
Phrase spread_phrase(const SpreadState* state, bool lacks_label);
Phrase pod_affinity_phrase(const Cluster& cluster, const Evaluation& evaluation, const Neighbourhood& neighbourhood,
                           const Members& members);

// --- Volumes (diagnosis_volumes.cc)

bool is_volume_plugin(Symbol plugin);

// For nodes that a plugin about volumes rejects; nothing for other plugins.
std::optional<Phrase> volume_phrase(const Cluster& cluster, const Evaluation& evaluation, Symbol plugin,
                                    const Members& members);
// What stands behind "also ": "without its volume's zone"; empty for other plugins.
std::string brief_of_volumes(const Cluster& cluster, const Evaluation& evaluation, cache::RowId row,
                             const FailingFilter& failing);

// What comes behind "default/web-1 " if PreFilter rejects it, which is about the pod and not about nodes.
std::string rejection_headline(const Cluster& cluster, const Evaluation& evaluation);

}  // namespace berth::explain
