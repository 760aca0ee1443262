#include "berth/plugins/pod_topology_spread_filter.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "berth/plugins/row_loops.h"

namespace berth::plugins {

namespace {

using cache::DomainId;
using cache::RowId;
using framework::ReasonCode;
using framework::Verdict;

// What a row gets. Bits of Verdict::reasons are these less one.
enum Outcome : std::uint8_t { kFits = 0, kTooMany = 1, kNoLabel = 2 };

Verdict verdict_of(std::uint8_t outcome) {
  switch (outcome) {
    case kTooMany: return Verdict::unschedulable(kTooMany - 1);
    case kNoLabel: return Verdict::unresolvable(kNoLabel - 1);
    default: return {};
  }
}

// The pods that one rule counts.
class DomainCounts {
 public:
  DomainCounts(SpreadRule rule, bool counts_itself, Bitset rows, const cache::TopologyColumn& column)
      : rule_(std::move(rule)),
        self_(counts_itself ? 1 : 0),
        rows_(std::move(rows)),
        column_(&column),
        pods_(column.domains()),
        is_domain_(column.domains()),
        outcomes_(column.domains()) {
    rows_.for_each([&](std::size_t row) { is_domain_[column.by_row()[row]] = true; });
    domains_ = static_cast<std::int64_t>(std::ranges::count(is_domain_, true));
  }

  const SpreadRule& rule() const { return rule_; }
  const cache::TopologyColumn& column() const { return *column_; }
  const std::uint8_t* outcomes() const { return outcomes_.data(); }
  bool includes(RowId row) const { return row < rows_.size() && rows_.test(row); }
  std::int64_t pods_in(DomainId domain) const { return pods_[domain]; }

  // Before settle().
  void add_unsettled(RowId row, std::int64_t pods) {
    if (rows_.test(row)) pods_[column_->domain_of(row)] += pods;
  }
  // Works out what follows from the counts.
  void settle() {
    lowest_ = lowest_without({});
    at_lowest_ = 0;
    for (std::size_t domain = 0; domain < pods_.size(); ++domain) {
      if (is_domain_[domain] && pods_[domain] == lowest_) ++at_lowest_;
      outcomes_[domain] = outcome(static_cast<DomainId>(domain), pods_[domain], lowest_);
    }
  }
  // Requires: includes(row).
  void change(RowId row, int difference) {
    const DomainId domain = column_->domain_of(row);
    const std::int64_t before = pods_[domain], after = before + difference;
    pods_[domain] = after;
    if (after < lowest_ || (before == lowest_ && at_lowest_ == 1)) return settle();
    if (before == lowest_) --at_lowest_;
    if (after == lowest_) ++at_lowest_;
    outcomes_[domain] = outcome(domain, after, lowest_);
  }

  std::int64_t lowest() const { return lowest_; }
  // Of the domains that are not listed. Without any it is out of reach: then no domain has too many.
  std::int64_t lowest_without(std::span<const DomainId> left_out) const {
    if (left_out.size() == 1 && (pods_[left_out[0]] != lowest_ || at_lowest_ > 1)) return lowest_;
    std::int64_t lowest = std::numeric_limits<std::int32_t>::max();
    for (std::size_t domain = 0; domain < pods_.size(); ++domain) {
      if (!is_domain_[domain] || pods_[domain] >= lowest) continue;
      if (std::ranges::find(left_out, static_cast<DomainId>(domain)) == left_out.end()) lowest = pods_[domain];
    }
    return lowest;
  }
  std::uint8_t outcome(DomainId domain, std::int64_t pods, std::int64_t lowest) const {
    if (domain == cache::kNoDomain) return kNoLabel;
    // As long as there are too few domains, the missing ones count as empty.
    const std::int64_t least = domains_ < rule_.min_domains ? 0 : lowest;
    return pods + self_ - least > rule_.max_skew ? kTooMany : kFits;
  }

 private:
  SpreadRule rule_;
  std::int64_t self_;
  Bitset rows_;  // whose pods count
  const cache::TopologyColumn* column_;
  // By domain.
  std::vector<std::int64_t> pods_;
  std::vector<std::uint8_t> is_domain_;  // has a row whose pods count
  std::vector<std::uint8_t> outcomes_;
  std::int64_t domains_ = 0;
  std::int64_t lowest_ = 0;
  std::int64_t at_lowest_ = 0;  // how many domains
};

// What does not change in a dry run; shared by the filter and its clones.
struct Counted {
  framework::PodToPlace pod;
  SpreadRules spread;
  std::vector<DomainCounts> counts;  // by rule
};

class SpreadFilter : public framework::PodFilter {
 public:
  explicit SpreadFilter(std::shared_ptr<Counted> counted) : counted_(std::move(counted)) {}

  Verdict check(const cache::NodeState& node) const override {
    for (std::size_t rule = 0; rule < counted_->counts.size(); ++rule) {
      const DomainCounts& counts = counted_->counts[rule];
      const DomainId domain = counts.column().domain_of(node.row);
      const std::uint8_t outcome = trial_.empty() ? counts.outcomes()[domain] : outcome_in_trial(rule, domain);
      if (outcome != kFits) return verdict_of(outcome);
    }
    return {};
  }

  framework::Reason reason(unsigned bit) const override {
    return bit == kTooMany - 1 ? ReasonCode::kTopologySpread : ReasonCode::kTopologySpreadLabelMissing;
  }

  void narrow(const cache::NodeTable& table, Bitset& rows, Rejected rejected) const override {
    if (!trial_.empty()) return PodFilter::narrow(table, rows, rejected);
    struct Lookup {
      const DomainId* domains;
      const std::uint8_t* outcomes;
    };
    std::vector<Lookup> lookups;
    for (const DomainCounts& counts : counted_->counts) {
      lookups.push_back({counts.column().by_row().data(), counts.outcomes()});
    }
    const auto tell = [&](RowId row, std::uint8_t outcome) { rejected(row, verdict_of(outcome)); };
    if (lookups.size() == 1) {
      const Lookup only = lookups.front();
      return narrow_rows(rows, [only](RowId row) { return only.outcomes[only.domains[row]]; }, tell);
    }
    const auto first_outcome = [&lookups](RowId row) -> std::uint8_t {
      for (const Lookup& lookup : lookups) {
        if (const std::uint8_t outcome = lookup.outcomes[lookup.domains[row]]; outcome != kFits) return outcome;
      }
      return kFits;
    };
    narrow_rows(rows, first_outcome, tell);
  }

  Scope scope() const override { return Scope::kCluster; }

  bool catch_up(const cache::NodeTable& /*table*/, std::span<const cache::Change> changes) override {
    const bool honor_node_taints = counted_->spread.honor_node_taints();
    if (std::ranges::any_of(changes, [&](const auto& each) { return is_worthless_after(each, honor_node_taints); })) {
      return false;
    }
    for (const cache::Change& change : changes) {
      if (!change.is_about_pod() || change.pod_class->name_space != counted_->pod->metadata.name_space) continue;
      const int difference = change.kind == cache::Change::Kind::kPodAdded ? 1 : -1;
      for (DomainCounts& counts : counted_->counts) {
        if (counts.includes(change.row) && counts.rule().counts(*change.pod_class))
          counts.change(change.row, difference);
      }
    }
    return true;
  }

  bool passes_all() const override { return counted_->counts.empty(); }

  std::uint64_t objects_version(const cache::ClusterObjects& objects) const override {
    return counted_->spread.objects_version(objects);
  }

  std::unique_ptr<PodFilter> clone() const override { return std::make_unique<SpreadFilter>(*this); }
  void add_pod(const cache::PlacedPod& pod, const cache::NodeState& node) override { try_pod(*pod.pod, node, 1); }
  void remove_pod(const cache::PlacedPod& pod, const cache::NodeState& node) override { try_pod(*pod.pod, node, -1); }

 private:
  struct Difference {
    std::size_t rule;
    DomainId domain;
    std::int64_t pods;
  };

  // kube-scheduler takes terminating pods, and pods matched by a selector for everything, for counted here, although it
  // does not count them in the first place.
  void try_pod(const api::Pod& pod, const cache::NodeState& node, std::int64_t difference) {
    if (pod.metadata.name_space != counted_->pod->metadata.name_space) return;
    for (std::size_t rule = 0; rule < counted_->counts.size(); ++rule) {
      const DomainCounts& counts = counted_->counts[rule];
      if (!counts.includes(node.row) || !counts.rule().pods.matches(*pod.metadata.labels)) continue;
      const DomainId domain = counts.column().domain_of(node.row);
      const auto known = std::ranges::find_if(
          trial_, [&](const Difference& each) { return each.rule == rule && each.domain == domain; });
      if (known != trial_.end()) {
        known->pods += difference;
      } else {
        trial_.push_back({rule, domain, difference});
      }
    }
  }

  std::uint8_t outcome_in_trial(std::size_t rule, DomainId domain) const {
    const DomainCounts& counts = counted_->counts[rule];
    std::int64_t pods = counts.pods_in(domain);
    std::int64_t lowest = std::numeric_limits<std::int32_t>::max();
    std::vector<DomainId> changed;
    for (const Difference& each : trial_) {
      if (each.rule != rule) continue;
      changed.push_back(each.domain);
      lowest = std::min(lowest, counts.pods_in(each.domain) + each.pods);
      if (each.domain == domain) pods += each.pods;
    }
    lowest = changed.empty() ? counts.lowest() : std::min(lowest, counts.lowest_without(changed));
    return counts.outcome(domain, pods, lowest);
  }

  std::shared_ptr<Counted> counted_;
  std::vector<Difference> trial_;  // of a clone; one per rule and domain
};

}  // namespace

std::unique_ptr<framework::PodFilter> make_spread_filter(const framework::PodToPlace& pod, SpreadRules spread,
                                                         const cache::NodeTable& table, const SpreadOptions& options) {
  auto counted = std::make_shared<Counted>(Counted{pod, std::move(spread), {}});
  const std::vector<SpreadRule>& rules = counted->spread.rules;
  if (rules.empty()) return std::make_unique<SpreadFilter>(std::move(counted));
  std::vector<Bitset> rows =
      included_rows(counted->spread, pod, rows_with_all_keys(counted->spread, table), table, options);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    counted->counts.emplace_back(rules[i], rules[i].pods.matches(*pod->metadata.labels), std::move(rows[i]),
                                 table.topology(rules[i].topology_key));
  }
  table.for_each_class_in(pod->metadata.name_space, [&](const cache::PodClass& pod_class) {
    for (DomainCounts& counts : counted->counts) {
      if (!counts.rule().counts(pod_class)) continue;
      for (const auto& [row, pods] : pod_class.pods_on_row) counts.add_unsettled(row, pods);
    }
  });
  for (DomainCounts& counts : counted->counts) counts.settle();
  return std::make_unique<SpreadFilter>(std::move(counted));
}

}  // namespace berth::plugins
