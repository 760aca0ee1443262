#include "berth/engine/extended_attempt.h"

#include <algorithm>
#include <map>
#include <utility>

#include "berth/plugins/preemption.h"

namespace berth::engine {

using framework::FailedAttempt;
using framework::Status;

namespace {

void count_prioritizing(State& state, int delta) {
  if (state.options.metrics == nullptr) return;
  state.options.metrics->add_under_way(SchedulerMetrics::Activity::kPrioritizingExtender, delta);
}

}  // namespace

ExtendedAttempt::ExtendedAttempt(SchedulingCycle& cycle, Attempt attempt)
    : cycle_(cycle), state_(cycle.state_), attempt_(std::move(attempt)) {}

template <typename How>
void ExtendedAttempt::finish(How&& how) {
  const std::unique_ptr<ExtendedAttempt> self = std::move(cycle_.extended_);
  cycle_.is_running_ = true;
  if (is_gone()) {
    drop(attempt_);
  } else {
    how(attempt_);
  }
  cycle_.is_running_ = false;
  state_.activate_stashed();
}

bool ExtendedAttempt::is_gone() const {
  const api::ObjectMeta& metadata = attempt_.pod->metadata;
  const api::PodPtr& known = state_.pods.find(metadata.name_space, metadata.name);
  return known == nullptr || known->metadata.uid != metadata.uid || !known->spec.node_name.empty() ||
         known->metadata.deletion_timestamp.is_set();
}

void ExtendedAttempt::drop(Attempt& attempt) {
  (void)state_.queue->done(attempt.popped->uid());
  cycle_.end(attempt, AttemptResult::kSkipped);
}

ExtendedAttempt::Filtered ExtendedAttempt::filter() const {
  Filtered filtered;
  filtered.pre_filter = run_pre_filter(attempt_.plugins(), attempt_.pod, state_.view());
  if (filtered.pre_filter.status.is_success()) {
    filtered.result =
        run_filters(attempt_.plugins(), filtered.pre_filter, attempt_.pod, state_.view(), state_.nominated());
  }
  return filtered;
}

std::vector<api::NodePtr> ExtendedAttempt::nodes_of(const Bitset& rows) const {
  std::vector<api::NodePtr> nodes;
  const cache::NodeTable& table = state_.cache.nodes();
  for (const cache::RowId row : table.order()) {
    if (rows.test(row)) nodes.push_back(table.at(row).node);
  }
  return nodes;
}

// Those that still exist.
Bitset ExtendedAttempt::rows_of(const std::vector<api::NodePtr>& nodes) const {
  const cache::NodeTable& table = state_.cache.nodes();
  Bitset rows(table.rows());
  for (const api::NodePtr& node : nodes) {
    const cache::RowId row = table.row_of(Symbol(node->metadata.name));
    if (row != cache::kNoRow && table.at(row).node != nullptr) rows.set(row);
  }
  return rows;
}

void ExtendedAttempt::start() {
  const Symbol nominated = cycle_.nominated_node(attempt_);
  if (nominated.empty()) return try_all_nodes();
  is_at_nominated_node_ = true;
  attempt_.record.nodes_evaluated = 1;
  const cache::NodeTable& table = state_.cache.nodes();
  filters_.emplace(cycle_.extenders_, attempt_.pod.pod, std::vector{table.at(table.row_of(nominated)).node});
  ask_filters();
}

void ExtendedAttempt::try_all_nodes() {
  is_at_nominated_node_ = false;
  filters_.reset();
  attempt_.record.nodes_evaluated = state_.cache.nodes().node_count();
  const Filtered filtered = filter();
  const Status& status = filtered.pre_filter.status;
  if (!status.is_success() && !status.is_rejected()) {
    return finish([&](Attempt& attempt) { cycle_.fail(attempt, Failure::error(status.message())); });
  }
  if (filtered.result && !filtered.result->errors.empty()) {
    return finish([&](Attempt& attempt) { cycle_.fail(attempt, Failure::error(filtered.result->errors.front())); });
  }
  if (!filtered.result || !filtered.result->feasible.any()) return reject();
  filters_.emplace(cycle_.extenders_, attempt_.pod.pod, nodes_to_ask_about(filtered.result->feasible));
  ask_filters();
}

// All of them, unless the configuration wants a sample.
std::vector<api::NodePtr> ExtendedAttempt::nodes_to_ask_about(const Bitset& feasible) {
  const auto sample = cycle_.sample(attempt_.plugins());
  if (!sample) return nodes_of(feasible);
  const cache::NodeTable& table = state_.cache.nodes();
  const auto& order = table.order();
  std::vector<api::NodePtr> nodes;
  std::size_t visited = 0;
  while (visited < order.size() && nodes.size() < sample->wanted) {
    const cache::RowId row = order[(sample->start + visited++) % order.size()];
    if (feasible.test(row)) nodes.push_back(table.at(row).node);
  }
  cycle_.next_start_ = (sample->start + visited) % order.size();
  attempt_.record.nodes_evaluated = visited;
  return nodes;
}

void ExtendedAttempt::ask_filters() {
  if (auto call = filters_->next()) {
    state_.calls.send(std::move(*call), [this](const Outcome& outcome) {
      filters_->reply(outcome);
      ask_filters();
    });
    return;
  }
  filters_answered();
}

void ExtendedAttempt::filters_answered() {
  if (is_at_nominated_node_ && (filters_->error() || filters_->feasible().empty())) return try_all_nodes();
  if (filters_->error()) {
    const std::string message = filters_->error()->what();
    return finish([&](Attempt& attempt) { cycle_.fail(attempt, Failure::error(message)); });
  }
  if (filters_->feasible().empty()) return reject();
  score(filters_->feasible());
}

void ExtendedAttempt::score(std::vector<api::NodePtr> nodes) {
  scored_ = std::move(nodes);
  attempt_.record.nodes_feasible = scored_.size();
  scores_.emplace(cycle_.extenders_, attempt_.pod.pod, scored_);
  const std::vector<CallExtender> calls = scored_.size() > 1 ? scores_->calls() : std::vector<CallExtender>();
  if (calls.empty()) return choose();
  for (const CallExtender& call : calls) {
    count_prioritizing(state_, 1);
    state_.calls.send(call, [this, extender = call.extender](const Outcome& outcome) {
      count_prioritizing(state_, -1);
      scores_->reply(extender, outcome);
      if (scores_->is_over()) choose();
    });
  }
}

void ExtendedAttempt::choose() {
  const Bitset rows = rows_of(scored_);
  if (!rows.any()) {
    return finish([&](Attempt& attempt) { cycle_.fail(attempt, Failure::error("the chosen nodes are gone")); });
  }
  std::vector<std::int64_t> totals(state_.cache.nodes().rows(), 0);
  if (rows.count() > 1) {
    const framework::ScoreResult scores = run_scores(attempt_.plugins(), attempt_.pod, state_.view(), rows);
    if (!scores.status.is_success()) {
      return finish([&](Attempt& attempt) { cycle_.fail(attempt, Failure::error(scores.status.message())); });
    }
    totals = scores.total;
  }
  const cache::NodeTable& table = state_.cache.nodes();
  std::vector<Symbol> best;
  std::int64_t highest = 0;
  for (std::size_t i = 0; i < scored_.size(); ++i) {
    const Symbol name(scored_[i]->metadata.name);
    const cache::RowId row = table.row_of(name);
    if (row == cache::kNoRow || !rows.test(row)) continue;
    const std::int64_t total = totals[row] + (scores_->is_over() ? scores_->totals()[i] : 0);
    if (best.empty() || total > highest) {
      best.clear();
      highest = total;
    }
    if (total == highest) best.push_back(name);
  }
  const Symbol node = best[cycle_.rng_.below(best.size())];
  cycle_.chosen(attempt_);
  finish([&](Attempt& attempt) { cycle_.place(attempt, node); });
}

// --- No node is left -------------------------------------------------------------------------------------------------

void ExtendedAttempt::reject() {
  static const Symbol kExtender{kExtenderPlugin};
  cycle_.chosen(attempt_);
  const Filtered filtered = filter();
  FailedAttempt::Overruled overruled;
  bool has_shrunk = false;
  if (filtered.result && filters_) {
    has_shrunk = filters_->has_shrunk();
    const cache::NodeTable& table = state_.cache.nodes();
    std::map<Symbol, const Status*, SymbolTextLess> said;
    for (const auto& [node, status] : filters_->failed()) said.emplace(node, &status);
    filtered.result->feasible.for_each([&](std::size_t at) {
      const auto row = static_cast<cache::RowId>(at);
      const auto it = said.find(table.at(row).name);
      overruled.emplace(row, it != said.end() ? *it->second : Status(framework::Code::kUnschedulable));
    });
  }
  const framework::ClusterView view = state_.view();
  FailedAttempt failed(attempt_.plugins(), attempt_.pod, view, state_.nominated(), filtered.pre_filter,
                       filtered.result ? &*filtered.result : nullptr);
  failed.set_overruled(&overruled);
  after_ = cycle_.run_post_filter(attempt_, failed);
  failure_ = cycle_.failure_of(attempt_, failed, after_);
  if (has_shrunk) failure_->unschedulable_plugins.push_back(kExtender);
  ask_about_preemption();
}

void ExtendedAttempt::ask_about_preemption() {
  if (!after_.status.is_success() || after_.candidates.empty()) return finish_preemption();
  if (!preempt_) {
    std::vector<ExtenderVictims> candidates;
    for (const auto& candidate : after_.candidates) {
      candidates.push_back({candidate.node, candidate.victims, candidate.pdb_violations});
    }
    preempt_.emplace(cycle_.extenders_, attempt_.pod.pod, std::move(candidates));
  }
  if (auto call = preempt_->next()) {
    state_.calls.send(std::move(*call), [this](const Outcome& outcome) {
      preempt_->reply(outcome, [this](Symbol node, std::string_view uid) -> api::PodPtr {
        const api::PodPtr pod = state_.cache.find(uid);
        return pod != nullptr && pod->spec.node_name == node ? pod : nullptr;
      });
      ask_about_preemption();
    });
    return;
  }
  if (preempt_->error()) {
    after_.victims.clear();
    failure_->nominated_node.reset();
    failure_->message += " preemption: " + preempt_->error()->what();
    return finish_preemption();
  }
  const cache::NodeTable& table = state_.cache.nodes();
  std::vector<plugins::PreemptionCandidate> left;
  for (const ExtenderVictims& candidate : preempt_->candidates()) {
    left.push_back({table.row_of(candidate.node_name), candidate.pods, candidate.pdb_violations});
  }
  if (left.empty()) {
    after_.victims.clear();
    failure_->nominated_node = Symbol();
    failure_->message += " preemption: no candidate node for preemption";
    return finish_preemption();
  }
  const std::size_t best = plugins::best_preemption_candidates(left).front();
  after_.nominated_node = preempt_->candidates()[best].node_name;
  after_.victims = left[best].victims;
  failure_->nominated_node = after_.nominated_node;
  finish_preemption();
}

void ExtendedAttempt::finish_preemption() {
  Failure failure = std::move(*failure_);
  framework::PostFiltered after = std::move(after_);
  finish([&](Attempt& attempt) { cycle_.finish_rejection(attempt, std::move(failure), std::move(after)); });
}

}  // namespace berth::engine
