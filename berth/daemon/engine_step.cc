#include "berth/daemon/engine_step.h"

#include <utility>

#include "berth/base/overloaded.h"

namespace berth::daemon {

namespace {

// Room for so many messages is kept from turn to turn; what a burst needed beyond that is given back.
constexpr std::size_t kMessagesKept = 4096;

}  // namespace

EngineStep::EngineStep(engine::Scheduler& scheduler, const Clock& clock, Send send, EngineLimits limits)
    : scheduler_(scheduler), clock_(clock), send_(std::move(send)), limits_(limits) {}

void EngineStep::run(std::vector<EngineMessage>& messages) {
  // Each turn anew: the wall clock may have been set since.
  scheduler_.set_wall_clock_offset(clock_.wall_now() - clock_.now());
  for (EngineMessage& message : messages) take_in(message);
  messages.clear();
  if (messages.capacity() > kMessagesKept) messages.shrink_to_fit();
  scheduler_.advance(clock_.now());
  try_pods();
  EngineOutput output{.commands = scheduler_.take_commands(), .events = scheduler_.take_events()};
  if (!output.empty()) send_(std::move(output));
}

bool EngineStep::has_work() const {
  const std::size_t commands = scheduler_.commands_under_way() - scheduler_.unattended_patches_under_way();
  return !has_ended_ && scheduler_.binds_under_way() < limits_.binds_under_way &&
         commands < limits_.commands_under_way && scheduler_.has_work();
}

void EngineStep::take_in(EngineMessage& message) {
  const Instant now = clock_.now();
  std::visit(Overloaded{
                 [&](const Observe& what) { scheduler_.observe(what.object, now); },
                 [&](const ObserveDeleted& what) { scheduler_.observe_deleted(what.object, now); },
                 [&](const ObserveList& what) { scheduler_.observe_list(*what.kind, what.objects, now); },
                 [&](const Complete& what) { scheduler_.complete(what.id, what.outcome, now); },
                 [&](Start) { scheduler_.start(now); },
                 [&](EndWork) { has_ended_ = true; },
                 [&](const Question& question) {
                   scheduler_.advance(now);  // an idle engine's gauges may be old
                   question.ask(scheduler_);
                 },
             },
             message);
}

void EngineStep::try_pods() {
  const Instant began = clock_.now();
  Instant now = began;
  for (std::size_t tried = 0; tried < limits_.tries && now - began < limits_.time && has_work(); ++tried) {
    if (!scheduler_.try_next(now)) return;
    now = clock_.now();
  }
}

}  // namespace berth::daemon
