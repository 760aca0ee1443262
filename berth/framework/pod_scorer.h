// What a score plugin worked out for one pod: how good each node is.
//
// PreScore makes a PodScorer; Score asks it about nodes that passed the filters; normalize() brings the scores of those
// nodes to 0..100. score() is the definition, score_rows() the same for many rows at once: see pod_filter.h, also for
// what a scope is.
#pragma once

#include <cstdint>
#include <span>

#include "berth/base/bitset.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/node_state.h"
#include "berth/cache/node_table.h"

namespace berth::framework {

inline constexpr std::int64_t kMaxNodeScore = 100;

// Of a normalized score.
inline bool is_valid_score(std::int64_t score) {
  return score >= 0 && score <= kMaxNodeScore;
}

class PodScorer {
 public:
  enum class Scope : std::uint8_t {
    kNode,      // the score of a node depends on that node, its pods and what the pod needs (api::needs_of())
    kClass,     // ... and on the rest of the pod's class
    kCluster,   // ... and on pods elsewhere: catch_up() is told about all changes, then all rows are scored again
    kFeasible,  // ... and on which nodes passed the filters: made anew for each attempt unless begin() is overridden
    kAttempt,   // ... and on something else, or on the single pod: made anew for each attempt
  };
  enum class Normalization : std::uint8_t {
    kNone,
    kDefault,         // 100 * score / highest; all zero stays zero
    kDefaultReverse,  // 100 - that; all zero becomes 100
    kOwn,             // normalize() says how
  };

  virtual ~PodScorer() = default;

  virtual std::int64_t score(const cache::NodeState& node) const = 0;
  // Fills scores[row] for each of `rows`; other entries are left alone.
  virtual void score_rows(const cache::NodeTable& table, const Bitset& rows, std::span<std::int64_t> scores) const;

  virtual Normalization normalization() const { return Normalization::kNone; }
  // Of Normalization::kOwn: brings scores[row] of each of `rows` to 0..100.
  virtual void normalize(const cache::NodeTable& /*table*/, const Bitset& /*rows*/,
                         std::span<std::int64_t> /*scores*/) const {}

  // The default is always right. A scorer whose scores may be cached says so: see Scope.
  virtual Scope scope() const { return Scope::kAttempt; }
  // Of kCluster and kFeasible: see PodFilter::catch_up().
  virtual bool catch_up(const cache::NodeTable& /*table*/, std::span<const cache::Change> /*changes*/) { return false; }
  // Of kFeasible: these nodes passed the filters this time. False if the scorer has to be made anew.
  virtual bool begin(const cache::NodeTable& /*table*/, const Bitset& /*feasible*/) { return false; }
  // Of kCluster and kFeasible: true if at present all nodes get the same normalized score, which is then not asked for.
  virtual bool is_constant() const { return false; }
  virtual std::uint64_t objects_version(const cache::ClusterObjects& /*objects*/) const { return 0; }
};

// The normalizations that are not a plugin's own.
void normalize_default(const Bitset& rows, std::span<std::int64_t> scores, bool reverse);

}  // namespace berth::framework
