// One attempt to find a node for a pod, step by step: PreFilter, Filter with nominated pods, Score. These are the
// definitions, one pod at a time and nothing remembered; EquivalenceCache gives the same answers faster for the next
// pod of a class, and a test holds it to that.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/bitset.h"
#include "berth/base/function_ref.h"
#include "berth/cache/node_state.h"
#include "berth/framework/pod_filter.h"
#include "berth/framework/pod_to_place.h"
#include "berth/framework/profile.h"
#include "berth/framework/status.h"

namespace berth::framework {

// Whoever keeps nominations: in a scheduler, the queue's nominator.
class NominationSource {
 public:
  virtual ~NominationSource() = default;
  // Changes with every change.
  virtual std::uint64_t version() const = 0;
  // The nodes that some pod is nominated to, in no order.
  virtual void for_each_node(FunctionRef<void(Symbol)> fn) const = 0;
  // In the order of nomination.
  virtual void for_each_pod(Symbol node_name, FunctionRef<void(const cache::PlacedPod&)> fn) const = 0;
};

// Pods without a node that are nominated to one. Others are tried as if those of at least their priority were there.
// They are a list of their own, or those of a source, which is read anew each time.
class NominatedPods {
 public:
  NominatedPods() = default;
  // `source` outlives this; nothing can be added or removed here then.
  explicit NominatedPods(const NominationSource& source) : source_(&source) {}

  void add(Symbol node_name, cache::PlacedPod pod);
  // Returns whether there was one.
  bool remove(Symbol node_name, std::string_view uid);
  void clear();
  // Changes with every change.
  std::uint64_t version() const { return source_ != nullptr ? source_->version() : version_; }
  // In the order of nomination; of at least the priority of `pod`, and not `pod` itself.
  std::vector<cache::PlacedPod> competing(Symbol node_name, const api::Pod& pod) const;
  // Calls fn for each node that some pod is nominated to, in no order.
  void for_each_node(FunctionRef<void(Symbol)> fn) const;

 private:
  const NominationSource* source_ = nullptr;
  absl::flat_hash_map<Symbol, std::vector<cache::PlacedPod>> by_node_;
  std::uint64_t version_ = 0;
};

// --- PreFilter -------------------------------------------------------------------------------------------------------

// What came out of the PreFilter point as a whole.
struct PreFilterResult {
  // By index in profile.filters(). Null if the plugin skipped itself, rejected the pod, is not at Filter or was not
  // reached.
  std::vector<std::shared_ptr<PodFilter>> filters;
  // By the same index: of plugins that skipped themselves for now, see PreFiltered::status. They are asked only where
  // more pods are tried than were there at PreFilter.
  std::vector<std::shared_ptr<PodFilter>> dormant;
  Bitset reached;  // by the same index

  Status status;
  std::vector<Symbol> skipped;                    // sorted by text
  std::optional<std::vector<Symbol>> node_names;  // sorted by text; unset: all nodes
  std::vector<Symbol> restricting_plugins;        // those that set node_names, sorted by text

  // Dormant or not. Null if the plugin has none for this pod.
  const PodFilter* filter(std::size_t index) const {
    return filters[index] ? filters[index].get() : dormant[index].get();
  }

  // The known nodes among node_names.
  Bitset allowed_rows(const cache::NodeTable& table) const;
};
PreFilterResult run_pre_filter(const Profile& profile, const PodToPlace& pod, const ClusterView& cluster);
// The same as part of something that is measured as the point.
PreFilterResult ask_pre_filters(const Profile& profile, const PodToPlace& pod, const ClusterView& cluster);

// --- Filter ----------------------------------------------------------------------------------------------------------

// A node as it would be with other pods on it, and what the filters say about it then. The table is not touched.
class NodeTrial {
 public:
  // Both outlive the trial.
  NodeTrial(const Profile& profile, const PreFilterResult& pre_filter, const cache::NodeState& node);

  const cache::NodeState& node() const { return node_; }
  void add_pod(const cache::PlacedPod& pod);
  // Requires: it is there.
  void remove_pod(const api::Pod& pod);
  // The first filter, in the profile's order, that does not let the node pass.
  RowVerdicts::Entry check() const;
  // The same with the nominated pods that compete with `pod` there as well; both must pass.
  RowVerdicts::Entry check(const NominatedPods& nominated, const api::Pod& pod) const;

 private:
  const PodFilter* filter(std::size_t index) const;

  const Profile& profile_;
  const PreFilterResult& pre_filter_;
  cache::NodeState node_;
  std::vector<std::unique_ptr<PodFilter>> changed_;  // by index; null: that of pre_filter_ serves
};

struct FilterResult {
  Bitset feasible;
  RowVerdicts verdicts;             // of the rows that were asked about and are not feasible
  Bitset asked;                     // all nodes, or those that PreFilter left
  std::vector<std::string> errors;  // distinct and sorted; any of them ends the attempt
};
// Asks about every node that PreFilter left. Requires: pre_filter.status is a success.
FilterResult run_filters(const Profile& profile, const PreFilterResult& pre_filter, const PodToPlace& pod,
                         const ClusterView& cluster, const NominatedPods& nominated);

// Asks one filter of the profile about `rows`: see PodFilter::narrow(). Requires: pre_filter.filters has it.
void narrow(const Profile& profile, const PreFilterResult& pre_filter, std::uint8_t index,
            const cache::NodeTable& table, Bitset& rows, PodFilter::Rejected rejected);

// The first filter, in the profile's order, that does not let the node pass.
RowVerdicts::Entry check_node(const Profile& profile, const PreFilterResult& pre_filter, const cache::NodeState& node);

// The status behind an entry of RowVerdicts.
Status status_of(const Profile& profile, const PreFilterResult& pre_filter, const RowVerdicts::Entry& entry);

// --- Score -----------------------------------------------------------------------------------------------------------

struct ScoreResult {
  Status status;                     // an error ends the attempt
  std::vector<Symbol> skipped;       // sorted by text
  std::vector<std::size_t> scorers;  // indices into profile.scores() of those that did not skip themselves
  // By position in `scorers`, then by row.
  std::vector<std::vector<std::int64_t>> raw;
  std::vector<std::vector<std::int64_t>> normalized;
  std::vector<std::int64_t> total;  // by row, weighted

  // The rows with the highest total, lowest first. Requires: `feasible` is what was scored and not empty.
  std::vector<cache::RowId> best(const Bitset& feasible) const;
};
// Asks a plugin at PreScore. One that is not enabled there makes its scorer at Score: it cannot skip itself, and if it
// has no scorer, all nodes get 0.
PreScored ask_scorer(const Profile::Score& score, const PodToPlace& pod, const ClusterView& cluster,
                     const Bitset& feasible);
// Requires: some row is feasible.
ScoreResult run_scores(const Profile& profile, const PodToPlace& pod, const ClusterView& cluster,
                       const Bitset& feasible);

// --- When no node fits -----------------------------------------------------------------------------------------------

// Why no node can take a pod: kube-scheduler's FitError.
class FailedAttempt {
 public:
  // Either PreFilter rejected the pod, or `filtered` has no feasible node. Everything is kept by reference.
  FailedAttempt(const Profile& profile, const PodToPlace& pod, const ClusterView& cluster,
                const NominatedPods& nominated, const PreFilterResult& pre_filter, const FilterResult* filtered);
  // What others than plugins have said about nodes that passed all filters, by row: extenders.
  using Overruled = std::map<cache::RowId, Status>;
  void set_overruled(const Overruled* overruled) { overruled_ = overruled; }

  const Profile& profile() const { return profile_; }
  const PodToPlace& pod() const { return pod_; }
  const ClusterView& cluster() const { return cluster_; }
  const NominatedPods& nominated() const { return nominated_; }
  const PreFilterResult& pre_filter() const { return pre_filter_; }

  // Of one node; nodes that were not asked about have the status of the whole.
  Code code_of(cache::RowId row) const;
  Status status_of(cache::RowId row) const;
  // The plugins that rejected the pod anywhere, sorted by text: what may wake it.
  std::vector<Symbol> rejecting_plugins() const;
  // How many nodes each reason was given for, the most frequent first. Empty if PreFilter rejected the pod.
  struct Rejection {
    Symbol plugin;
    std::string reason;
    std::size_t nodes = 0;
  };
  std::vector<Rejection> rejections() const;
  // "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu." and, if not empty, the message
  // of PostFilter behind it.
  std::string message(std::string_view post_filter_message = "") const;
  // The same, by whoever has the rejections already.
  std::string message(const std::vector<Rejection>& rejections, std::string_view post_filter_message) const;

 private:
  const Profile& profile_;
  const PodToPlace& pod_;
  const ClusterView& cluster_;
  const NominatedPods& nominated_;
  const PreFilterResult& pre_filter_;
  const FilterResult* filtered_;
  Status absent_status_;  // of nodes that were not asked about
  const Overruled* overruled_ = nullptr;

  const Status* overruling(cache::RowId row) const;
};

// "0/N nodes are available:" with how often each reason occurs.
std::string fit_error_message(std::size_t nodes, const std::map<std::string, std::size_t, std::less<>>& reasons);

// The PostFilter point: each plugin in turn until one succeeds or puts an end to it.
PostFiltered run_post_filter(const Profile& profile, const FailedAttempt& attempt);

}  // namespace berth::framework
