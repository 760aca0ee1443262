#include "berth/plugins/inter_pod_affinity_filter.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "berth/base/check.h"
#include "berth/plugins/row_loops.h"

namespace berth::plugins {

namespace {

using cache::DomainId;
using cache::RowId;
using framework::ReasonCode;
using framework::Verdict;

// What is counted, in the order in which the filter looks at it; also the bits of Verdict::reasons.
enum Kind : std::uint8_t {
  kWanted,       // pods that match all of the pod's affinity terms
  kUnwanted,     // pods that match one of its anti-affinity terms, once for each
  kUnwelcoming,  // pods that have an anti-affinity term that means the pod, once for each
};
constexpr std::size_t kKinds = 3;

constexpr std::uint8_t bit_of(Kind kind) {
  return static_cast<std::uint8_t>(1u << kind);
}

// `failures` has the bit of each kind that keeps the pod away; the first decides.
Verdict verdict_of(std::uint8_t failures) {
  if (failures == 0) return {};
  const auto kind = static_cast<unsigned>(std::countr_zero(failures));
  return kind == kWanted ? Verdict::unresolvable(kind) : Verdict::unschedulable(kind);
}

// The domains of one topology key.
struct KeyCounts {
  const cache::TopologyColumn* column = nullptr;
  bool is_wanted = false;  // some affinity term is about it
  // By domain, of those where there are any: few of many hosts, as a rule.
  std::array<absl::flat_hash_map<DomainId, std::int32_t>, kKinds> counts;
  std::vector<std::uint8_t> failures;  // by domain

  Symbol key() const { return column->key(); }
  std::int64_t count(Kind kind, DomainId domain) const {
    const auto it = counts[kind].find(domain);
    return it == counts[kind].end() ? 0 : it->second;
  }
};

class AffinityCounts {
 public:
  AffinityCounts(IncomingPod pod, const cache::NodeTable& table) : pod_(std::move(pod)), table_(table) {
    wants_itself_ = pod_.wants(pod_.pod().metadata.name_space, *pod_.pod().metadata.labels);
    for (const IncomingTerm& term : pod_.affinity()) keys_[index_of(term.topology_key())].is_wanted = true;
    pod_.for_each_candidate(table, [&](const cache::PodClass& pod_class) {
      for_each_own(pod_class.name_space, *pod_class.labels, [&](Kind kind, Symbol key) { add(pod_class, kind, key); });
    });
    table.for_each_class_with_affinity([&](const cache::PodClass& pod_class) {
      for_each_foreign(pod_class.name_space, *pod_class.compiled,
                       [&](Kind kind, Symbol key) { add(pod_class, kind, key); });
    });
    settle();
  }

  const IncomingPod& pod() const { return pod_; }
  const cache::NodeTable& table() const { return table_; }
  const std::vector<KeyCounts>& keys() const { return keys_; }
  std::int64_t total(Kind kind) const { return totals_[kind]; }
  bool wants_itself() const { return wants_itself_; }

  const KeyCounts* find(Symbol key) const {
    const auto it = std::ranges::find(keys_, key, &KeyCounts::key);
    return it == keys_.end() ? nullptr : &*it;
  }

  // Calls fn(Kind, topology key) for each time that a placed pod counts.
  template <typename Fn>
  void for_each_match(Symbol name_space, const api::Labels& labels, const api::CompiledPod& compiled, Fn&& fn) const {
    for_each_own(name_space, labels, fn);
    for_each_foreign(name_space, compiled, fn);
  }

  void change(const cache::Change& change) {
    const std::int64_t difference = change.kind == cache::Change::Kind::kPodAdded ? 1 : -1;
    const bool was_first = may_be_first();
    for_each_match(change.pod_class->name_space, *change.pod_class->labels, *change.pod_class->compiled,
                   [&](Kind kind, Symbol topology_key) {
                     KeyCounts& key = keys_[index_of(topology_key)];
                     const DomainId domain = key.column->domain_of(change.row);
                     if (domain == cache::kNoDomain) return;
                     add(key, kind, domain, difference);
                     key.failures[domain] = failures(key, domain);
                   });
    if (may_be_first() != was_first) settle();
  }

 private:
  // Nobody is there that the pod wants, but it wants its own kind: somebody has to be the first.
  bool may_be_first() const { return wants_itself_ && totals_[kWanted] == 0; }

  std::uint8_t failures(const KeyCounts& key, DomainId domain) const {
    std::uint8_t failures = 0;
    if (key.is_wanted && (domain == cache::kNoDomain || (key.count(kWanted, domain) <= 0 && !may_be_first()))) {
      failures |= bit_of(kWanted);
    }
    if (key.count(kUnwanted, domain) > 0) failures |= bit_of(kUnwanted);
    if (key.count(kUnwelcoming, domain) > 0) failures |= bit_of(kUnwelcoming);
    return failures;
  }
  void settle() {
    for (KeyCounts& key : keys_) {
      const std::uint8_t where_nobody_is = key.is_wanted && !may_be_first() ? bit_of(kWanted) : 0;
      std::ranges::fill(key.failures, where_nobody_is);
      key.failures[cache::kNoDomain] = failures(key, cache::kNoDomain);
      for (const auto& counts : key.counts) {
        for (const auto& [domain, pods] : counts) key.failures[domain] = failures(key, domain);
      }
    }
  }

  template <typename Fn>
  void for_each_own(Symbol name_space, const api::Labels& labels, Fn&& fn) const {
    if (pod_.wants(name_space, labels)) {
      for (const IncomingTerm& term : pod_.affinity()) fn(kWanted, term.topology_key());
    }
    for (const IncomingTerm& term : pod_.anti_affinity()) {
      if (term.matches(name_space, labels)) fn(kUnwanted, term.topology_key());
    }
  }
  template <typename Fn>
  void for_each_foreign(Symbol name_space, const api::CompiledPod& compiled, Fn&& fn) const {
    for (const api::PodTermMatcher& term : compiled.required_anti_affinity) {
      if (pod_.is_meant_by(term, name_space)) fn(kUnwelcoming, term.topology_key);
    }
  }

  std::size_t index_of(Symbol topology_key) {
    const auto it = std::ranges::find(keys_, topology_key, &KeyCounts::key);
    if (it != keys_.end()) return static_cast<std::size_t>(it - keys_.begin());
    KeyCounts& key = keys_.emplace_back();
    key.column = &table_.topology(topology_key);
    key.failures.resize(key.column->domains());
    return keys_.size() - 1;
  }
  void add(KeyCounts& key, Kind kind, DomainId domain, std::int64_t pods) {
    std::int32_t& count = key.counts[kind][domain];
    count += static_cast<std::int32_t>(pods);
    if (count == 0) key.counts[kind].erase(domain);
    totals_[kind] += pods;
  }
  void add(const cache::PodClass& pod_class, Kind kind, Symbol topology_key) {
    KeyCounts& key = keys_[index_of(topology_key)];
    for (const auto& [row, pods] : pod_class.pods_on_row) {
      const DomainId domain = key.column->domain_of(row);
      if (domain != cache::kNoDomain) add(key, kind, domain, pods);
    }
  }

  IncomingPod pod_;
  const cache::NodeTable& table_;
  bool wants_itself_ = false;
  std::vector<KeyCounts> keys_;
  std::array<std::int64_t, kKinds> totals_{};  // over all keys and domains
};

class AffinityFilter : public framework::PodFilter {
 public:
  AffinityFilter(std::shared_ptr<AffinityCounts> counts, const PluginQuirks& quirks)
      : counts_(std::move(counts)), overlooks_nominees_when_idle_(quirks.idle_affinity_overlooks_nominees) {}

  Verdict check(const cache::NodeState& node) const override {
    if (!trial_.empty()) return check_in_trial(node);
    std::uint8_t failures = 0;
    for (const KeyCounts& key : counts_->keys()) failures |= key.failures[key.column->domain_of(node.row)];
    return verdict_of(failures);
  }

  framework::Reason reason(unsigned bit) const override {
    switch (bit) {
      case kWanted: return ReasonCode::kPodAffinity;
      case kUnwanted: return ReasonCode::kPodAntiAffinity;
      default: return ReasonCode::kExistingPodsAntiAffinity;
    }
  }

  void narrow(const cache::NodeTable& table, Bitset& rows, Rejected rejected) const override {
    if (!trial_.empty()) return PodFilter::narrow(table, rows, rejected);
    struct Lookup {
      const DomainId* domains;
      const std::uint8_t* failures;
    };
    std::vector<Lookup> lookups;
    for (const KeyCounts& key : counts_->keys()) {
      if (std::ranges::all_of(key.failures, [](std::uint8_t each) { return each == 0; })) continue;
      lookups.push_back({key.column->by_row().data(), key.failures.data()});
    }
    const auto tell = [&](RowId row, std::uint8_t failures) { rejected(row, verdict_of(failures)); };
    if (lookups.empty()) return;
    if (lookups.size() == 1) {
      const Lookup only = lookups.front();
      return narrow_rows(rows, [only](RowId row) { return only.failures[only.domains[row]]; }, tell);
    }
    const auto failures_of = [&lookups](RowId row) {
      std::uint8_t failures = 0;
      for (const Lookup& lookup : lookups) failures |= lookup.failures[lookup.domains[row]];
      return failures;
    };
    narrow_rows(rows, failures_of, tell);
  }

  Scope scope() const override { return Scope::kCluster; }

  bool catch_up(const cache::NodeTable& table, std::span<const cache::Change> changes) override {
    BERTH_CHECK(&table == &counts_->table(), "another table than at PreFilter");
    if (std::ranges::any_of(changes, [](const auto& each) { return changes_domains(each); })) return false;
    for (const cache::Change& change : changes) {
      if (change.is_about_pod()) counts_->change(change);
    }
    return true;
  }

  bool passes_all() const override { return !counts_->pod().has_terms() && counts_->total(kUnwelcoming) == 0; }

  std::uint64_t objects_version(const cache::ClusterObjects& objects) const override {
    return counts_->pod().objects_version(objects);
  }

  std::unique_ptr<PodFilter> clone() const override { return std::make_unique<AffinityFilter>(*this); }
  void add_pod(const cache::PlacedPod& pod, const cache::NodeState& node) override { try_pod(pod, node, 1); }
  void remove_pod(const cache::PlacedPod& pod, const cache::NodeState& node) override { try_pod(pod, node, -1); }

 private:
  struct Difference {
    Kind kind;
    Symbol key;
    DomainId domain;
    std::int64_t pods;
  };

  static bool changes_domains(const cache::Change& change) {
    using enum cache::Change::Kind;
    return change.kind == kNodeAdded || change.kind == kNodeRemoved || change.kind == kNodeLabels;
  }

  void try_pod(const cache::PlacedPod& pod, const cache::NodeState& node, std::int64_t difference) {
    if (overlooks_nominees_when_idle_ && passes_all()) return;
    const api::ObjectMeta& metadata = pod.pod->metadata;
    counts_->for_each_match(metadata.name_space, *metadata.labels, *pod.compiled, [&](Kind kind, Symbol key) {
      const DomainId domain = counts_->table().topology(key).domain_of(node.row);
      if (domain != cache::kNoDomain) trial_.push_back({kind, key, domain, difference});
    });
  }

  std::int64_t count_in_trial(Kind kind, Symbol key, DomainId domain) const {
    const KeyCounts* known = counts_->find(key);
    std::int64_t count = known != nullptr ? known->count(kind, domain) : 0;
    for (const Difference& each : trial_) {
      if (each.kind == kind && each.key == key && each.domain == domain) count += each.pods;
    }
    return count;
  }

  Verdict check_in_trial(const cache::NodeState& node) const {
    std::int64_t wanted_pods = counts_->total(kWanted);
    for (const Difference& each : trial_) wanted_pods += each.kind == kWanted ? each.pods : 0;
    const bool may_be_first = counts_->wants_itself() && wanted_pods == 0;
    std::uint8_t failures = 0;
    const auto fail_if_any = [&](Kind kind, Symbol key, DomainId domain) {
      if (domain != cache::kNoDomain && count_in_trial(kind, key, domain) > 0) failures |= bit_of(kind);
    };
    for (const KeyCounts& key : counts_->keys()) {
      const DomainId domain = key.column->domain_of(node.row);
      if (key.is_wanted &&
          (domain == cache::kNoDomain || (count_in_trial(kWanted, key.key(), domain) <= 0 && !may_be_first))) {
        failures |= bit_of(kWanted);
      }
      fail_if_any(kUnwanted, key.key(), domain);
      fail_if_any(kUnwelcoming, key.key(), domain);
    }
    // Pods of the trial may bring keys that nobody had before.
    for (const Difference& each : trial_) {
      if (counts_->table().topology(each.key).domain_of(node.row) != each.domain || each.kind == kWanted) continue;
      fail_if_any(each.kind, each.key, each.domain);
    }
    return verdict_of(failures);
  }

  std::shared_ptr<AffinityCounts> counts_;  // shared with clones, which do not change it
  std::vector<Difference> trial_;           // of a clone
  bool overlooks_nominees_when_idle_;
};

}  // namespace

std::unique_ptr<framework::PodFilter> make_affinity_filter(IncomingPod pod, const cache::NodeTable& table,
                                                           const PluginQuirks& quirks) {
  return std::make_unique<AffinityFilter>(std::make_shared<AffinityCounts>(std::move(pod), table), quirks);
}

}  // namespace berth::plugins
