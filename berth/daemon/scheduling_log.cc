#include "berth/daemon/scheduling_log.h"

namespace berth::daemon {

namespace {

// Levels as kube-scheduler has them: outcomes at 2, attempts at 3.
constexpr int kOutcome = 2;
constexpr int kAttempt = 3;

// Many times what is bound at once.
constexpr std::size_t kMaxChosen = 10'000;

LogObject name_of(const api::Pod& pod) {
  return {pod.metadata.name_space, pod.metadata.name};
}

}  // namespace

void SchedulingLog::attempt_ended(const api::Pod& pod, const engine::AttemptRecord& attempt, Instant) {
  switch (attempt.result) {
    case engine::AttemptResult::kPlaced:
      log_.info(kAttempt, "Selected node for pod",
                {{"pod", name_of(pod)},
                 {"node", attempt.node},
                 {"evaluatedNodes", attempt.nodes_evaluated},
                 {"feasibleNodes", attempt.nodes_feasible},
                 {"attempt", attempt.number}});
      if (log_.is_on(kOutcome)) {
        // Those of pods whose binding failed before their attempt had ended, and that are gone since, stay behind.
        if (chosen_.size() >= kMaxChosen) chosen_.clear();
        chosen_[pod.metadata.uid] = {attempt.nodes_evaluated, attempt.nodes_feasible};
      }
      return;
    case engine::AttemptResult::kUnschedulable:
      log_.info(kOutcome, "Unable to schedule pod; no fit; waiting",
                {{"pod", name_of(pod)}, {"err", attempt.detail().message}, {"attempt", attempt.number}});
      return;
    case engine::AttemptResult::kError:
      log_.error("Error scheduling pod; retrying", {{"err", attempt.detail().message}, {"pod", name_of(pod)}});
      return;
    case engine::AttemptResult::kSkipped:
      log_.info(kAttempt, "Skip schedule deleting pod", {{"pod", name_of(pod)}, {"reason", attempt.detail().message}});
      return;
  }
}

void SchedulingLog::pod_bound(const api::Pod& pod, Symbol node, Instant) {
  Chosen chosen;
  if (const auto found = chosen_.find(pod.metadata.uid); found != chosen_.end()) {
    chosen = found->second;
    chosen_.erase(found);
  }
  log_.info(kOutcome, "Successfully bound pod to node",
            {{"pod", name_of(pod)},
             {"node", node},
             {"evaluatedNodes", chosen.evaluated_nodes},
             {"feasibleNodes", chosen.feasible_nodes}});
}

void SchedulingLog::binding_failed(const api::Pod& pod, Symbol node, std::string_view why, Instant) {
  chosen_.erase(pod.metadata.uid);
  log_.error("Failed to bind pod; retrying", {{"err", why}, {"pod", name_of(pod)}, {"node", node}});
}

void SchedulingLog::preemption_began(const api::Pod& preemptor, Symbol node, const std::vector<api::PodPtr>& victims,
                                     Instant) {
  if (!log_.is_on(kOutcome)) return;
  for (const api::PodPtr& victim : victims) {
    log_.info(kOutcome, "Preemptor Pod preempted victim Pod",
              {{"preemptor", name_of(preemptor)}, {"victim", name_of(*victim)}, {"node", node}});
  }
}

}  // namespace berth::daemon
