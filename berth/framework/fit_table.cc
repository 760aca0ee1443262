#include "berth/framework/fit_table.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <utility>

namespace berth::framework {
namespace {

// Whether the score is one that comes out right: scores below zero stay there if they are normalized by the highest.
bool is_valid(const FitTable::Scorer& scorer, std::int64_t score) {
  switch (scorer.normalization) {
    case PodScorer::Normalization::kNone: return is_valid_score(score);
    case PodScorer::Normalization::kDefault:
    case PodScorer::Normalization::kDefaultReverse: return score >= 0;
    case PodScorer::Normalization::kOwn: return true;
  }
  return true;
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

bool is_for_one_node(PodFilter::Scope scope) {
  return scope == PodFilter::Scope::kNode || scope == PodFilter::Scope::kClass;
}

bool is_for_one_node(PodScorer::Scope scope) {
  return scope == PodScorer::Scope::kNode || scope == PodScorer::Scope::kClass;
}

bool FitTable::build(const PreFilterResult& pre_filter) {
  const cache::NodeTable& table = cluster_.nodes;
  ++builds_;
  read_until_ = table.journal().end();
  has_scorers_ = false;
  scorers_.clear();
  node_names_ = pre_filter.node_names;
  asked_ = pre_filter.allowed_rows(table);
  passing_ = asked_;
  why_.reset(table.rows());
  filters_.clear();
  has_errors_ = false;
  for (const std::uint8_t index : profile_.filter_order()) {
    const std::shared_ptr<PodFilter>& filter = pre_filter.filters[index];
    if (!filter || !is_for_one_node(filter->scope())) continue;
    filters_.push_back({index, filter, filter->objects_version(cluster_.objects)});
    narrow(profile_, pre_filter, index, table, passing_, [&](cache::RowId row, Verdict verdict) {
      why_.set(row, {verdict, index});
      has_errors_ = has_errors_ || verdict.code == Code::kError;
    });
  }
  return !has_errors_;
}

void FitTable::lend_filters(PreFilterResult& pre_filter) const {
  for (const Filter& filter : filters_) pre_filter.filters[filter.index] = filter.filter;
}

bool FitTable::has_outdated_objects() const {
  const auto is_outdated = [this](const auto& asked, std::uint64_t version) {
    return asked->objects_version(cluster_.objects) != version;
  };
  return std::ranges::any_of(filters_, [&](const Filter& f) { return is_outdated(f.filter, f.objects_version); }) ||
         std::ranges::any_of(scorers_, [&](const Scorer& s) { return is_outdated(s.scorer, s.objects_version); });
}

std::optional<std::size_t> FitTable::catch_up() {
  const cache::NodeTable& table = cluster_.nodes;
  if (has_errors_ || has_outdated_objects()) return std::nullopt;
  if (read_until_ == table.generation()) return 0;
  if (why_.size() != table.rows()) return std::nullopt;

  absl::InlinedVector<cache::RowId, 16> rows;
  bool is_row_by_row = true;
  const bool is_complete = table.journal().read(read_until_, [&](const cache::Change& change) {
    if (asked_.test(change.row)) rows.push_back(change.row);  // pods may be on nodes that are not known
    is_row_by_row = is_row_by_row && is_about_one_row(change);
  });
  if (!is_complete || !is_row_by_row) return std::nullopt;
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  if (!std::ranges::all_of(rows, [this](cache::RowId row) { return ask_again(row); })) return std::nullopt;
  read_until_ = table.journal().end();
  return rows.size();
}

// False if the answers cannot be kept: an error, or a score that is invalid or too large. The row is left half done
// then, which does not matter: as long as read_until_ stays, it is asked about again.
bool FitTable::ask_again(cache::RowId row) {
  const cache::NodeState& node = cluster_.nodes.at(row);
  RowVerdicts::Entry verdict;
  for (const Filter& filter : filters_) {
    verdict = {filter.filter->check(node), filter.index};
    if (!verdict.verdict.is_success()) break;
  }
  if (verdict.verdict.code == Code::kError) return false;
  const bool passes = verdict.verdict.is_success();
  why_.set(row, verdict);
  passing_.set(row, passes);
  if (!has_scorers_) return true;

  std::int64_t base = 0;
  for (Scorer& scorer : scorers_) {
    const std::int64_t score = scorer.scorer->score(node);
    if (!is_valid(scorer, score)) return false;
    if (scorer.is_in_base()) base += scorer.weight * score;
    if (is_kept(scorer) && !scorer.raw.set(row, score, why_.size())) return false;
  }
  if (!BestRow::can_hold(base)) return false;
  base_.set(row, passes ? static_cast<std::int32_t>(base) : BestRow::kOut);
  return true;
}

bool FitTable::set_scorers(std::vector<Scorer> scorers) {
  const cache::NodeTable& table = cluster_.nodes;
  const std::size_t rows = why_.size();
  std::vector<std::int64_t> column(rows), total(rows);
  for (Scorer& scorer : scorers) {
    // All nodes, not only those that fit: others may come to fit.
    std::ranges::fill(column, 0);
    scorer.scorer->score_rows(table, table.nodes(), column);
    if (!std::ranges::all_of(column, [&](std::int64_t score) { return is_valid(scorer, score); })) return false;
    if (scorer.is_in_base()) {
      for (std::size_t row = 0; row < rows; ++row) total[row] += scorer.weight * column[row];
    }
    if (is_kept(scorer) && !scorer.raw.assign(column)) return false;
  }
  if (!std::ranges::all_of(total, BestRow::can_hold)) return false;
  base_.reset(rows);
  passing_.for_each([&](std::size_t row) {
    base_.set_without_replay(static_cast<cache::RowId>(row), static_cast<std::int32_t>(total[row]));
  });
  base_.replay();
  scorers_ = std::move(scorers);
  has_scorers_ = true;
  return true;
}

}  // namespace berth::framework
