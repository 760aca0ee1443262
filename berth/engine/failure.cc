#include "berth/engine/failure.h"

#include <map>
#include <utility>

#include "berth/engine/conditions.h"
#include "berth/engine/metrics.h"
#include "berth/framework/attempt.h"

namespace berth::engine {
namespace {

const Symbol& reason_of(const Failure& failure) {
  static const Symbol kUnschedulable("Unschedulable");
  static const Symbol kSchedulerError("SchedulerError");
  return failure.is_rejection ? kUnschedulable : kSchedulerError;
}

api::PodCondition not_scheduled(const Failure& failure) {
  static const Symbol kPodScheduled("PodScheduled");
  static const Symbol kFalse("False");
  api::PodCondition condition;
  condition.type = kPodScheduled;
  condition.status = kFalse;
  condition.reason = reason_of(failure);
  condition.message = failure.message;
  return condition;
}

// `was_nominated_to`: as far as this process knows. The patch that says so may still be under way, and must not have
// the last word.
void patch_status(State& state, const api::PodPtr& pod, const Failure& failure, Symbol was_nominated_to) {
  PatchPodStatus patch{.base = pod,
                       .condition = changed_condition(*pod, not_scheduled(failure), state.wall()),
                       .nominated_node_name = {}};
  const auto& nominated = failure.nominated_node;
  const bool is_told =
      nominated == pod->status.nominated_node_name && (was_nominated_to.empty() || nominated == was_nominated_to);
  if (nominated && !is_told) patch.nominated_node_name = *nominated;
  if (patch.condition || patch.nominated_node_name) state.calls.patch_status(std::move(patch));
}

}  // namespace

std::string truncated_note(std::string note) {
  if (note.size() <= kMaxNoteBytes) return note;
  // Never in the middle of a character: what is cut off does not begin with a byte that continues one.
  std::size_t kept = kMaxNoteBytes - 4;
  while (kept > 0 && (static_cast<unsigned char>(note[kept]) & 0xC0) == 0x80) --kept;
  note.resize(kept);
  return note + " ...";
}

Failure Failure::rejected_by(Symbol plugin, const std::vector<std::string>& reasons) {
  std::map<std::string, std::size_t, std::less<>> counts;
  for (const std::string& reason : reasons) ++counts[reason];
  return {.is_rejection = true,
          .message = framework::fit_error_message(1, counts),
          .unschedulable_plugins = plugin.empty() ? std::vector<Symbol>() : std::vector<Symbol>{plugin},
          .pending_plugins = {},
          .nominated_node = Symbol()};
}

void handle_failure(State& state, queue::PoppedPod popped, const Failure& failure, Instant began) {
  static const Symbol kWarning("Warning");
  static const Symbol kFailedScheduling("FailedScheduling");
  static const Symbol kScheduling("Scheduling");
  queue::SchedulingQueue& queue = *state.queue;
  const std::string uid = popped->uid();
  const api::PodPtr known = state.pods.find(popped->pod->metadata.name_space, popped->pod->metadata.name);
  if (state.options.metrics != nullptr) {
    state.options.metrics->attempt(failure.is_rejection ? AttemptResult::kUnschedulable : AttemptResult::kError,
                                   popped->profile(), state.options.metrics->since(began));
  }
  // Whoever is gone, was replaced by another pod of its name, or has got a node meanwhile needs no further try.
  if (known == nullptr || known->metadata.uid != uid || !known->spec.node_name.empty()) {
    (void)queue.done(uid);
    return;
  }
  popped->clear_rejectors();
  popped->unschedulable_plugins = queue.plugin_set(failure.unschedulable_plugins);
  popped->pending_plugins = queue.plugin_set(failure.pending_plugins);
  popped->pod = known;
  // A nomination that stays is the one that this process knows of: the pod's status may not show it yet.
  const Symbol before = queue.nominator().node_of(uid);
  const Symbol nominated = failure.nominated_node ? *failure.nominated_node : before;
  using Mode = queue::Nominating::Mode;
  const Mode mode = failure.nominated_node || !nominated.empty() ? Mode::kOverride : Mode::kKeep;
  state.change_nomination(known, [&] {
    (void)queue.add_unschedulable_if_not_present(std::move(popped), queue.scheduling_cycle(), state.now);
    queue.nominate(*known, {.mode = mode, .node_name = nominated});
  });
  state.events.record(known, kWarning, kFailedScheduling, kScheduling, truncated_note(failure.message));
  patch_status(state, known, failure, before);
}

}  // namespace berth::engine
