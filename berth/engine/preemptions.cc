#include "berth/engine/preemptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/api/label_selector.h"
#include "berth/engine/conditions.h"
#include "berth/engine/metrics.h"
#include "berth/framework/attempt.h"

namespace berth::engine {

struct Preemptions::Preemption {
  std::uint64_t id = 0;
  api::PodPtr preemptor;
  Symbol node;
  std::vector<api::PodPtr> victims;
  std::vector<Progress> progress;  // by victim
  Instant began_at;
  bool is_pausing = false;  // evicting has failed

  bool takes(const api::Pod& pod) const {
    return std::ranges::any_of(victims, [&](const auto& victim) { return victim->metadata.uid == pod.metadata.uid; });
  }
};

namespace {

// Of more victims than this that no budget has counted, the oldest are forgotten: budgets are best effort.
constexpr std::size_t kMaxUncounted = 10'000;
// How long a preemptor is held back after an eviction has failed.
constexpr Duration kPauseAfterFailure = Duration::seconds(1);

api::PodCondition disruption_target(const api::Pod& preemptor) {
  static const Symbol kDisruptionTarget("DisruptionTarget");
  static const Symbol kTrue("True");
  static const Symbol kPreemptionByScheduler("PreemptionByScheduler");
  api::PodCondition condition;
  condition.type = kDisruptionTarget;
  condition.status = kTrue;
  condition.reason = kPreemptionByScheduler;
  condition.message =
      fmt::format("{}: preempting to accommodate a higher priority pod", preemptor.spec->scheduler_name.text());
  return condition;
}

}  // namespace

Preemptions::Preemptions(State& state) : state_(state) {}
Preemptions::~Preemptions() = default;

Preemptions::Preemption* Preemptions::find(std::string_view preemptor_uid) {
  const auto it = by_preemptor_.find(preemptor_uid);
  return it == by_preemptor_.end() ? nullptr : it->second.get();
}

Preemptions::Preemption* Preemptions::find(const Eviction& eviction) {
  Preemption* preemption = find(eviction.preemptor.uid);
  return preemption != nullptr && preemption->id == eviction.preemption ? preemption : nullptr;
}

bool Preemptions::is_preempting(const api::Pod& preemptor) const {
  return by_preemptor_.contains(preemptor.metadata.uid);
}

std::span<const api::PodPtr> Preemptions::uncounted_victims() const {
  if (state_.options.quirks.budgets_ignore_own_evictions) return {};
  return uncounted_;
}

void Preemptions::announce(const api::PodPtr& preemptor, Symbol node, std::vector<api::PodPtr> victims) {
  if (state_.options.metrics != nullptr) state_.options.metrics->preemption_victims(victims.size());
  auto preemption = std::make_unique<Preemption>();
  preemption->id = ++last_id_;
  preemption->preemptor = preemptor;
  preemption->node = node;
  for (api::PodPtr& victim : victims) {
    // One that leaves already is waited for, not evicted again.
    const api::PodPtr& known = state_.pods.find(victim->metadata.name_space, victim->metadata.name);
    const bool leaves = victim->metadata.deletion_timestamp.is_set() ||
                        (known != nullptr && known->metadata.deletion_timestamp.is_set());
    preemption->progress.push_back(leaves ? Progress::kLeft : Progress::kOpen);
    if (!leaves) {
      std::vector<std::string>& preemptors = preemptors_of_[victim->metadata.uid];
      const bool is_noted = std::ranges::find(preemptors, preemptor->metadata.uid) != preemptors.end();
      if (!is_noted) preemptors.push_back(preemptor->metadata.uid);
    }
    preemption->victims.push_back(std::move(victim));
  }
  preemption->began_at = state_.now;
  if (state_.options.observer != nullptr) {
    state_.options.observer->preemption_began(*preemptor, node, preemption->victims, state_.now);
  }
  by_preemptor_.insert_or_assign(preemptor->metadata.uid, std::move(preemption));
}

void Preemptions::execute(std::string_view preemptor_uid) {
  const std::string uid(preemptor_uid);
  Preemption* preemption = find(uid);
  if (preemption == nullptr) return;
  take_nominations(*preemption);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < preemption->victims.size(); ++i) {
    if (preemption->progress[i] == Progress::kOpen) open.push_back(i);
  }
  // All but the last; go_on() sees to that one.
  for (std::size_t i = 0; i + 1 < open.size(); ++i) {
    preemption = find(uid);
    if (preemption == nullptr) return;
    evict(*preemption, open[i]);
  }
  go_on(uid);
}

void Preemptions::evict(Preemption& preemption, std::size_t index) {
  const api::PodPtr victim = preemption.victims[index];
  const Eviction eviction{.preemptor = PodRef(*preemption.preemptor), .preemption = preemption.id, .victim = index};
  std::string note = fmt::format("Preempted by pod {} on node {}", eviction.preemptor.uid, preemption.node.text());
  preemption.progress[index] = Progress::kEvicting;
  if (bindings_->preempt(victim->metadata.uid)) {
    publish(eviction, victim, note + " (in kube-scheduler memory).");
    if (Preemption* still = find(eviction)) still->progress[index] = Progress::kLeft;
    return;
  }
  note_uncounted(victim);
  auto condition = changed_condition(*victim, disruption_target(*preemption.preemptor), state_.wall());
  if (!condition) return remove(eviction, victim, std::move(note));
  state_.calls.patch_status({.base = victim, .condition = std::move(condition), .nominated_node_name = {}},
                            [this, eviction, victim, note = std::move(note)](const Outcome& outcome) {
                              if (!outcome.is_done()) return evicted(eviction, outcome);
                              // If the preemptor needs no room any more, the victim stays.
                              if (find(eviction) != nullptr) return remove(eviction, victim, note);
                              std::erase(uncounted_, victim);
                            });
}

// The victim says why it has to go.
void Preemptions::remove(const Eviction& eviction, const api::PodPtr& victim, std::string note) {
  state_.calls.send(DeletePod{PodRef(*victim)},
                    [this, eviction, victim, note = std::move(note)](const Outcome& outcome) {
                      if (outcome.is_done()) publish(eviction, victim, note);
                      evicted(eviction, outcome);
                    });
}

void Preemptions::publish(const Eviction& eviction, const api::PodPtr& victim, std::string note) {
  static const Symbol kNormal("Normal");
  static const Symbol kPreempted("Preempted");
  static const Symbol kPreempting("Preempting");
  state_.events.record(victim, kNormal, kPreempted, kPreempting, std::move(note), eviction.preemptor);
}

void Preemptions::evicted(const Eviction& eviction, const Outcome& outcome) {
  Preemption* preemption = find(eviction);
  const std::size_t index = eviction.victim;
  // Its going may have been seen before the answer came.
  if (preemption == nullptr || preemption->progress[index] != Progress::kEvicting) return;
  Progress& progress = preemption->progress[index];
  switch (outcome.kind) {
    case Outcome::Kind::kDone: progress = Progress::kEvicted; break;
    case Outcome::Kind::kNotFound: progress = Progress::kLeft; break;
    case Outcome::Kind::kConflict: {
      // Another pod has that name now, or something else came in between.
      const api::ObjectMeta& victim = preemption->victims[index]->metadata;
      const api::PodPtr& known = state_.pods.find(victim.name_space, victim.name);
      const bool is_there = known != nullptr && known->metadata.uid == victim.uid;
      progress = is_there ? Progress::kFailed : Progress::kLeft;
      break;
    }
    case Outcome::Kind::kUnknown: progress = Progress::kFailed; break;
    case Outcome::Kind::kRefused:
      progress = Progress::kFailed;
      std::erase(uncounted_, preemption->victims[index]);
      break;
  }
  go_on(eviction.preemptor.uid);
}

void Preemptions::pod_leaves(std::string_view uid) {
  const auto it = preemptors_of_.find(uid);
  if (it == preemptors_of_.end()) return;
  const std::vector<std::string> preemptors = std::move(it->second);
  preemptors_of_.erase(it);
  for (const std::string& preemptor_uid : preemptors) {
    Preemption* preemption = find(preemptor_uid);
    if (preemption == nullptr) continue;
    for (std::size_t i = 0; i < preemption->victims.size(); ++i) {
      if (preemption->victims[i]->metadata.uid == uid) preemption->progress[i] = Progress::kLeft;
    }
    go_on(preemptor_uid);
  }
}

void Preemptions::preemptor_gone(std::string_view uid) {
  const auto it = by_preemptor_.find(uid);
  if (it == by_preemptor_.end()) return;
  const std::unique_ptr<Preemption> preemption = std::move(it->second);
  by_preemptor_.erase(it);
  if (state_.options.observer != nullptr) {
    state_.options.observer->preemption_ended(*preemption->preemptor, state_.now);
  }
}

void Preemptions::go_on(std::string_view preemptor_uid) {
  Preemption* preemption = find(preemptor_uid);
  if (preemption == nullptr) return;
  const std::vector<Progress>& progress = preemption->progress;
  const auto any = [&](Progress wanted) { return std::ranges::find(progress, wanted) != progress.end(); };
  if (any(Progress::kEvicting)) return;
  const std::string uid(preemptor_uid);
  if (any(Progress::kFailed)) return end_after_pause(*preemption);
  const auto open = std::ranges::find(progress, Progress::kOpen);
  if (open == progress.end()) {
    if (!any(Progress::kEvicted)) end(uid, false);
    return;
  }
  evict(*preemption, static_cast<std::size_t>(open - progress.begin()));
  go_on(uid);
}

// An API server that refuses is not asked again at once.
void Preemptions::end_after_pause(Preemption& preemption) {
  if (std::exchange(preemption.is_pausing, true)) return;
  const std::string uid = preemption.preemptor->metadata.uid;
  state_.timers.set(state_.now + kPauseAfterFailure, [this, uid, id = preemption.id] {
    const Preemption* paused = find(uid);
    if (paused != nullptr && paused->id == id) end(uid, true);
  });
}

// The gate opens. If it held the preemptor back when an event came, or if evicting has failed, the preemptor is tried
// again: after its backoff, or before if nothing else is to be tried.
void Preemptions::end(std::string_view preemptor_uid, bool has_failed) {
  const auto it = by_preemptor_.find(preemptor_uid);
  const std::unique_ptr<Preemption> preemption = std::move(it->second);
  by_preemptor_.erase(it);
  const api::Pod& preemptor = *preemption->preemptor;
  if (state_.options.metrics != nullptr) {
    state_.options.metrics->preemption_execution(!has_failed, state_.now - preemption->began_at);
  }
  if (state_.options.observer != nullptr) state_.options.observer->preemption_ended(preemptor, state_.now);
  const queue::QueuedPod* queued = state_.queue->get(preemptor.metadata.name_space, preemptor.metadata.name);
  if (queued == nullptr || queued->uid() != preemptor.metadata.uid) return;
  const bool was_held_back = queued->is_gated() && !state_.options.quirks.preemption_end_wakes_nobody;
  if (!has_failed && !was_held_back) return;
  static const Symbol kPreemptionEnded("PreemptionEnded");
  (void)state_.queue->reconsider(preemptor, kPreemptionEnded, state_.now);
}

// --- Budgets ---------------------------------------------------------------------------------------------------------

void Preemptions::note_uncounted(const api::PodPtr& victim) {
  bool is_covered = false;
  state_.objects.pod_disruption_budgets.for_each_in(victim->metadata.name_space, [&](const auto& budget) {
    const auto selector = api::LabelMatcher::compile(budget->spec.selector);
    is_covered |= selector && selector->matches(*victim->metadata.labels);
  });
  if (!is_covered) return;
  if (uncounted_.size() >= kMaxUncounted) uncounted_.erase(uncounted_.begin());
  uncounted_.push_back(victim);
}

void Preemptions::budget_changed(const api::PodDisruptionBudget& budget) {
  if (uncounted_.empty()) return;
  const auto selector = api::LabelMatcher::compile(budget.spec.selector);
  if (!selector) return;
  std::erase_if(uncounted_, [&](const api::PodPtr& victim) {
    if (victim->metadata.name_space != budget.metadata.name_space || !selector->matches(*victim->metadata.labels)) {
      return false;
    }
    const api::PodPtr& known = state_.pods.find(victim->metadata.name_space, victim->metadata.name);
    return known == nullptr || known->metadata.uid != victim->metadata.uid ||
           known->metadata.deletion_timestamp.is_set();
  });
}

// --- Nominations -----------------------------------------------------------------------------------------------------

void Preemptions::take_nominations(const Preemption& preemption) {
  static const Symbol kNominationTaken("NominationTaken");
  for (const api::PodPtr& nominee : nominees_without_room(preemption)) {
    take_nomination(nominee);
    // It may fit elsewhere.
    if (state_.options.quirks.preemptor_strips_all_nominations) continue;
    (void)state_.queue->reconsider(*nominee, kNominationTaken, state_.now);
  }
}

bool Preemptions::is_leaving(const api::Pod& pod) {
  if (pod.metadata.deletion_timestamp.is_set()) return true;
  const auto it = preemptors_of_.find(pod.metadata.uid);
  // Of those that wanted it evicted, some may have given up since.
  return it != preemptors_of_.end() && std::ranges::any_of(it->second, [&](const std::string& preemptor_uid) {
           const Preemption* under_way = find(preemptor_uid);
           return under_way != nullptr && under_way->takes(pod);
         });
}

void Preemptions::take_nomination(const api::PodPtr& nominee) {
  state_.change_nomination(nominee, [&] {
    state_.queue->nominate(*nominee, {.mode = queue::Nominating::Mode::kOverride, .node_name = Symbol()});
  });
  // Also if its status does not show the nomination yet: the patch that will is under way.
  state_.calls.patch_status({.base = nominee, .condition = {}, .nominated_node_name = Symbol()});
}

// The pods of lower priority that are nominated to the node and do not fit there beside the preemptor, once its victims
// and all others that leave are gone. The most important nominees come first.
std::vector<api::PodPtr> Preemptions::nominees_without_room(const Preemption& preemption) {
  const std::int32_t priority = api::priority_of(*preemption.preemptor);
  std::vector<api::PodPtr> nominees;
  for (const queue::NominatedPod& nominated : state_.queue->nominated_pods_for_node(preemption.node)) {
    if (nominated.pod != nullptr && api::priority_of(*nominated.pod) < priority) nominees.push_back(nominated.pod);
  }
  const cache::NodeTable& table = state_.cache.nodes();
  const cache::RowId row = table.row_of(preemption.node);
  if (nominees.empty() || state_.options.quirks.preemptor_strips_all_nominations || row == cache::kNoRow ||
      table.at(row).node == nullptr) {
    return nominees;
  }
  std::ranges::sort(nominees, [](const api::PodPtr& a, const api::PodPtr& b) {
    const auto a_priority = api::priority_of(*a);
    const auto b_priority = api::priority_of(*b);
    return a_priority != b_priority ? a_priority > b_priority : a->metadata.uid < b->metadata.uid;
  });
  std::vector<api::PodPtr> losers;
  std::vector<cache::PlacedPod> kept = {{preemption.preemptor, state_.cache.compile(*preemption.preemptor), nullptr}};
  for (const api::PodPtr& nominee : nominees) {
    ProfileInUse* profile = state_.profiles.find(nominee->spec->scheduler_name);
    if (profile == nullptr) continue;
    const framework::PodToPlace pod = state_.to_place(nominee);
    const framework::PreFilterResult pre_filter = framework::run_pre_filter(*profile->profile, pod, state_.view());
    bool fits = pre_filter.status.is_success();
    if (fits) {
      framework::NodeTrial trial(*profile->profile, pre_filter, table.at(row));
      for (const cache::PlacedPod& placed : table.at(row).pods) {
        if (preemption.takes(*placed.pod) || is_leaving(*placed.pod)) trial.remove_pod(*placed.pod);
      }
      for (const cache::PlacedPod& other : kept) trial.add_pod(other);
      fits = trial.check().verdict.is_success();
    }
    if (fits) {
      kept.push_back({nominee, pod.compiled, nullptr});
    } else {
      losers.push_back(nominee);
    }
  }
  return losers;
}

}  // namespace berth::engine
