// The commands that the engine gives, with what the limits of the daemon and the metrics have to know about them: how
// many have no result yet, of which kind, and how long they took.
//
// Not thread safe.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "berth/base/time.h"
#include "berth/engine/command.h"
#include "berth/engine/metrics.h"
#include "berth/engine/outbox.h"

namespace berth::engine {

class ApiCalls {
 public:
  using OnResult = Outbox::OnResult;

  // Both outlive it; `metrics` may be null. `now` is the instant of the call under way.
  ApiCalls(SchedulerMetrics* metrics, const Instant& now) : metrics_(metrics), now_(now) {}

  void patch_status(PatchPodStatus patch, OnResult on_result = {});
  void bind_pod(BindPod bind, OnResult on_result);
  void send(decltype(Command::what) what, OnResult on_result = {}) {
    outbox_.send(std::move(what), std::move(on_result));
  }

  // The result of a command; dropped if nothing waits for it any more.
  void complete(CommandId id, const Outcome& outcome) { outbox_.complete(id, outcome); }
  std::vector<Command> take() { return outbox_.take(); }

  // Commands without a result yet.
  std::size_t in_flight() const { return outbox_.waiting(); }
  // Of these, the patches of statuses that nothing waits for.
  std::size_t unattended_patches() const { return unattended_patches_; }

 private:
  // Reports to the metrics too, if there are any.
  OnResult counted(SchedulerMetrics::ApiCall call, OnResult on_result);

  SchedulerMetrics* metrics_;
  const Instant& now_;
  Outbox outbox_;
  std::size_t unattended_patches_ = 0;
};

}  // namespace berth::engine
