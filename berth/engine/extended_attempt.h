// An attempt in which HTTP extenders have a say: filters first, then the extenders' filters one after the other, then
// scores of plugins and extenders together; and, where no node is left, preemption with the extenders' consent. A pod
// that was promised a node is tried there first, with filters and extenders, and alone if they agree.
//
// The cluster may change while extenders think. What they said is about names of nodes; everything else is worked out
// anew when it is needed, so that the end of the attempt is true to the cluster as it is then. A pod that has gone
// meanwhile is dropped.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "berth/engine/extenders.h"
#include "berth/engine/scheduling_cycle.h"

namespace berth::engine {

class ExtendedAttempt {
 public:
  ExtendedAttempt(SchedulingCycle& cycle, Attempt attempt);

  // The attempt may be over, and this object gone, when this returns; so with every answer of an extender.
  void start();
  std::string_view uid() const { return attempt_.pod->metadata.uid; }

 private:
  struct Filtered {
    framework::PreFilterResult pre_filter;
    std::optional<framework::FilterResult> result;  // unset if PreFilter rejected the pod
  };
  Filtered filter() const;
  std::vector<api::NodePtr> nodes_of(const Bitset& rows) const;
  Bitset rows_of(const std::vector<api::NodePtr>& nodes) const;

  void try_all_nodes();
  std::vector<api::NodePtr> nodes_to_ask_about(const Bitset& feasible);
  void ask_filters();
  void filters_answered();
  void score(std::vector<api::NodePtr> nodes);
  void choose();
  void reject();
  void ask_about_preemption();
  void finish_preemption();
  // Ends the attempt by calling how(attempt).
  template <typename How>
  void finish(How&& how);
  void drop(Attempt& attempt);
  bool is_gone() const;

  SchedulingCycle& cycle_;
  State& state_;
  Attempt attempt_;
  bool is_at_nominated_node_ = false;
  std::optional<ExtenderFilterRound> filters_;
  std::optional<ExtenderScoreRound> scores_;
  std::optional<ExtenderPreemptRound> preempt_;
  std::vector<api::NodePtr> scored_;
  std::optional<Failure> failure_;
  framework::PostFiltered after_;
};

}  // namespace berth::engine
