// Decides where pods go, and remembers per class of pods what it took to decide.
//
// Pods of one class (same template, namespace, labels and owner) get the same verdicts and scores as long as nothing
// changes. So the first pod of a class pays for asking every plugin about every node, and what came out is kept: in a
// FitTable what depends on each node by itself, which classes with the same needs share, and in the class's own filters
// and scorers what depends on pods elsewhere. The next pod reads in the table's journal what has changed since and asks
// again about those rows only: after a placement, that is one. If nothing changed since a sibling was rejected, its
// verdict is the answer.
//
// The answers are exactly those of the step-by-step functions in attempt.h; a test compares the two on random
// histories, and Options::check_every does it in a running scheduler. Pods that cannot share (claims on volumes, a
// resize under way) take the steps.
//
// Not thread safe. What is remembered is bounded; the class that was not asked for the longest goes first.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/bitset.h"
#include "berth/framework/answer_check.h"
#include "berth/framework/attempt.h"
#include "berth/framework/fit_table.h"
#include "berth/framework/profile.h"

namespace berth::framework {

// Which nodes are looked at, where not all of them are: from the node at place `start` of the table's order on, until
// `wanted` of them fit.
struct Sample {
  std::size_t start = 0;
  std::size_t wanted = 0;
};

struct Decision {
  // Where the pod goes; kNoRow if no node can take it, or if the attempt failed with an error.
  cache::RowId row = cache::kNoRow;
  std::size_t feasible_nodes = 0;
  std::size_t nodes = 0;    // that were considered
  std::size_t visited = 0;  // of a sample: how far it went
  Status error;             // not a success: the attempt failed

  // What it is based on, for PostFilter and for whoever wants to know why. Null where it does not apply. Valid until
  // the next decision and the next change of the table.
  const PreFilterResult* pre_filter = nullptr;
  const FilterResult* filtered = nullptr;  // only if no node can take the pod
};

class EquivalenceCache {
 public:
  struct Options {
    // Of everything that is kept: enough for 60 classes with needs of their own in a cluster of 20,000 nodes, and for
    // 10,000 with the same needs in one of 10. A class that is asked for again after it had to go costs a pass over the
    // nodes, and if more classes take turns than there is room for, all of them do.
    std::size_t max_bytes = std::size_t{32} << 20;

    // Of so many decisions from what is kept, the first is compared with one from scratch (answer_check.h); 0: none is.
    std::size_t check_every = default_check_interval();
    // Told what the comparison finds. Empty: it is a failed BERTH_CHECK.
    std::function<void(const WrongAnswer&)> on_wrong_answer = {};
  };
  // In debug builds and under the address sanitizer a sample is checked; otherwise nothing.
  static std::size_t default_check_interval();
  struct Counts {
    std::uint64_t decisions = 0;
    std::uint64_t classes_built = 0;
    std::uint64_t tables_built = 0;       // every plugin asked about every node
    std::uint64_t rows_asked_again = 0;   // after changes
    std::uint64_t shared_rejections = 0;  // answered by the verdict about a sibling
    std::uint64_t step_by_step = 0;       // pods that cannot share
  };

  // Both outlive the memory; so does what the view refers to.
  EquivalenceCache(const Profile& profile, const ClusterView& cluster, Options options);
  EquivalenceCache(const Profile& profile, const ClusterView& cluster)
      : EquivalenceCache(profile, cluster, Options{}) {}
  ~EquivalenceCache();

  // Of several best nodes, takes the first one from row `rotation` on, counted modulo the number of rows: numbers that
  // wander spread pods over equal nodes.
  Decision decide(const PodToPlace& pod, const NominatedPods& nominated, std::uint64_t rotation,
                  std::optional<Sample> sample = std::nullopt);

  const Counts& counts() const { return counts_; }
  std::size_t classes() const { return entries_.size(); }
  std::size_t tables() const { return table_count_; }

 private:
  struct ClassKey {
    const void* compiled;
    const void* labels;
    const void* owners;  // which group of pods the default spread constraints are about
    Symbol name_space;
    Symbol node_name;
    bool operator==(const ClassKey&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const ClassKey& key) {
      return H::combine(std::move(h), key.compiled, key.labels, key.owners, key.name_space.id(), key.node_name.id());
    }
  };
  struct Scorer;
  struct Entry;
  using Entries = std::list<Entry>;  // the one asked for last comes first

  Decision decide_from_entry(Entry& entry, const PodToPlace& pod, const NominatedPods& nominated,
                             std::uint64_t rotation, std::optional<Sample> sample);
  void check(Entry& entry, const PodToPlace& pod, const NominatedPods& nominated, std::uint64_t rotation,
             std::optional<Sample> sample, const Decision& decision);
  Entry* lookup(const PodToPlace& pod);
  Entry* find_or_build(const PodToPlace& pod);
  bool is_up_to_date(Entry* known);
  bool build_with_metrics(Entry& entry);
  bool build(Entry& entry);
  std::shared_ptr<FitTable> make_table();
  bool attach_table(Entry& entry);
  bool build_table(Entry& entry);
  bool catch_up(Entry& entry);
  bool catch_up_table(Entry& entry);
  bool has_scorers(Entry& entry);
  bool make_scorers(Entry& entry);
  bool find_feasible_rows(Entry& entry, const api::Pod& pod, const NominatedPods& nominated);
  std::optional<cache::RowId> choose(Entry& entry, const Bitset& feasible, std::uint64_t rotation);
  void explain_failure(Entry& entry, const api::Pod& pod, const NominatedPods& nominated);
  Decision decide_step_by_step(const PodToPlace& pod, const NominatedPods& nominated, std::uint64_t rotation,
                               std::optional<Sample> sample);
  void choose_step_by_step(const PodToPlace& pod, const Bitset& feasible, std::uint64_t rotation, Decision& decision);
  void evict();

  const Profile& profile_;
  ClusterView cluster_;
  Options options_;
  std::vector<std::uint8_t> rank_;  // by index of a filter: its place in the profile's filter order

  std::size_t table_count_ = 0;  // outlives the tables, which lower it when they go
  Entries entries_;
  absl::flat_hash_map<ClassKey, Entries::iterator> by_key_;
  absl::flat_hash_map<const void*, std::weak_ptr<FitTable>> tables_;  // by the needs of the pods they are for
  Counts counts_;
  std::uint64_t unchecked_ = 0;  // decisions since the last one that was checked

  // Of the decision under way.
  std::vector<cache::Change> changes_;
  Bitset feasible_;
  std::vector<std::int64_t> total_;
  std::vector<std::int64_t> column_;
  PreFilterResult last_pre_filter_;  // of a pod that cannot share
  FilterResult last_filtered_;
};

}  // namespace berth::framework
