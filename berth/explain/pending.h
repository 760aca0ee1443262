// All pending pods of a cluster by cause, the cause of most pods first: what `berth explain --pending` says.
//
// A pod is pending until it runs: without a node, or bound to one and still in the phase Pending. Pods that the
// scheduler cannot tell apart are explained once (pod_classes.h), and those of one workload that are pending for one
// cause share a row. Pure functions of their arguments, as explain() is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "berth/api/label_selector.h"
#include "berth/api/schema.h"
#include "berth/config/feature_gates.h"
#include "berth/config/load.h"
#include "berth/explain/cluster.h"
#include "berth/explain/explanation.h"

namespace berth::explain {

// Pods that are asked about.
struct PendingQuery {
  std::string name_space;  // empty: all
  api::LabelMatcher labels = api::LabelMatcher::everything();
};

// Pods of one workload, or one pod of none, that are pending for the same cause.
struct PendingRow {
  Symbol kind;       // of the workload: "Deployment"; "Pod" if there is none
  std::string name;  // "shop/web"
  std::int64_t count = 0;
  std::vector<std::string> pods;  // "shop/web-1", by name
  std::string sentence;           // "12 pods of Deployment shop/web: each fits on none of the 5 nodes: ..."
  std::vector<Help> help;         // for the first of them, most useful first
  std::string fix;                // the best of them; empty if there is none
  std::string command;            // that does it, for a shell; empty if there is none
  std::string no_help;            // why nothing would help; empty if something does, or if they need no help
};

struct PendingCause {
  std::string cause;  // "not enough free cpu"
  Symbol answer;      // explain's
  Symbol plugin;      // that rejects the pods on most nodes
  std::string reason;
  std::int64_t count = 0;        // of pods
  std::vector<PendingRow> rows;  // most pods first
};

struct PendingReport {
  std::string sentence;  // "14 pods are pending, for 3 causes."
  std::int64_t pods = 0;
  std::int64_t nodes = 0;
  std::vector<PendingCause> causes;  // most pods first
  std::vector<std::string> notes;
};

// How many times a class of pods may look at a node, for all classes together; 400 classes on 5,000 nodes take about as
// long as anybody waits. Classes of few pods come last, and beyond this get the scheduler's own words.
inline constexpr std::size_t kMaxLooks = 2'000'000;

// The cluster is as before when this returns. The error: a profile of the configuration that cannot be built.
Result<PendingReport> explain_pending(Cluster& cluster, const PendingQuery& query, const config::LoadedConfig& config,
                                      const config::FeatureGates& gates = {}, std::size_t max_looks = kMaxLooks);

}  // namespace berth::explain

namespace berth::api {
template <>
const Schema& schema_of<explain::PendingReport>();
}
