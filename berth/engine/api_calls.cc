#include "berth/engine/api_calls.h"

namespace berth::engine {

void ApiCalls::patch_status(PatchPodStatus patch, OnResult on_result) {
  // A patch that nothing waits for is in flight until its result has come, too.
  if (!on_result) {
    ++unattended_patches_;
    on_result = [this](const Outcome&) { --unattended_patches_; };
  }
  outbox_.send(std::move(patch), counted(SchedulerMetrics::ApiCall::kPodStatusPatch, std::move(on_result)));
}

void ApiCalls::bind_pod(BindPod bind, OnResult on_result) {
  outbox_.send(std::move(bind), counted(SchedulerMetrics::ApiCall::kPodBinding, std::move(on_result)));
}

ApiCalls::OnResult ApiCalls::counted(SchedulerMetrics::ApiCall call, OnResult on_result) {
  if (metrics_ == nullptr) return on_result;
  metrics_->api_call_begins(call);
  return [this, call, began_at = now_, on_result = std::move(on_result)](const Outcome& outcome) {
    metrics_->api_call_ends(call, outcome.is_done(), now_ - began_at);
    if (on_result) on_result(outcome);
  };
}

}  // namespace berth::engine
