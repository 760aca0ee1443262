// Which nodes can take a pod, and how good they are for it, as far as each node can be asked by itself: what filters
// and scorers of Scope::kNode say, as columns with one entry per node.
//
// That depends on nothing but the node, its pods and what the pod needs, so classes of pods that differ only in their
// labels, or in what they want of other pods, share one table. After a change it asks again about the changed rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "berth/base/bitset.h"
#include "berth/framework/attempt.h"
#include "berth/framework/best_row.h"
#include "berth/framework/profile.h"
#include "berth/framework/raw_scores.h"

namespace berth::framework {

class FitTable {
 public:
  // About one node by itself; see is_for_one_node().
  struct Scorer {
    std::size_t index = 0;  // in profile.scores()
    std::unique_ptr<PodScorer> scorer;
    PodScorer::Normalization normalization = PodScorer::Normalization::kNone;
    std::int64_t weight = 1;
    std::uint64_t objects_version = 0;
    RawScores raw;  // if it is normalized, or if all are kept

    bool is_in_base() const { return normalization == PodScorer::Normalization::kNone; }
    // Whether all nodes are known to get the same normalized score, which then decides nothing.
    bool is_same_everywhere() const { return !raw.varies() && normalization != PodScorer::Normalization::kOwn; }
  };

  // Both outlive the table. If `keeps_all_scores`, also those that are added up in base() are kept by themselves, to be
  // compared with.
  FitTable(const Profile& profile, const ClusterView& cluster, bool keeps_all_scores = false)
      : profile_(profile), cluster_(cluster), keeps_all_scores_(keeps_all_scores) {}

  // Asks about every node, and forgets the scorers. Shares the filters of `pre_filter`. False if the verdicts cannot be
  // kept.
  bool build(const PreFilterResult& pre_filter);
  // Counts the calls of build().
  std::uint64_t builds() const { return builds_; }
  // Whether the table is about the nodes that `pre_filter` leaves.
  bool is_about_nodes_of(const PreFilterResult& pre_filter) const { return pre_filter.node_names == node_names_; }
  // Lets `pre_filter` use the filters of this table instead of its own, so that they can explain its verdicts.
  void lend_filters(PreFilterResult& pre_filter) const;

  // Asks again about what has changed. Returns how many rows that were; nothing if the table has to be built anew.
  std::optional<std::size_t> catch_up();

  // The rows that pass every filter, and why the others do not.
  const Bitset& passing() const { return passing_; }
  const RowVerdicts& why() const { return why_; }

  bool has_scorers() const { return has_scorers_; }
  // False if the scores cannot be kept, or are not what they should be.
  bool set_scorers(std::vector<Scorer> scorers);
  const std::vector<Scorer>& scorers() const { return scorers_; }
  // Of the rows that pass: the weighted sum of the scores that need no normalization.
  const BestRow& base() const { return base_; }

 private:
  struct Filter {
    std::uint8_t index = 0;  // in profile.filters()
    std::shared_ptr<PodFilter> filter;
    std::uint64_t objects_version = 0;
  };

  bool is_kept(const Scorer& scorer) const { return keeps_all_scores_ || !scorer.is_in_base(); }
  bool has_outdated_objects() const;
  bool ask_again(cache::RowId row);

  const Profile& profile_;
  ClusterView cluster_;
  bool keeps_all_scores_;
  std::uint64_t builds_ = 0;
  bool has_errors_ = false;
  std::uint64_t read_until_ = 0;  // of the journal

  std::optional<std::vector<Symbol>> node_names_;
  std::vector<Filter> filters_;  // in the profile's filter order
  Bitset asked_;
  Bitset passing_;
  RowVerdicts why_;

  bool has_scorers_ = false;
  std::vector<Scorer> scorers_;
  BestRow base_;
};

// Whether a scope is that of a FitTable. One of Scope::kClass cannot be shared between classes.
bool is_for_one_node(PodFilter::Scope scope);
bool is_for_one_node(PodScorer::Scope scope);

}  // namespace berth::framework
