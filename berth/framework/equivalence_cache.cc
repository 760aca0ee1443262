#include "berth/framework/equivalence_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "berth/api/meta.h"
#include "berth/base/check.h"

namespace berth::framework {
namespace {

// Of a table the tournament, and for some why, and a raw column or two; of a class what it counts per node, and why
// the last pod was rejected.
constexpr std::size_t kBytesPerRowOfTable = 16;
constexpr std::size_t kBytesPerRowOfClass = 12;
// Besides, however few nodes there are: of a class mostly a pod, of both filters and scorers. As measured; what
// pods want of others adds to it.
constexpr std::size_t kBytesOfTable = 1800;
constexpr std::size_t kBytesOfClass = 3000;

// A pod with a status of its own may count differently than its class does, and one that is nominated is not in its own
// way.
bool can_share(const PodToPlace& pod) {
  return !pod.compiled->has_volume_claims && !pod.compiled->has_resource_claims &&
         pod->status.container_statuses->empty() && pod->status.init_container_statuses->empty() &&
         !pod->status.resources->has_value() && pod->status.nominated_node_name.empty();
}

}  // namespace

// About more than one node.
struct EquivalenceCache::Scorer {
  std::size_t index = 0;  // in profile.scores()
  std::unique_ptr<PodScorer> scorer;
  PodScorer::Scope scope = PodScorer::Scope::kCluster;
  std::uint64_t objects_version = 0;
};

struct EquivalenceCache::Entry {
  ClassKey key;
  PodToPlace pod;                // keeps the key valid, and that of the table
  std::uint64_t read_until = 0;  // of the journal

  PreFilterResult pre_filter;
  std::vector<std::uint64_t> filter_versions;  // by index of the filter, of those about more than one node

  std::shared_ptr<FitTable> table;
  std::uint64_t table_build = 0;  // of which the filters in pre_filter are
  bool has_own_table = false;     // it cannot be shared with other classes

  bool has_scorers = false;
  std::vector<Scorer> scorers;

  struct Failure {
    std::uint64_t generation;
    std::uint64_t nominated_version;
    FilterResult filtered;
  };
  std::optional<Failure> failure;
};

EquivalenceCache::EquivalenceCache(const Profile& profile, const ClusterView& cluster, Options options)
    : profile_(profile), cluster_(cluster), options_(std::move(options)), rank_(profile.filters().size()) {
  for (std::size_t i = 0; i < profile.filter_order().size(); ++i) {
    rank_[profile.filter_order()[i]] = static_cast<std::uint8_t>(i);
  }
}

EquivalenceCache::~EquivalenceCache() = default;

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

std::size_t EquivalenceCache::default_check_interval() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BERTH_CHECKS_ANSWERS
#endif
#endif
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(BERTH_CHECKS_ANSWERS)
  return 32;
#else
  return 0;
#endif
}

Decision EquivalenceCache::decide(const PodToPlace& pod, const NominatedPods& nominated, std::uint64_t rotation,
                                  std::optional<Sample> sample) {
  ++counts_.decisions;
  Entry* entry = lookup(pod);
  if (entry == nullptr) return decide_step_by_step(pod, nominated, rotation, sample);
  Decision decision = decide_from_entry(*entry, pod, nominated, rotation, sample);
  if (options_.check_every > 0 && decision.error.is_success() && decision.pre_filter == &entry->pre_filter &&
      unchecked_++ % options_.check_every == 0) {
    check(*entry, pod, nominated, rotation, sample, decision);
  }
  return decision;
}

Decision EquivalenceCache::decide_from_entry(Entry& entry, const PodToPlace& pod, const NominatedPods& nominated,
                                             std::uint64_t rotation, std::optional<Sample> sample) {
  Decision decision;
  decision.pre_filter = &entry.pre_filter;
  decision.nodes = cluster_.nodes.node_count();
  {
    PointRun point(profile_.metrics(), ExtensionPoint::kFilter, profile_.scheduler_name());
    if (entry.failure && entry.failure->generation == cluster_.nodes.generation() &&
        entry.failure->nominated_version == nominated.version()) {
      ++counts_.shared_rejections;
      if (sample) decision.visited = cluster_.nodes.order().size();
      decision.filtered = &entry.failure->filtered;
      return decision;
    }
    entry.failure.reset();
    if (!find_feasible_rows(entry, *pod, nominated)) {
      point.forget();
      last_pre_filter_ = entry.pre_filter;
      return decide_step_by_step(pod, nominated, rotation, sample);
    }
    if (sample) decision.visited = restrict_to_sample(cluster_.nodes, *sample, feasible_);
    decision.feasible_nodes = feasible_.count();
    if (decision.feasible_nodes == 0) {
      explain_failure(entry, *pod, nominated);
      decision.filtered = &entry.failure->filtered;
      return decision;
    }
  }
  if (decision.feasible_nodes == 1) {
    decision.row = static_cast<cache::RowId>(feasible_.find_first());
    return decision;
  }
  if (has_scorers(entry)) {
    PointRun point(profile_.metrics(), ExtensionPoint::kScore, profile_.scheduler_name());
    if (const std::optional<cache::RowId> row = choose(entry, feasible_, rotation)) {
      decision.row = *row;
      return decision;
    }
    point.forget();
    entry.has_scorers = false;
    entry.scorers.clear();
  }
  ++counts_.step_by_step;
  choose_step_by_step(pod, feasible_, rotation, decision);
  return decision;
}

// Compares each plugin's answers with new ones, then the decision. Metrics would count the second way too, so where
// there are any, the answers have to do.
void EquivalenceCache::check(Entry& entry, const PodToPlace& pod, const NominatedPods& nominated,
                             std::uint64_t rotation, std::optional<Sample> sample, const Decision& decision) {
  CachedAnswers cached{.pre_filter = entry.pre_filter, .table = *entry.table, .scorers = {}, .scored = nullptr};
  if (entry.has_scorers && decision.feasible_nodes > 1) {
    cached.scored = &feasible_;
    for (const Scorer& scorer : entry.scorers) cached.scorers.push_back({scorer.index, scorer.scorer.get()});
  }
  std::optional<WrongAnswer> wrong = find_wrong_answer(profile_, cluster_, pod, cached);
  if (!wrong && profile_.metrics() == nullptr) {
    const Counts counts = counts_;
    last_pre_filter_ = ask_pre_filters(profile_, pod, cluster_);
    const Decision anew = decide_step_by_step(pod, nominated, rotation, sample);
    counts_ = counts;
    const auto described = [this](const Decision& made) {
      const std::string where = made.row == cache::kNoRow ? "nowhere" : cluster_.nodes.at(made.row).name.str();
      return fmt::format("{}, {} feasible", where, made.feasible_nodes);
    };
    const std::string known = described(decision);
    if (const std::string made = described(anew); made != known) {
      wrong = WrongAnswer{{}, {}, api::full_name(pod->metadata), fmt::format("decided: {}, anew: {}", known, made)};
    }
  }
  if (!wrong) return;
  BERTH_CHECK(static_cast<bool>(options_.on_wrong_answer), "pod {}: {}", wrong->pod, wrong->text);
  options_.on_wrong_answer(*wrong);
}

// The PreFilter point. Null if the pod cannot share; then what the plugins said is in last_pre_filter_.
EquivalenceCache::Entry* EquivalenceCache::lookup(const PodToPlace& pod) {
  PointRun point(profile_.metrics(), ExtensionPoint::kPreFilter, profile_.scheduler_name());
  if (can_share(pod)) {
    if (Entry* entry = find_or_build(pod)) return entry;
  } else {
    (void)is_up_to_date(nullptr);
    last_pre_filter_ = ask_pre_filters(profile_, pod, cluster_);
  }
  point.code = last_pre_filter_.status.code();
  return nullptr;
}

// The PreScore point. False if the scores cannot be kept; then whoever scores step by step is measured.
bool EquivalenceCache::has_scorers(Entry& entry) {
  PointRun point(profile_.metrics(), ExtensionPoint::kPreScore, profile_.scheduler_name());
  if (entry.has_scorers || make_scorers(entry)) return true;
  point.forget();
  return false;
}

// From last_pre_filter_ on.
Decision EquivalenceCache::decide_step_by_step(const PodToPlace& pod, const NominatedPods& nominated,
                                               std::uint64_t rotation, std::optional<Sample> sample) {
  ++counts_.step_by_step;
  Decision decision;
  decision.nodes = cluster_.nodes.node_count();
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
    choose_step_by_step(pod, feasible, rotation, decision);
  }
  return decision;
}

void EquivalenceCache::choose_step_by_step(const PodToPlace& pod, const Bitset& feasible, std::uint64_t rotation,
                                           Decision& decision) {
  const ScoreResult scores = run_scores(profile_, pod, cluster_, feasible);
  if (!scores.status.is_success()) {
    decision.error = scores.status;
    return;
  }
  const std::vector<cache::RowId> best = scores.best(feasible);
  const auto start = static_cast<cache::RowId>(rotation % cluster_.nodes.rows());
  const auto next = std::lower_bound(best.begin(), best.end(), start);
  decision.row = next == best.end() ? best.front() : *next;
}

// --- A class's columns -----------------------------------------------------------------------------------------------

// Null if what was built cannot be kept; then last_pre_filter_ has what the plugins of PreFilter said.
EquivalenceCache::Entry* EquivalenceCache::find_or_build(const PodToPlace& pod) {
  const api::ObjectMeta& metadata = pod->metadata;
  const ClassKey key{pod.compiled.get(), metadata.labels.identity(), metadata.owner_references.identity(),
                     metadata.name_space, pod->spec.node_name};
  const auto it = by_key_.find(key);
  const bool is_found = it != by_key_.end();
  const bool is_known = is_up_to_date(is_found ? &*it->second : nullptr);
  if (is_found) {
    entries_.splice(entries_.begin(), entries_, it->second);
  } else {
    entries_.emplace_front().key = key;
    by_key_.emplace(key, entries_.begin());
  }
  Entry& entry = entries_.front();
  if (is_known) return &entry;
  entry.pod = pod;  // what is built may hold for this pod alone
  if (!build_with_metrics(entry)) {
    last_pre_filter_ = std::move(entry.pre_filter);
    by_key_.erase(key);
    entries_.pop_front();
    return nullptr;
  }
  evict();
  return &entry;
}

// Whether what is known of a class, if anything is, holds again after a look at what has changed.
bool EquivalenceCache::is_up_to_date(Entry* known) {
  FrameworkMetrics* metrics = profile_.metrics();
  if (metrics != nullptr) metrics->lookup_begins();
  const bool is_known = known != nullptr && catch_up(*known);
  if (metrics != nullptr) metrics->lookup_ends(profile_.scheduler_name(), is_known);
  return is_known;
}

bool EquivalenceCache::build_with_metrics(Entry& entry) {
  FrameworkMetrics* metrics = profile_.metrics();
  if (metrics != nullptr) metrics->build_begins();
  const bool can_be_kept = build(entry);
  if (metrics != nullptr && can_be_kept) metrics->build_ends(profile_.scheduler_name());
  return can_be_kept;
}

void EquivalenceCache::evict() {
  const std::size_t rows = cluster_.nodes.rows();
  const auto is_too_much = [&] {
    const std::size_t of_classes = entries_.size() * (kBytesOfClass + rows * kBytesPerRowOfClass);
    const std::size_t of_tables = table_count_ * (kBytesOfTable + rows * kBytesPerRowOfTable);
    return of_classes + of_tables > options_.max_bytes;
  };
  while (entries_.size() > 1 && is_too_much()) {
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
    if (profile_.metrics() != nullptr) profile_.metrics()->class_forgotten(profile_.scheduler_name());
  }
  // Not each time: this runs for every new class, and there may be thousands.
  if (tables_.size() > 2 * table_count_) {
    absl::erase_if(tables_, [](const auto& table) { return table.second.expired(); });
  }
}

bool EquivalenceCache::build(Entry& entry) {
  ++counts_.classes_built;
  entry.failure.reset();
  entry.has_scorers = false;
  entry.scorers.clear();
  entry.read_until = cluster_.nodes.journal().end();
  entry.pre_filter = ask_pre_filters(profile_, entry.pod, cluster_);
  if (!entry.pre_filter.status.is_success()) return false;

  PreFilterResult& made = entry.pre_filter;
  entry.filter_versions.assign(made.filters.size(), 0);
  for (std::size_t i = 0; i < made.filters.size(); ++i) {
    const PodFilter* filter = made.filter(i);
    if (filter == nullptr) continue;
    switch (filter->scope()) {
      case PodFilter::Scope::kNode: break;
      case PodFilter::Scope::kClass: entry.has_own_table = true; break;
      case PodFilter::Scope::kCluster: entry.filter_versions[i] = filter->objects_version(cluster_.objects); break;
      case PodFilter::Scope::kAttempt: return false;
    }
  }
  // Those that have nothing to say now are kept because they may have later. Whoever takes the steps must not ask them,
  // so they are woken only here, where it is clear that no filter is about this attempt alone.
  for (std::size_t i = 0; i < made.filters.size(); ++i) {
    if (!made.filters[i]) made.filters[i] = std::move(made.dormant[i]);
  }
  return attach_table(entry);
}

std::shared_ptr<FitTable> EquivalenceCache::make_table() {
  ++table_count_;
  return {std::make_unique<FitTable>(profile_, cluster_, options_.check_every > 0).release(), [this](FitTable* table) {
            --table_count_;
            std::default_delete<FitTable>()(table);
          }};
}

// Finds the table of the pod's needs, or makes it.
bool EquivalenceCache::attach_table(Entry& entry) {
  const void* needs = entry.pod.compiled->needs.get();
  if (entry.has_own_table || needs == nullptr) {
    entry.has_own_table = true;
    entry.table = make_table();
    return build_table(entry);
  }
  std::weak_ptr<FitTable>& shared = tables_[needs];
  entry.table = shared.lock();
  if (!entry.table) {
    entry.table = make_table();
    shared = entry.table;
    return build_table(entry);
  }
  if (!entry.table->is_about_nodes_of(entry.pre_filter)) {
    entry.has_own_table = true;
    return attach_table(entry);
  }
  if (!catch_up_table(entry)) return build_table(entry);
  entry.table->lend_filters(entry.pre_filter);
  entry.table_build = entry.table->builds();
  return true;
}

bool EquivalenceCache::build_table(Entry& entry) {
  ++counts_.tables_built;
  const bool can_be_kept = entry.table->build(entry.pre_filter);
  entry.table_build = entry.table->builds();
  return can_be_kept;
}

bool EquivalenceCache::catch_up_table(Entry& entry) {
  const std::optional<std::size_t> rows = entry.table->catch_up();
  counts_.rows_asked_again += rows.value_or(0);
  return rows.has_value();
}

bool EquivalenceCache::catch_up(Entry& entry) {
  const cache::NodeTable& table = cluster_.nodes;
  if (!catch_up_table(entry) || entry.table_build != entry.table->builds()) return false;

  const auto is_about_more = [](const std::shared_ptr<PodFilter>& filter) {
    return filter && filter->scope() == PodFilter::Scope::kCluster;
  };
  const std::vector<std::shared_ptr<PodFilter>>& filters = entry.pre_filter.filters;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (!is_about_more(filters[i])) continue;
    if (filters[i]->objects_version(cluster_.objects) != entry.filter_versions[i]) return false;
  }
  for (const Scorer& scorer : entry.scorers) {
    if (scorer.scorer->objects_version(cluster_.objects) != scorer.objects_version) return false;
  }
  if (entry.read_until == table.generation()) return true;

  changes_.clear();
  if (!table.journal().read(entry.read_until, [&](const cache::Change& change) { changes_.push_back(change); })) {
    return false;
  }
  for (const std::shared_ptr<PodFilter>& filter : filters) {
    if (is_about_more(filter) && !filter->catch_up(table, changes_)) return false;
  }
  for (const Scorer& scorer : entry.scorers) {
    if (!scorer.scorer->catch_up(table, changes_)) return false;
  }
  entry.read_until = table.journal().end();
  return true;
}

// False if the scores cannot be kept, or are not what they should be.
bool EquivalenceCache::make_scorers(Entry& entry) {
  entry.scorers.clear();
  std::vector<FitTable::Scorer> about_one_node;
  bool is_of_class = false;
  for (std::size_t i = 0; i < profile_.scores().size(); ++i) {
    const auto is_it = [i](const FitTable::Scorer& scorer) { return scorer.index == i; };
    if (std::ranges::any_of(entry.table->scorers(), is_it)) continue;
    const Profile::Score& score = profile_.scores()[i];
    PreScored made = ask_scorer(score, entry.pod, cluster_, feasible_);
    if (!made.status.is_success() && !made.status.is_skip()) return false;
    if (!made.scorer) continue;
    const PodScorer::Scope scope = made.scorer->scope();
    if (scope == PodScorer::Scope::kAttempt) return false;
    const std::uint64_t version = made.scorer->objects_version(cluster_.objects);
    if (is_for_one_node(scope)) {
      is_of_class = is_of_class || scope == PodScorer::Scope::kClass;
      const PodScorer::Normalization normalization = made.scorer->normalization();
      about_one_node.push_back({i, std::move(made.scorer), normalization, score.weight, version, {}});
    } else {
      entry.scorers.push_back({i, std::move(made.scorer), scope, version});
    }
  }
  const bool can_share = !is_of_class && (!entry.table->has_scorers() || about_one_node.empty());
  if (!can_share && !entry.has_own_table) {
    entry.has_own_table = true;
    return attach_table(entry) && make_scorers(entry);
  }
  if (!entry.table->has_scorers() && !entry.table->set_scorers(std::move(about_one_node))) return false;
  entry.has_scorers = true;
  return true;
}

// --- A decision ------------------------------------------------------------------------------------------------------

// Into feasible_. False if a filter fails with an error, which the steps report.
bool EquivalenceCache::find_feasible_rows(Entry& entry, const api::Pod& pod, const NominatedPods& nominated) {
  const cache::NodeTable& table = cluster_.nodes;
  bool has_errors = false;
  const auto look_at = [&has_errors](Verdict verdict) { has_errors = has_errors || verdict.code == Code::kError; };
  feasible_ = entry.table->passing();
  for (const std::shared_ptr<PodFilter>& filter : entry.pre_filter.filters) {
    if (!filter || filter->scope() != PodFilter::Scope::kCluster || filter->passes_all()) continue;
    filter->narrow(table, feasible_, [&](cache::RowId, Verdict verdict) { look_at(verdict); });
  }
  nominated.for_each_node([&](Symbol node_name) {
    const cache::RowId row = table.row_of(node_name);
    if (row == cache::kNoRow || !feasible_.test(row) || nominated.competing(node_name, pod).empty()) return;
    const Verdict verdict = NodeTrial(profile_, entry.pre_filter, table.at(row)).check(nominated, pod).verdict;
    if (!verdict.is_success()) feasible_.reset(row);
    look_at(verdict);
  });
  return !has_errors;
}

// Nothing if a plugin returned what it may not: whoever scores step by step says what.
std::optional<cache::RowId> EquivalenceCache::choose(Entry& entry, const Bitset& feasible, std::uint64_t rotation) {
  const cache::NodeTable& table = cluster_.nodes;
  const BestRow& base = entry.table->base();
  const auto start = static_cast<cache::RowId>(rotation % table.rows());

  bool is_base_alone = true;
  // False if a normalized score is out of range.
  const auto add = [&](const PodScorer& scorer, PodScorer::Normalization normalization, std::int64_t weight) {
    if (is_base_alone) {
      is_base_alone = false;
      total_.resize(table.rows());
      feasible.for_each([&](std::size_t row) { total_[row] = base.value(static_cast<cache::RowId>(row)); });
    }
    switch (normalization) {
      case PodScorer::Normalization::kNone: break;
      case PodScorer::Normalization::kDefault: normalize_default(feasible, column_, false); break;
      case PodScorer::Normalization::kDefaultReverse: normalize_default(feasible, column_, true); break;
      case PodScorer::Normalization::kOwn: scorer.normalize(table, feasible, column_); break;
    }
    bool are_valid = true;
    feasible.for_each([&](std::size_t row) {
      if (is_valid_score(column_[row])) {
        total_[row] += weight * column_[row];
      } else {
        are_valid = false;
      }
    });
    return are_valid;
  };

  for (const FitTable::Scorer& scorer : entry.table->scorers()) {
    if (scorer.is_in_base() || scorer.is_same_everywhere()) continue;
    scorer.raw.copy_to(column_, table.rows());
    if (!add(*scorer.scorer, scorer.normalization, scorer.weight)) return std::nullopt;
  }
  for (Scorer& scorer : entry.scorers) {
    const Profile::Score& score = profile_.scores()[scorer.index];
    if (scorer.scope == PodScorer::Scope::kFeasible && !scorer.scorer->begin(table, feasible)) {
      scorer.scorer = ask_scorer(score, entry.pod, cluster_, feasible).scorer;
      if (!scorer.scorer || scorer.scorer->scope() != scorer.scope) return std::nullopt;
    }
    if (scorer.scorer->is_constant()) continue;
    column_.resize(table.rows());
    scorer.scorer->score_rows(table, feasible, column_);
    if (!add(*scorer.scorer, scorer.scorer->normalization(), score.weight)) return std::nullopt;
  }
  if (is_base_alone && feasible == entry.table->passing()) return base.first_best(start);

  // The first of the best from `start` on; before it only if the best are all there.
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  cache::RowId best = cache::kNoRow;
  const auto look_at = [&](std::size_t row) {
    const std::int64_t value = is_base_alone ? base.value(static_cast<cache::RowId>(row)) : total_[row];
    if (value > highest || (value == highest && best < start && row >= start)) {
      highest = value;
      best = static_cast<cache::RowId>(row);
    }
  };
  feasible.for_each(look_at);
  return best;
}

void EquivalenceCache::explain_failure(Entry& entry, const api::Pod& pod, const NominatedPods& nominated) {
  const cache::NodeTable& table = cluster_.nodes;
  entry.failure.emplace(table.generation(), nominated.version(), FilterResult());
  FilterResult& result = entry.failure->filtered;
  result.asked = entry.pre_filter.allowed_rows(table);
  result.feasible = Bitset(table.rows());
  result.verdicts = entry.table->why();
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
