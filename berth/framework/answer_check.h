// Compares what is cached about the nodes with what the plugins say when they are asked from scratch, and names the
// plugin whose cached answer is wrong: its scope() promises more than it keeps, or catch_up() forgets something.
//
// Verdicts have to be the same. Scores may differ by a constant, which decides nothing: a scorer that gives all nodes
// the same need not be asked. Not thread safe; asks the plugins without telling metrics.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/bitset.h"
#include "berth/base/symbol.h"
#include "berth/framework/attempt.h"
#include "berth/framework/fit_table.h"
#include "berth/framework/profile.h"

namespace berth::framework {

struct WrongAnswer {
  Symbol plugin;  // empty: each answer is right, and the decision is not
  Symbol node;    // the first that it is about; empty: all
  std::string pod;
  // "Filter plugin X: cached for node n1: success, asked anew: Unschedulable (node(s) are busy)"
  std::string text;
};

// What a decision about a pod was based on.
struct CachedAnswers {
  const PreFilterResult& pre_filter;
  const FitTable& table;  // that keeps all scores
  struct Scorer {
    std::size_t index = 0;  // in profile.scores()
    const PodScorer* scorer = nullptr;
  };
  std::vector<Scorer> scorers;     // those that are not in the table
  const Bitset* scored = nullptr;  // the rows that were scored; null: none
};

// The first answer that is wrong.
std::optional<WrongAnswer> find_wrong_answer(const Profile& profile, const ClusterView& cluster, const PodToPlace& pod,
                                             const CachedAnswers& cached);

}  // namespace berth::framework
