#include "berth/engine/scheduling_cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/engine/extended_attempt.h"
#include "berth/engine/metrics.h"

namespace berth::engine {
namespace {

using framework::Code;
using framework::FailedAttempt;
using framework::PostFiltered;
using framework::Status;

// Clusters smaller than this are looked at as a whole, and samples are not smaller.
constexpr std::size_t kMinNodesToFind = 100;

// The pod as this scheduler knows it: what it was promised, or is promised no more, may not stand in its status yet.
api::PodPtr with_nomination(const api::PodPtr& pod, Symbol nominated) {
  if (pod->status.nominated_node_name == nominated) return pod;
  auto changed = std::make_shared<api::Pod>(*pod);
  changed->status.nominated_node_name = nominated;
  return changed;
}

}  // namespace

SchedulingCycle::SchedulingCycle(State& state, BindingCycles& bindings, Preemptions& preemptions,
                                 const Extenders& extenders)
    : state_(state), bindings_(bindings), preemptions_(preemptions), extenders_(extenders), rng_(state.options.seed) {}
SchedulingCycle::~SchedulingCycle() = default;

std::string_view SchedulingCycle::waiting_uid() const {
  return extended_ == nullptr ? std::string_view() : extended_->uid();
}

bool SchedulingCycle::try_next() {
  if (!is_started_ || extended_ != nullptr) return false;
  queue::PoppedPod popped = state_.queue->pop(state_.now);
  if (popped == nullptr) return false;
  ProfileInUse* profile = state_.profiles.find(popped->profile());
  if (profile == nullptr || skips(*popped)) {
    (void)state_.queue->done(popped->uid());
    return true;
  }
  Attempt attempt = begin(std::move(popped), *profile);
  const api::Pod& pod = *attempt.pod;
  const bool asks_extenders = !extenders_.empty() && (extenders_.any_to_ask(ExtenderVerb::kFilter, pod) ||
                                                      extenders_.any_to_ask(ExtenderVerb::kPrioritize, pod) ||
                                                      extenders_.any_to_ask(ExtenderVerb::kPreempt, pod));
  if (asks_extenders && state_.cache.nodes().node_count() > 0) {
    extended_ = std::make_unique<ExtendedAttempt>(*this, std::move(attempt));
    extended_->start();
  } else {
    is_running_ = true;
    run(attempt);
    is_running_ = false;
  }
  if (extended_ == nullptr) state_.activate_stashed();
  return true;
}

bool SchedulingCycle::skips(const queue::QueuedPod& popped) {
  static const Symbol kWarning("Warning");
  static const Symbol kFailedScheduling("FailedScheduling");
  static const Symbol kScheduling("Scheduling");
  if (popped.pod->metadata.deletion_timestamp.is_set()) {
    state_.events.record(popped.pod, kWarning, kFailedScheduling, kScheduling,
                         fmt::format("skip schedule deleting pod: {}", api::full_name(popped.pod->metadata)));
    return true;
  }
  return state_.cache.find(popped.uid()) != nullptr;
}

Attempt SchedulingCycle::begin(queue::PoppedPod popped, ProfileInUse& profile) {
  static const Symbol kPodAdd("UnschedulablePodAdd");
  Attempt attempt;
  attempt.profile = &profile;
  attempt.pod = state_.to_place(with_nomination(popped->pod, state_.queue->nominator().node_of(popped->uid())));
  attempt.record.number = popped->attempts;
  attempt.record.began_at = state_.now;
  attempt.record.woken_by = state_.queue_watch.woken_by(popped->uid());
  if (attempt.record.woken_by.empty() && popped->attempts == 1) attempt.record.woken_by = kPodAdd;
  if (state_.options.metrics != nullptr) attempt.began = state_.options.metrics->read_stopwatch();
  attempt.popped = std::move(popped);
  return attempt;
}

void SchedulingCycle::run(Attempt& attempt) {
  const cache::NodeTable& table = state_.cache.nodes();
  attempt.record.nodes_evaluated = table.node_count();
  if (table.node_count() == 0) {
    Failure failure = Failure::error("no nodes available to schedule pods");
    failure.is_rejection = true;
    return fail(attempt, failure);
  }
  if (const Symbol node = nominated_node(attempt); !node.empty()) {
    attempt.record.nodes_evaluated = attempt.record.nodes_feasible = 1;
    chosen(attempt);
    return place(attempt, node);
  }
  const auto wanted = sample(attempt.plugins());
  const framework::NominatedPods& nominated = state_.nominated();
  const framework::Decision decision = attempt.profile->memory->decide(attempt.pod, nominated, rng_.next_u64(), wanted);
  if (wanted) {
    next_start_ = (next_start_ + decision.visited) % table.node_count();
    attempt.record.nodes_evaluated = decision.visited;
  }
  attempt.record.nodes_feasible = decision.feasible_nodes;
  chosen(attempt);
  if (!decision.error.is_success()) return fail(attempt, Failure::error(decision.error.message()));
  if (decision.row != cache::kNoRow) {
    const Symbol node = table.at(decision.row).name;
    record_scores(attempt);
    return place(attempt, node);
  }
  reject(attempt, FailedAttempt(attempt.plugins(), attempt.pod, state_.view(), nominated, *decision.pre_filter,
                                decision.filtered));
}

void SchedulingCycle::chosen(const Attempt& attempt) {
  SchedulerMetrics* metrics = state_.options.metrics;
  if (metrics != nullptr) metrics->scheduling_algorithm(metrics->since(attempt.began));
}

Symbol SchedulingCycle::nominated_node(const Attempt& attempt) {
  const Symbol node = attempt.pod->status.nominated_node_name;
  if (node.empty()) return {};
  const cache::NodeTable& table = state_.cache.nodes();
  const cache::RowId row = table.row_of(node);
  if (row == cache::kNoRow || table.at(row).node == nullptr) return {};
  const framework::PreFilterResult pre_filter = run_pre_filter(attempt.plugins(), attempt.pod, state_.view());
  if (!pre_filter.status.is_success() || !pre_filter.allowed_rows(table).test(row)) return {};
  const framework::NodeTrial trial(attempt.plugins(), pre_filter, table.at(row));
  return trial.check(state_.nominated(), *attempt.pod).verdict.is_success() ? node : Symbol();
}

std::optional<framework::Sample> SchedulingCycle::sample(const framework::Profile& profile) const {
  const auto percentage = static_cast<std::size_t>(
      profile.percentage_of_nodes_to_score().value_or(state_.options.config.config.percentage_of_nodes_to_score));
  const std::size_t nodes = state_.cache.nodes().node_count();
  // Not set: all of them. It is fast enough.
  if (percentage == 0 || percentage >= 100 || nodes < kMinNodesToFind) return std::nullopt;
  const std::size_t wanted = std::max(nodes * percentage / 100, kMinNodesToFind);
  if (wanted >= nodes) return std::nullopt;
  return framework::Sample{.start = next_start_ % nodes, .wanted = wanted};
}

// Step by step once more, for those who want to see the runners-up.
void SchedulingCycle::record_scores(Attempt& attempt) {
  if (state_.options.scores_to_record == 0) return;
  const framework::PreFilterResult pre_filter = run_pre_filter(attempt.plugins(), attempt.pod, state_.view());
  if (!pre_filter.status.is_success()) return;
  const framework::FilterResult filtered =
      run_filters(attempt.plugins(), pre_filter, attempt.pod, state_.view(), state_.nominated());
  if (!filtered.feasible.any()) return;
  const framework::ScoreResult scores = run_scores(attempt.plugins(), attempt.pod, state_.view(), filtered.feasible);
  if (!scores.status.is_success()) return;
  std::vector<AttemptRecord::Scored>& top = attempt.record.add_detail().top;
  filtered.feasible.for_each([&](std::size_t row) {
    top.push_back({state_.cache.nodes().at(static_cast<cache::RowId>(row)).name, scores.total[row]});
  });
  std::ranges::sort(top, [](const AttemptRecord::Scored& a, const AttemptRecord::Scored& b) {
    return a.total != b.total ? a.total > b.total : a.node.text() < b.node.text();
  });
  if (top.size() > state_.options.scores_to_record) top.resize(state_.options.scores_to_record);
}

// --- The ends of an attempt ------------------------------------------------------------------------------------------

void SchedulingCycle::place(Attempt& attempt, Symbol node) {
  attempt.record.node = node;
  const api::PodPtr pod = attempt.popped->pod;
  const Symbol promised = state_.queue->nominator().node_of(pod->metadata.uid);
  if (const auto failure = bindings_.begin(attempt.popped, *attempt.profile, node, attempt.began)) {
    fail(attempt, *failure);
    // It had taken what it was promised, and has neither now. Told only when it is out of flight itself: whoever is
    // rejected after the choice of a node is not to be woken by that.
    const bool keeps_it = state_.queue->nominator().node_of(pod->metadata.uid) == promised;
    if (promised == node && !keeps_it) state_.nomination_given_up(pod, promised);
    return;
  }
  end(attempt, AttemptResult::kPlaced);
}

void SchedulingCycle::fail(Attempt& attempt, const Failure& failure) {
  AttemptRecord::Detail& detail = attempt.record.add_detail();
  detail.message = failure.message;
  detail.rejecting_plugins = failure.unschedulable_plugins;
  handle_failure(state_, std::move(attempt.popped), failure, attempt.began);
  end(attempt, failure.is_rejection ? AttemptResult::kUnschedulable : AttemptResult::kError);
}

PostFiltered SchedulingCycle::run_post_filter(const Attempt& attempt, const FailedAttempt& failed) {
  if (attempt.plugins().post_filter().empty()) return {Status(Code::kUnschedulable), std::nullopt, {}, {}};
  return framework::run_post_filter(attempt.plugins(), failed);
}

void SchedulingCycle::reject(Attempt& attempt, const FailedAttempt& failed) {
  PostFiltered after = run_post_filter(attempt, failed);
  Failure failure = failure_of(attempt, failed, after);
  finish_rejection(attempt, std::move(failure), std::move(after));
}

Failure SchedulingCycle::failure_of(Attempt& attempt, const FailedAttempt& failed, const PostFiltered& after) {
  std::vector<FailedAttempt::Rejection> rejections = failed.rejections();
  Failure failure;
  failure.message = failed.message(rejections, after.status.message());
  failure.unschedulable_plugins = failed.rejecting_plugins();
  if (failed.pre_filter().status.code() == Code::kPending) {
    failure.pending_plugins = {failed.pre_filter().status.plugin()};
    std::erase(failure.unschedulable_plugins, failed.pre_filter().status.plugin());
  }
  failure.nominated_node = after.nominated_node;
  for (FailedAttempt::Rejection& rejection : rejections) {
    attempt.record.add_detail().rejections.push_back({rejection.plugin, std::move(rejection.reason), rejection.nodes});
  }
  return failure;
}

void SchedulingCycle::finish_rejection(Attempt& attempt, Failure failure, PostFiltered after) {
  const api::PodPtr pod = attempt.popped->pod;
  const bool preempts = !after.victims.empty() && after.nominated_node && !after.nominated_node->empty();
  if (preempts) {
    attempt.record.node = *after.nominated_node;
    for (const api::PodPtr& victim : after.victims) {
      attempt.record.add_detail().victims.push_back(api::full_name(victim->metadata));
    }
    preemptions_.announce(pod, *after.nominated_node, std::move(after.victims));
  }
  fail(attempt, failure);
  if (preempts) preemptions_.execute(pod->metadata.uid);
}

void SchedulingCycle::end(Attempt& attempt, AttemptResult result) {
  attempt.record.ended_at = state_.now;
  attempt.record.result = result;
  const api::PodPtr& pod = attempt.pod.pod;
  if (state_.options.observer != nullptr) state_.options.observer->attempt_ended(*pod, attempt.record, state_.now);
  state_.attempts.add(pod->metadata.uid, std::move(attempt.record));
}

}  // namespace berth::engine
