#include "berth/plugins/pod_topology_spread_score.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "berth/plugins/row_loops.h"

namespace berth::plugins {

namespace {

using cache::DomainId;
using cache::RowId;

bool is_hostname(Symbol topology_key) {
  static const Symbol hostname("kubernetes.io/hostname");
  return topology_key == hostname;
}

// Half away from zero; scores are not negative.
std::int64_t rounded(double score) {
  const auto whole = static_cast<std::int64_t>(score);
  return score - static_cast<double>(whole) >= 0.5 ? whole + 1 : whole;
}

// One rule: the pods that it counts, and what they are worth this time. Every host is a domain of its own, whatever the
// policies say; then the counts are by row.
struct RuleScores {
  SpreadRule rule;
  bool is_by_row = false;
  Bitset rows;  // whose pods count, unless the counts are by row
  const cache::TopologyColumn* column = nullptr;
  DomainId domain_of_unlabelled = cache::kNoDomain;
  std::vector<std::int32_t> pods;  // by row or by domain

  double weight = 0;
  std::vector<double> scores;         // by domain
  std::vector<std::uint8_t> is_used;  // scratch, by domain

  double score_of(std::int64_t count) const {
    return static_cast<double>(count) * weight + static_cast<double>(rule.max_skew - 1);
  }
  DomainId domain_of(RowId row) const {
    const DomainId domain = column->domain_of(row);
    return domain == cache::kNoDomain ? domain_of_unlabelled : domain;
  }
  void add(RowId row, std::int32_t count) {
    if (is_by_row) {
      if (row >= pods.size()) pods.resize(row + std::size_t{1});
      pods[row] += count;
    } else if (row < rows.size() && rows.test(row)) {
      pods[domain_of(row)] += count;
    }
  }
};

class SpreadScorer : public framework::PodScorer {
 public:
  SpreadScorer(const framework::PodToPlace& pod, SpreadRules spread, const cache::NodeTable& table,
               const SpreadOptions& options)
      : pod_(pod), spread_(std::move(spread)) {
    if (spread_.rules.empty()) return;
    // kube-scheduler's own defaults are the one case in which a node may lack a key.
    needs_all_keys_ = spread_.are_own || !options.are_defaults_of_system;
    labelled_ = needs_all_keys_ ? rows_with_all_keys(spread_, table) : table.nodes();
    std::vector<Bitset> rows = included_rows(spread_, pod_, labelled_, table, options);
    for (std::size_t i = 0; i < spread_.rules.size(); ++i) {
      RuleScores& scores = rules_.emplace_back();
      scores.rule = spread_.rules[i];
      scores.is_by_row = is_hostname(scores.rule.topology_key);
      scores.rows = std::move(rows[i]);
      scores.column = &table.topology(scores.rule.topology_key);
      // An unlabelled node counts to the domain whose name is empty, should there be one.
      scores.domain_of_unlabelled = scores.column->domain_with(Symbol());
      scores.pods.resize(scores.is_by_row ? table.rows() : scores.column->domains());
      if (!scores.is_by_row) scores.scores.resize(scores.column->domains());
    }
    table.for_each_class_in(pod_->metadata.name_space, [&](const cache::PodClass& pod_class) {
      for (RuleScores& scores : rules_) {
        if (!scores.rule.counts(pod_class)) continue;
        for (const auto& [row, pods] : pod_class.pods_on_row) scores.add(row, static_cast<std::int32_t>(pods));
      }
    });
  }

  std::int64_t score(const cache::NodeState& node) const override {
    if (is_ignored(node.row)) return 0;
    double score = 0;
    for (const RuleScores& rule : rules_) {
      const DomainId domain = rule.column->domain_of(node.row);
      if (domain == cache::kNoDomain) continue;
      score += rule.score_of(rule.is_by_row ? pods_on(node, rule.rule) : rule.pods[domain]);
    }
    return rounded(score);
  }

  void score_rows(const cache::NodeTable& /*table*/, const Bitset& rows,
                  std::span<std::int64_t> scores) const override {
    struct Lookup {
      const DomainId* domains;
      const double* scores;      // by domain, or
      const std::int32_t* pods;  // by row
      std::size_t counted_rows;  // later ones have no pod
      double weight;
      double base;
    };
    std::vector<Lookup> lookups;
    for (const RuleScores& rule : rules_) {
      lookups.push_back({rule.column->by_row().data(), rule.is_by_row ? nullptr : rule.scores.data(), rule.pods.data(),
                         rule.pods.size(), rule.weight, static_cast<double>(rule.rule.max_skew - 1)});
    }
    without_ignored(rows, scores).for_each([&](std::size_t row) {
      double score = 0;
      for (const Lookup& lookup : lookups) {
        const DomainId domain = lookup.domains[row];
        if (domain == cache::kNoDomain) continue;
        if (lookup.scores != nullptr) {
          score += lookup.scores[domain];
        } else {
          const std::int32_t pods = row < lookup.counted_rows ? lookup.pods[row] : 0;
          score += static_cast<double>(pods) * lookup.weight + lookup.base;
        }
      }
      scores[row] = rounded(score);
    });
  }

  Normalization normalization() const override { return rules_.empty() ? Normalization::kNone : Normalization::kOwn; }

  void normalize(const cache::NodeTable& /*table*/, const Bitset& rows, std::span<std::int64_t> scores) const override {
    const Bitset scored = without_ignored(rows, scores);
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max(), highest = 0;
    scored.for_each([&](std::size_t row) {
      lowest = std::min(lowest, scores[row]);
      highest = std::max(highest, scores[row]);
    });
    if (highest == 0) {
      scored.for_each([&](std::size_t row) { scores[row] = framework::kMaxNodeScore; });
      return;
    }
    map_scores(scored, scores, lowest, highest, [lowest, highest](std::int64_t score) {
      return framework::kMaxNodeScore * (highest + lowest - score) / highest;
    });
  }

  Scope scope() const override { return Scope::kFeasible; }

  bool catch_up(const cache::NodeTable& /*table*/, std::span<const cache::Change> changes) override {
    const bool honor_node_taints = spread_.honor_node_taints();
    if (std::ranges::any_of(changes, [&](const auto& each) { return is_worthless_after(each, honor_node_taints); })) {
      return false;
    }
    for (const cache::Change& change : changes) {
      if (!change.is_about_pod() || change.pod_class->name_space != pod_->metadata.name_space) continue;
      const std::int32_t difference = change.kind == cache::Change::Kind::kPodAdded ? 1 : -1;
      for (RuleScores& rule : rules_) {
        if (rule.rule.counts(*change.pod_class)) rule.add(change.row, difference);
      }
    }
    return true;
  }

  // Pods count for more in a topology of many domains, or else the large domains would drown the small ones. Only
  // domains that the pod can go to count.
  bool begin(const cache::NodeTable& /*table*/, const Bitset& feasible) override {
    const Bitset scored = without_ignored(feasible);
    for (RuleScores& rule : rules_) {
      if (rule.is_by_row) {
        rule.weight = weight_for(scored.count());
        continue;
      }
      const DomainId* domains = rule.column->by_row().data();
      rule.is_used.assign(rule.column->domains(), 0);
      scored.for_each([&](std::size_t row) { rule.is_used[domains[row]] = 1; });
      if (rule.domain_of_unlabelled != cache::kNoDomain && rule.is_used[cache::kNoDomain] != 0) {
        rule.is_used[cache::kNoDomain] = 0;
        rule.is_used[rule.domain_of_unlabelled] = 1;
      }
      rule.weight = weight_for(static_cast<std::size_t>(std::ranges::count(rule.is_used, 1)));
      for (std::size_t domain = 0; domain < rule.scores.size(); ++domain) {
        rule.scores[domain] = rule.score_of(rule.pods[domain]);
      }
    }
    return true;
  }

  bool is_constant() const override { return rules_.empty(); }

  std::uint64_t objects_version(const cache::ClusterObjects& objects) const override {
    return spread_.objects_version(objects);
  }

 private:
  static double weight_for(std::size_t size) { return std::log(static_cast<double>(size + 2)); }

  bool is_ignored(RowId row) const { return needs_all_keys_ && !labelled_.test(row); }
  Bitset without_ignored(const Bitset& rows) const {
    Bitset scored = rows;
    if (!needs_all_keys_) return scored;
    scored.resize(labelled_.size());  // later rows have no node
    scored &= labelled_;
    scored.resize(rows.size());
    return scored;
  }
  // Ignored nodes get 0.
  Bitset without_ignored(const Bitset& rows, std::span<std::int64_t> scores) const {
    Bitset scored = without_ignored(rows);
    if (scored == rows) return scored;
    Bitset ignored = rows;
    ignored.and_not(scored).for_each([&](std::size_t row) { scores[row] = 0; });
    return scored;
  }

  std::int64_t pods_on(const cache::NodeState& node, const SpreadRule& rule) const {
    if (rule.pods.is_everything()) return 0;
    return std::ranges::count_if(node.pods, [&](const cache::PlacedPod& placed) {
      const api::ObjectMeta& metadata = placed.pod->metadata;
      return !metadata.deletion_timestamp.is_set() && metadata.name_space == pod_->metadata.name_space &&
             rule.pods.matches(*metadata.labels);
    });
  }

  framework::PodToPlace pod_;
  SpreadRules spread_;
  bool needs_all_keys_ = false;
  Bitset labelled_;  // nodes that are scored
  std::vector<RuleScores> rules_;
};

}  // namespace

std::unique_ptr<framework::PodScorer> make_spread_scorer(const framework::PodToPlace& pod, SpreadRules spread,
                                                         const cache::NodeTable& table, const Bitset& feasible,
                                                         const SpreadOptions& options) {
  auto scorer = std::make_unique<SpreadScorer>(pod, std::move(spread), table, options);
  scorer->begin(table, feasible);
  return scorer;
}

}  // namespace berth::plugins
