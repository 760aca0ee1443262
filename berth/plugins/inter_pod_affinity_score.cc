#include "berth/plugins/inter_pod_affinity_score.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "berth/base/check.h"
#include "berth/plugins/row_loops.h"

namespace berth::plugins {

namespace {

using cache::DomainId;

// The sum of the weights of all that matches, by domain of one topology key.
struct KeySums {
  const cache::TopologyColumn* column = nullptr;
  std::vector<std::int64_t> sums;  // by domain

  Symbol key() const { return column->key(); }
};

class AffinityScorer : public framework::PodScorer {
 public:
  AffinityScorer(IncomingPod pod, std::int32_t hard_pod_affinity_weight, const cache::NodeTable& table)
      : pod_(std::move(pod)), hard_pod_affinity_weight_(hard_pod_affinity_weight), table_(table) {
    const auto add_all = [this](const cache::PodClass& pod_class, Symbol topology_key, std::int64_t weight) {
      KeySums& key = sums_for(topology_key);
      for (const auto& [row, pods] : pod_class.pods_on_row) add(key, row, weight, pods);
    };
    pod_.for_each_candidate(table, [&](const cache::PodClass& pod_class) {
      for_each_own(pod_class, [&](Symbol key, std::int64_t weight) { add_all(pod_class, key, weight); });
    });
    table.for_each_class_with_affinity([&](const cache::PodClass& pod_class) {
      for_each_foreign(pod_class, [&](Symbol key, std::int64_t weight) { add_all(pod_class, key, weight); });
    });
  }

  std::int64_t score(const cache::NodeState& node) const override {
    std::int64_t score = 0;
    for (const KeySums& key : keys_) score += key.sums[key.column->domain_of(node.row)];
    return score;
  }

  void score_rows(const cache::NodeTable& /*table*/, const Bitset& rows,
                  std::span<std::int64_t> scores) const override {
    rows.for_each([&](std::size_t row) { scores[row] = 0; });
    for (const KeySums& key : keys_) {
      const DomainId* domains = key.column->by_row().data();
      const std::int64_t* sums = key.sums.data();
      rows.for_each([&](std::size_t row) { scores[row] += sums[domains[row]]; });
    }
  }

  Normalization normalization() const override { return Normalization::kOwn; }

  void normalize(const cache::NodeTable& /*table*/, const Bitset& rows, std::span<std::int64_t> scores) const override {
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    std::int64_t highest = std::numeric_limits<std::int64_t>::min();
    rows.for_each([&](std::size_t row) {
      lowest = std::min(lowest, scores[row]);
      highest = std::max(highest, scores[row]);
    });
    if (lowest >= highest) {
      rows.for_each([&](std::size_t row) { scores[row] = 0; });
      return;
    }
    const auto range = static_cast<double>(highest - lowest);
    map_scores(rows, scores, lowest, highest, [lowest, range](std::int64_t score) {
      return static_cast<std::int64_t>(static_cast<double>(framework::kMaxNodeScore) *
                                       (static_cast<double>(score - lowest) / range));
    });
  }

  Scope scope() const override { return Scope::kCluster; }

  bool catch_up(const cache::NodeTable& table, std::span<const cache::Change> changes) override {
    BERTH_CHECK(&table == &table_, "another table than at PreScore");
    using enum cache::Change::Kind;
    for (const cache::Change& change : changes) {
      if (change.kind == kNodeAdded || change.kind == kNodeRemoved || change.kind == kNodeLabels) return false;
    }
    for (const cache::Change& change : changes) {
      if (!change.is_about_pod()) continue;
      const std::int64_t difference = change.kind == kPodAdded ? 1 : -1;
      const auto add_one = [&](Symbol key, std::int64_t weight) { add(sums_for(key), change.row, weight, difference); };
      for_each_own(*change.pod_class, add_one);
      for_each_foreign(*change.pod_class, add_one);
    }
    return true;
  }

  // Terms that cancel each other out still count as something said.
  bool is_constant() const override { return matches_ == 0; }

  std::uint64_t objects_version(const cache::ClusterObjects& objects) const override {
    return pod_.objects_version(objects);
  }

 private:
  // Both call fn(topology key, weight) for each match with a pod of the class.
  template <typename Fn>
  void for_each_own(const cache::PodClass& pod_class, Fn&& fn) const {
    for (const IncomingTerm& term : pod_.affinity()) {
      if (term.matches(pod_class)) fn(term.topology_key(), std::int64_t{term.weight});
    }
    for (const IncomingTerm& term : pod_.anti_affinity()) {
      if (term.matches(pod_class)) fn(term.topology_key(), -std::int64_t{term.weight});
    }
  }
  template <typename Fn>
  void for_each_foreign(const cache::PodClass& pod_class, Fn&& fn) const {
    const api::CompiledPod& theirs = *pod_class.compiled;
    const auto match = [&](const api::PodTermMatcher& term, std::int64_t weight) {
      if (pod_.is_meant_by(term, pod_class.name_space)) fn(term.topology_key, weight);
    };
    if (hard_pod_affinity_weight_ > 0) {
      for (const api::PodTermMatcher& term : theirs.required_affinity) match(term, hard_pod_affinity_weight_);
    }
    for (const api::WeightedPodTerm& each : theirs.preferred_affinity) match(each.term, each.weight);
    for (const api::WeightedPodTerm& each : theirs.preferred_anti_affinity)
      match(each.term, -std::int64_t{each.weight});
  }

  KeySums& sums_for(Symbol topology_key) {
    const auto it = std::ranges::find(keys_, topology_key, &KeySums::key);
    if (it != keys_.end()) return *it;
    KeySums& key = keys_.emplace_back();
    key.column = &table_.topology(topology_key);
    key.sums.resize(key.column->domains());
    return key;
  }
  void add(KeySums& key, cache::RowId row, std::int64_t weight, std::int64_t pods) {
    const DomainId domain = key.column->domain_of(row);
    if (domain == cache::kNoDomain) return;
    key.sums[domain] += weight * pods;
    matches_ += pods;
  }

  IncomingPod pod_;
  std::int32_t hard_pod_affinity_weight_;
  const cache::NodeTable& table_;
  std::vector<KeySums> keys_;
  std::int64_t matches_ = 0;
};

}  // namespace

std::unique_ptr<framework::PodScorer> make_affinity_scorer(IncomingPod pod, std::int32_t hard_pod_affinity_weight,
                                                           const cache::NodeTable& table) {
  return std::make_unique<AffinityScorer>(std::move(pod), hard_pod_affinity_weight, table);
}

}  // namespace berth::plugins
