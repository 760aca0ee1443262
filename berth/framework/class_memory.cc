#include "berth/framework/class_memory.h"

#include <algorithm>
#include <limits>
#include <span>

#include "berth/base/check.h"

namespace berth::framework {
namespace {

// The tournament, and for some classes why, and a raw column or two.
constexpr std::size_t kBytesPerRow = 20;

bool is_in_range(std::int64_t score) {
  return score >= 0 && score <= kMaxNodeScore;
}

// Scores before normalization, one for each row. While all are zero, which most are for most pods, there is no column.
class RawScores {
 public:
  bool varies() const { return !column_.empty(); }

  // False if they are too large to be kept.
  bool assign(std::span<const std::int64_t> scores) {
    column_.clear();
    if (!std::ranges::all_of(scores, can_hold)) return false;
    if (std::ranges::all_of(scores, [](std::int64_t score) { return score == 0; })) return true;
    column_.resize(scores.size());
    for (std::size_t row = 0; row < scores.size(); ++row) column_[row] = static_cast<std::int32_t>(scores[row]);
    return true;
  }
  bool set(std::size_t row, std::int64_t score, std::size_t rows) {
    if (!can_hold(score)) return false;
    if (column_.empty()) {
      if (score == 0) return true;
      column_.resize(rows);
    }
    column_[row] = static_cast<std::int32_t>(score);
    return true;
  }
  void copy_to(std::vector<std::int64_t>& scores) const { scores.assign(column_.begin(), column_.end()); }

 private:
  static bool can_hold(std::int64_t score) {
    return score >= std::numeric_limits<std::int32_t>::min() && score <= std::numeric_limits<std::int32_t>::max();
  }

  std::vector<std::int32_t> column_;
};

// A pod with a status of its own may count differently than its class does, and one that is nominated is not in its own
// way.
bool can_share(const PodToPlace& pod) {
  return !pod.compiled->has_volume_claims && !pod.compiled->has_resource_claims &&
         pod->status.container_statuses->empty() && pod->status.init_container_statuses->empty() &&
         !pod->status.resources->has_value() && pod->status.nominated_node_name.empty();
}

// Whether the change leaves the nodes and their labels as they were, so that rows can be asked again one by one.
bool is_about_one_row(const cache::Change& change) {
  switch (change.kind) {
    case cache::Change::Kind::kPodAdded:
    case cache::Change::Kind::kPodRemoved:
    case cache::Change::Kind::kNodeCapacity:
    case cache::Change::Kind::kNodeTaints: return true;
    case cache::Change::Kind::kNodeAdded:
    case cache::Change::Kind::kNodeRemoved:
    case cache::Change::Kind::kNodeLabels:
    case cache::Change::Kind::kNodeOther: return false;
  }
  return false;
}

}  // namespace

struct ClassMemory::Scorer {
  std::size_t index = 0;  // in profile.scores()
  std::int64_t weight = 1;
  std::unique_ptr<PodScorer> scorer;
  PodScorer::Scope scope = PodScorer::Scope::kNode;
  PodScorer::Normalization normalization = PodScorer::Normalization::kNone;
  std::uint64_t objects_version = 0;
  // Of kNode scorers that are normalized. While all are zero, all nodes get the same normalized score.
  RawScores raw;

  bool is_in_base() const {
    return scope == PodScorer::Scope::kNode && normalization == PodScorer::Normalization::kNone;
  }
};

struct ClassMemory::Entry {
  ClassKey key;
  PodToPlace pod;  // keeps the key valid
  std::size_t rows = 0;
  std::uint64_t read_until = 0;  // of the journal

  PreFilterResult pre_filter;
  std::vector<std::uint64_t> filter_versions;  // by index of the filter
  Bitset node_ok;                              // rows that pass every filter of Scope::kNode
  RowVerdicts why;                             // of the other rows

  bool has_scorers = false;
  std::vector<Scorer> scorers;
  BestRow base;  // of the rows in node_ok: the sum of the scores that need no normalization

  struct Failure {
    std::uint64_t generation;
    std::uint64_t nominated_version;
    FilterResult filtered;
  };
  std::optional<Failure> failure;
};

ClassMemory::ClassMemory(const Profile& profile, const ClusterView& cluster, Options options)
    : profile_(profile), cluster_(cluster), options_(options), rank_(profile.filters().size()) {
  for (std::size_t i = 0; i < profile.filter_order().size(); ++i) {
    rank_[profile.filter_order()[i]] = static_cast<std::uint8_t>(i);
  }
}

ClassMemory::~ClassMemory() = default;

namespace {

// Leaves the first `wanted` feasible rows of the sample. Returns how many nodes were visited to find them.
std::size_t restrict_to_sample(const cache::NodeTable& table, const Sample& sample, Bitset& feasible) {
  const std::span<const cache::RowId> order = table.order();
  Bitset kept(table.rows());
  std::size_t found = 0;
  std::size_t visited = 0;
  while (visited < order.size() && found < sample.wanted) {
    const cache::RowId row = order[(sample.start + visited) % order.size()];
    ++visited;
    if (!feasible.test(row)) continue;
    kept.set(row);
    ++found;
  }
  feasible = std::move(kept);
  return visited;
}

}  // namespace

Decision ClassMemory::decide(const PodToPlace& pod, const NominatedPods& nominated, std::uint64_t rotation,
                             std::optional<Sample> sample) {
  ++counts_.decisions;
  Entry* entry = can_share(pod) ? find_or_build(pod) : nullptr;
  if (entry == nullptr) return decide_step_by_step(pod, nominated, rotation, sample);

  Decision decision;
  decision.pre_filter = &entry->pre_filter;
  if (entry->failure && entry->failure->generation == cluster_.nodes.generation() &&
      entry->failure->nominated_version == nominated.version()) {
    ++counts_.shared_rejections;
  } else {
    entry->failure.reset();
    const Bitset& feasible = feasible_rows(*entry, *pod, nominated);
    if (sample) decision.visited = restrict_to_sample(cluster_.nodes, *sample, feasible_);
    decision.feasible_nodes = feasible.count();
    if (decision.feasible_nodes == 1) {
      decision.row = static_cast<cache::RowId>(feasible.find_first());
    } else if (decision.feasible_nodes > 1) {
      if (!entry->has_scorers && !make_scorers(*entry)) {
        return decide_step_by_step(pod, nominated, rotation, sample);
      }
      decision.row = choose(*entry, feasible, rotation);
    }
    if (decision.feasible_nodes > 0) {
      decision.nodes = cluster_.nodes.node_count();
      return decision;
    }
    explain_failure(*entry, *pod, nominated);
  }
  decision.filtered = &entry->failure->filtered;
  decision.nodes = cluster_.nodes.node_count();
  return decision;
}

Decision ClassMemory::decide_step_by_step(const PodToPlace& pod, const NominatedPods& nominated, std::uint64_t rotation,
                                          std::optional<Sample> sample) {
  ++counts_.step_by_step;
  Decision decision;
  decision.nodes = cluster_.nodes.node_count();
  last_pre_filter_ = run_pre_filter(profile_, pod, cluster_);
  decision.pre_filter = &last_pre_filter_;
  if (last_pre_filter_.status.is_rejected()) return decision;
  if (!last_pre_filter_.status.is_success()) {
    decision.error = last_pre_filter_.status;
    return decision;
  }
  last_filtered_ = run_filters(profile_, last_pre_filter_, pod, cluster_, nominated);
  if (!last_filtered_.errors.empty()) {
    decision.error = Status::error(last_filtered_.errors.front());
    return decision;
  }
  const Bitset& feasible = last_filtered_.feasible;
  if (sample) decision.visited = restrict_to_sample(cluster_.nodes, *sample, last_filtered_.feasible);
  decision.feasible_nodes = feasible.count();
  if (decision.feasible_nodes == 0) {
    decision.filtered = &last_filtered_;
  } else if (decision.feasible_nodes == 1) {
    decision.row = static_cast<cache::RowId>(feasible.find_first());
  } else {
    const ScoreResult scores = run_scores(profile_, pod, cluster_, feasible);
    if (!scores.status.is_success()) {
      decision.error = scores.status;
      return decision;
    }
    const std::vector<cache::RowId> best = scores.best(feasible);
    const auto start = static_cast<cache::RowId>(rotation % cluster_.nodes.rows());
    const auto next = std::lower_bound(best.begin(), best.end(), start);
    decision.row = next == best.end() ? best.front() : *next;
  }
  return decision;
}

// --- A class's columns -----------------------------------------------------------------------------------------------

ClassMemory::Entry* ClassMemory::find_or_build(const PodToPlace& pod) {
  const api::ObjectMeta& metadata = pod->metadata;
  const ClassKey key{pod.compiled.get(), metadata.labels.identity(), metadata.owner_references.identity(),
                     metadata.name_space, pod->spec.node_name};
  const auto it = by_key_.find(key);
  if (it == by_key_.end()) {
    Entry& entry = entries_.emplace_front();
    entry.key = key;
    entry.pod = pod;
    if (!build(entry)) {
      entries_.pop_front();
      return nullptr;
    }
    by_key_.emplace(key, entries_.begin());
    evict();
    return &entries_.front();
  }
  entries_.splice(entries_.begin(), entries_, it->second);
  Entry& entry = entries_.front();
  if (catch_up(entry) || build(entry)) return &entry;
  by_key_.erase(it);
  entries_.pop_front();
  return nullptr;
}

void ClassMemory::evict() {
  const std::size_t bytes_per_class = kBytesPerRow * std::max<std::size_t>(cluster_.nodes.rows(), 1);
  while (entries_.size() > 1 && entries_.size() * bytes_per_class > options_.max_bytes) {
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

bool ClassMemory::build(Entry& entry) {
  ++counts_.classes_built;
  const cache::NodeTable& table = cluster_.nodes;
  entry.failure.reset();
  entry.has_scorers = false;
  entry.scorers.clear();
  entry.rows = table.rows();
  entry.read_until = table.journal().end();
  entry.pre_filter = run_pre_filter(profile_, entry.pod, cluster_);
  if (!entry.pre_filter.status.is_success()) return false;

  std::vector<std::unique_ptr<PodFilter>>& filters = entry.pre_filter.filters;
  entry.filter_versions.assign(filters.size(), 0);
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (!filters[i]) filters[i] = std::move(entry.pre_filter.dormant[i]);
    if (!filters[i]) continue;
    if (filters[i]->scope() == PodFilter::Scope::kAttempt) return false;
    entry.filter_versions[i] = filters[i]->objects_version(cluster_.objects);
  }

  entry.node_ok = entry.pre_filter.allowed_rows(table);
  entry.why.reset(entry.rows);
  bool has_errors = false;
  for (const std::uint8_t index : profile_.filter_order()) {
    if (!filters[index] || filters[index]->scope() != PodFilter::Scope::kNode) continue;
    narrow(profile_, entry.pre_filter, index, table, entry.node_ok, [&](cache::RowId row, Verdict verdict) {
      entry.why.set(row, {verdict, index});
      has_errors = has_errors || verdict.code == Code::kError;
    });
  }
  return !has_errors;
}

bool ClassMemory::catch_up(Entry& entry) {
  const cache::NodeTable& table = cluster_.nodes;
  const std::vector<std::unique_ptr<PodFilter>>& filters = entry.pre_filter.filters;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (filters[i] && filters[i]->objects_version(cluster_.objects) != entry.filter_versions[i]) return false;
  }
  for (const Scorer& scorer : entry.scorers) {
    if (scorer.scorer->objects_version(cluster_.objects) != scorer.objects_version) return false;
  }
  if (entry.read_until == table.generation()) return true;
  if (entry.rows != table.rows()) return false;

  changes_.clear();
  bool is_row_by_row = true;
  const bool is_complete = table.journal().read(entry.read_until, [&](const cache::Change& change) {
    changes_.push_back(change);
    is_row_by_row = is_row_by_row && is_about_one_row(change);
  });
  if (!is_complete || !is_row_by_row) return false;
  for (const std::unique_ptr<PodFilter>& filter : filters) {
    if (filter && filter->scope() == PodFilter::Scope::kCluster && !filter->catch_up(table, changes_)) return false;
  }
  for (const Scorer& scorer : entry.scorers) {
    if (scorer.scope != PodScorer::Scope::kNode && !scorer.scorer->catch_up(table, changes_)) return false;
  }
  bool can_be_kept = true;
  if (changes_.size() == 1) {
    can_be_kept = ask_again(entry, changes_.front().row);
  } else {
    changed_rows_.resize(entry.rows);
    changed_rows_.clear();
    for (const cache::Change& change : changes_) changed_rows_.set(change.row);
    changed_rows_.for_each(
        [&](std::size_t row) { can_be_kept = ask_again(entry, static_cast<cache::RowId>(row)) && can_be_kept; });
  }
  entry.read_until = table.journal().end();
  return can_be_kept;
}

// Errors do not come up here: filters of Scope::kNode that can give one do so because of the node's own objects, and
// that is seen when the class is built. False if a score cannot be kept.
bool ClassMemory::ask_again(Entry& entry, cache::RowId row) {
  const cache::NodeTable& table = cluster_.nodes;
  if (!table.nodes().test(row)) return true;  // pods of a node that is not known
  if (entry.pre_filter.node_names && !entry.pre_filter.allowed_rows(table).test(row)) return true;
  ++counts_.rows_asked_again;
  const cache::NodeState& node = table.at(row);
  RowVerdicts::Entry verdict;
  for (const std::uint8_t index : profile_.filter_order()) {
    const PodFilter* filter = entry.pre_filter.filters[index].get();
    if (filter == nullptr || filter->scope() != PodFilter::Scope::kNode) continue;
    verdict = {filter->check(node), index};
    if (!verdict.verdict.is_success()) break;
  }
  entry.why.set(row, verdict);
  entry.node_ok.set(row, verdict.verdict.is_success());
  if (!entry.has_scorers) return true;

  bool can_be_kept = true;
  std::int64_t base = 0;
  for (Scorer& scorer : entry.scorers) {
    if (scorer.scope != PodScorer::Scope::kNode) continue;
    const std::int64_t score = scorer.scorer->score(node);
    if (scorer.is_in_base()) {
      base += scorer.weight * score;
    } else {
      can_be_kept = scorer.raw.set(row, score, entry.rows) && can_be_kept;
    }
  }
  if (!can_be_kept || !BestRow::can_hold(base)) return false;
  entry.base.set(row, verdict.verdict.is_success() ? static_cast<std::int32_t>(base) : BestRow::kOut);
  return true;
}

// False if the scores cannot be kept, or are not what they should be.
bool ClassMemory::make_scorers(Entry& entry) {
  const cache::NodeTable& table = cluster_.nodes;
  entry.scorers.clear();
  column_.assign(entry.rows, 0);
  total_.assign(entry.rows, 0);
  bool is_fine = true;
  for (std::size_t i = 0; i < profile_.scores().size() && is_fine; ++i) {
    const Profile::Score& score = profile_.scores()[i];
    PreScored made = score.plugin->pre_score(entry.pod, cluster_, feasible_);
    if (!made.status.is_success() && !made.status.is_skip()) return false;
    if (!made.scorer) continue;
    Scorer scorer;
    scorer.index = i;
    scorer.weight = score.weight;
    scorer.scorer = std::move(made.scorer);
    scorer.scope = scorer.scorer->scope();
    scorer.normalization = scorer.scorer->normalization();
    scorer.objects_version = scorer.scorer->objects_version(cluster_.objects);
    if (scorer.scope == PodScorer::Scope::kAttempt) return false;
    if (scorer.scope == PodScorer::Scope::kNode) {
      // All nodes, not only those that fit: others may come to fit.
      std::ranges::fill(column_, 0);
      scorer.scorer->score_rows(table, table.nodes(), column_);
      if (scorer.is_in_base()) {
        table.nodes().for_each([&](std::size_t row) {
          is_fine = is_fine && is_in_range(column_[row]);
          total_[row] += scorer.weight * column_[row];
        });
      } else {
        is_fine = scorer.raw.assign(column_);
      }
    }
    entry.scorers.push_back(std::move(scorer));
  }
  if (!is_fine || !std::ranges::all_of(total_, BestRow::can_hold)) return false;
  entry.base.reset(entry.rows);
  entry.node_ok.for_each([&](std::size_t row) {
    entry.base.set_without_replay(static_cast<cache::RowId>(row), static_cast<std::int32_t>(total_[row]));
  });
  entry.base.replay();
  entry.has_scorers = true;
  return true;
}

// --- A decision ------------------------------------------------------------------------------------------------------

const Bitset& ClassMemory::feasible_rows(Entry& entry, const api::Pod& pod, const NominatedPods& nominated) {
  const cache::NodeTable& table = cluster_.nodes;
  feasible_ = entry.node_ok;
  for (const std::unique_ptr<PodFilter>& filter : entry.pre_filter.filters) {
    if (!filter || filter->scope() != PodFilter::Scope::kCluster || filter->passes_all()) continue;
    filter->narrow(table, feasible_, [](cache::RowId, Verdict) {});
  }
  nominated.for_each_node([&](Symbol node_name) {
    const cache::RowId row = table.row_of(node_name);
    if (row == cache::kNoRow || !feasible_.test(row) || nominated.competing(node_name, pod).empty()) return;
    const NodeTrial trial(profile_, entry.pre_filter, table.at(row));
    if (!trial.check(nominated, pod).verdict.is_success()) feasible_.reset(row);
  });
  return feasible_;
}

cache::RowId ClassMemory::choose(Entry& entry, const Bitset& feasible, std::uint64_t rotation) {
  const cache::NodeTable& table = cluster_.nodes;
  const auto start = static_cast<cache::RowId>(rotation % entry.rows);

  // Scores that are the same everywhere decide nothing.
  bool is_base_alone = true;
  for (Scorer& scorer : entry.scorers) {
    if (scorer.scope == PodScorer::Scope::kFeasible && !scorer.scorer->begin(table, feasible)) {
      scorer.scorer = profile_.scores()[scorer.index].plugin->pre_score(entry.pod, cluster_, feasible).scorer;
      BERTH_CHECK(scorer.scorer != nullptr, "plugin {} has no scorer any more",
                  profile_.scores()[scorer.index].name.text());
    }
    const bool decides = scorer.scope == PodScorer::Scope::kNode ? scorer.raw.varies() : !scorer.scorer->is_constant();
    if (!decides || scorer.is_in_base()) continue;
    if (is_base_alone) {
      is_base_alone = false;
      total_.resize(entry.rows);
      feasible.for_each([&](std::size_t row) { total_[row] = entry.base.value(static_cast<cache::RowId>(row)); });
    }
    if (scorer.scope == PodScorer::Scope::kNode) {
      scorer.raw.copy_to(column_);
    } else {
      column_.resize(entry.rows);
      scorer.scorer->score_rows(table, feasible, column_);
    }
    switch (scorer.normalization) {
      case PodScorer::Normalization::kNone: break;
      case PodScorer::Normalization::kDefault: normalize_default(feasible, column_, false); break;
      case PodScorer::Normalization::kDefaultReverse: normalize_default(feasible, column_, true); break;
      case PodScorer::Normalization::kOwn: scorer.scorer->normalize(table, feasible, column_); break;
    }
    feasible.for_each([&](std::size_t row) { total_[row] += scorer.weight * column_[row]; });
  }
  if (is_base_alone && feasible == entry.node_ok) return entry.base.first_best(start);

  // The first of the best from `start` on; before it only if the best are all there.
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  cache::RowId best = cache::kNoRow;
  const auto look_at = [&](std::size_t row) {
    const std::int64_t value = is_base_alone ? entry.base.value(static_cast<cache::RowId>(row)) : total_[row];
    if (value > highest || (value == highest && best < start && row >= start)) {
      highest = value;
      best = static_cast<cache::RowId>(row);
    }
  };
  feasible.for_each(look_at);
  return best;
}

void ClassMemory::explain_failure(Entry& entry, const api::Pod& pod, const NominatedPods& nominated) {
  const cache::NodeTable& table = cluster_.nodes;
  entry.failure.emplace(table.generation(), nominated.version(), FilterResult());
  FilterResult& result = entry.failure->filtered;
  result.asked = entry.pre_filter.allowed_rows(table);
  result.feasible = Bitset(entry.rows);
  result.verdicts = entry.why;
  // The first filter in the profile's order counts, so those that look at the whole cluster may come before the one
  // that is known.
  for (const std::uint8_t index : profile_.filter_order()) {
    const PodFilter* filter = entry.pre_filter.filters[index].get();
    if (filter == nullptr || filter->scope() != PodFilter::Scope::kCluster || filter->passes_all()) continue;
    Bitset rows = result.asked;
    filter->narrow(table, rows, [&](cache::RowId row, Verdict verdict) {
      const RowVerdicts::Entry known = result.verdicts.at(row);
      if (known.verdict.is_success() || rank_[index] < rank_[known.filter]) result.verdicts.set(row, {verdict, index});
    });
  }
  nominated.for_each_node([&](Symbol node_name) {
    const cache::RowId row = table.row_of(node_name);
    if (row == cache::kNoRow || !result.asked.test(row) || nominated.competing(node_name, pod).empty()) return;
    result.verdicts.set(row, NodeTrial(profile_, entry.pre_filter, table.at(row)).check(nominated, pod));
  });
}

}  // namespace berth::framework
