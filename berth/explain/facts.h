// The facts behind a filter's verdict: by how much a node is short, which label is not there, who holds a port, how
// many pods each zone has. Filters say yes or no and give a reason; what a person needs to know is worked out here, for
// the diagnosis and for what would help.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/label_selector.h"
#include "berth/explain/cluster.h"
#include "berth/explain/evaluation.h"
#include "berth/explain/words.h"

namespace berth::explain {

// --- Resources -----------------------------------------------------------------------------------------------------

struct Shortage {
  enum class Kind : std::uint8_t { kTaken, kTooSmall, kNone };  // of nodes: too full; too small when empty; without it
  Symbol resource;                                              // "pods" if no pod more is allowed
  std::int64_t needed = 0;
  std::int64_t allocatable = 0;
  std::int64_t free = 0;
  Kind kind = Kind::kTaken;

  std::int64_t missing() const { return needed - free; }
};
// What NodeResourcesFit found short on the node, cpu first.
std::vector<Shortage> shortages(const Evaluation& evaluation, const cache::NodeState& node,
                                const FailingFilter& resources_fit);

// --- Node selectors and affinity -----------------------------------------------------------------------------------

// One condition on the labels of nodes.
struct Demand {
  std::optional<std::size_t> expression;  // of the only term of the required affinity; unset: of nodeSelector
  Symbol key;
  Symbol op;
  std::vector<Symbol> values;
  api::LabelRequirement compiled;
  std::string text;  // "disktype=ssd"

  bool is_met_by(const api::Labels& labels) const { return compiled.matches(labels); }
};
// Those of nodeSelector, and of the required affinity if it has one term; there is no saying which of several terms is
// the one that was meant.
std::vector<Demand> node_demands(const api::PodTemplate& pod);

struct LabelValue {
  Symbol value;
  std::size_t nodes = 0;
};
// The values that the label has on the nodes, the most frequent first.
std::vector<LabelValue> label_values(const Cluster& cluster, Symbol key);
// Label keys that the nodes have, sorted.
std::vector<Symbol> label_keys(const Cluster& cluster);

// --- Taints --------------------------------------------------------------------------------------------------------

// Those that keep the pod off, in the node's order.
std::vector<api::Taint> untolerated_taints(const api::Pod& pod, const api::Node& node);
// For taints that say what state a node is in, and that nobody should tolerate for want of a place: "not ready",
// "being deleted by the cluster autoscaler". Empty for others.
std::string_view node_state_of(const api::Taint& taint);
// The same, and the startup taints of the NodePools in the dump.
std::string node_state_of(const Cluster& cluster, const api::Taint& taint);
// Why it is no good to bring pods onto the node, though it may be cordoned for no reason: "being deleted", "not ready".
// Empty if nothing is known.
std::string node_trouble(const api::Node& node);

// --- Other pods ----------------------------------------------------------------------------------------------------

struct Neighbour {
  api::PodPtr pod;
  std::string node;
};
// Pods on the node whose host ports conflict with the pod's, and the first such port of the pod.
struct PortConflict {
  std::vector<Neighbour> holders;
  std::int32_t port = 0;
};
PortConflict port_conflict(const Evaluation& evaluation, const cache::NodeState& node);

// --- Topology spread -----------------------------------------------------------------------------------------------

// One constraint of the pod with whenUnsatisfiable: DoNotSchedule, and how many of its pods each domain has.
struct SpreadState {
  std::size_t constraint = 0;  // index into spec.topologySpreadConstraints
  Symbol topology_key;
  std::int32_t max_skew = 0;
  std::int64_t min_domains = 1;                // with fewer domains than this, the least counts as 0
  std::map<std::string, std::int64_t> counts;  // by domain
  std::int64_t least = 0;                      // that the others are compared with
  bool counts_itself = false;

  // The skew if the pod went there; nothing if the node does not have the label.
  std::optional<std::int64_t> skew_on(const cache::NodeState& node) const;
};
std::vector<SpreadState> spread_states(const Cluster& cluster, const Evaluation& evaluation);

}  // namespace berth::explain
