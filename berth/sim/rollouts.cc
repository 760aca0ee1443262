#include "berth/sim/rollouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "berth/text/words.h"

namespace berth::sim {

namespace {

constexpr std::int32_t kDefaultDeadlineSeconds = 600;  // spec.progressDeadlineSeconds
// Progress is told at so many steps on the way: more would only repeat what the pods' own lines say.
constexpr std::int32_t kSteps = 4;

Duration deadline_of(const api::Deployment& deployment) {
  const std::int32_t seconds = deployment.spec.progress_deadline_seconds.value_or(kDefaultDeadlineSeconds);
  // The largest number stands for none.
  return seconds == std::numeric_limits<std::int32_t>::max() ? Duration() : Duration::seconds(seconds);
}

std::string name_of(const Rollout& rollout) {
  const bool is_elsewhere = rollout.name_space != "default" && !rollout.name_space.empty();
  return fmt::format("Deployment/{}{}", rollout.deployment, is_elsewhere ? " in " + rollout.name_space.str() : "");
}

std::int32_t quarters_of(const RolloutProgress& progress) {
  return progress.wanted == 0 ? kSteps : progress.ready * kSteps / progress.wanted;
}

}  // namespace

void Rollouts::look(const api::Deployment& deployment, const api::ReplicaSet& current,
                    const RolloutProgress& progress) {
  const std::string& uid = deployment.metadata.uid;
  auto found = under_way_.find(uid);
  if (found != under_way_.end() && found->second.rollout.replica_set != current.metadata.name) {
    // Another template came before the last one was through.
    under_way_.erase(found);
    found = under_way_.end();
  }
  if (found == under_way_.end()) {
    // A Deployment that is new or scaled has pods of one template only.
    if (progress.old == 0 || deployment.spec.paused) return;
    Following following;
    Rollout& rollout = following.rollout;
    rollout.name_space = deployment.metadata.name_space;
    rollout.deployment = deployment.metadata.name;
    rollout.replica_set = current.metadata.name;
    rollout.set_uid = current.metadata.uid;
    rollout.progress = progress;
    rollout.began_at = rollout.progressed_at = agenda_.now();
    rollout.deadline = deadline_of(deployment);
    following.quarters = quarters_of(progress);
    tell("started", fmt::format("rollout of {} started: {} of {} pods updated and ready", name_of(rollout),
                                progress.ready, progress.wanted));
    const Duration deadline = rollout.deadline;
    under_way_.emplace(uid, std::move(following));
    if (deadline > Duration()) set_timer(uid, deadline);
    return;
  }
  found->second.rollout.deadline = deadline_of(deployment);
  follow(uid, found->second, progress);
}

void Rollouts::follow(const std::string& uid, Following& following, const RolloutProgress& progress) {
  Rollout& rollout = following.rollout;
  const RolloutProgress& last = rollout.progress;
  const bool has_progressed = progress.updated > last.updated || progress.ready > last.ready ||
                              progress.old < last.old || progress.wanted != last.wanted;
  rollout.progress = progress;
  if (progress.is_complete()) {
    tell("complete", fmt::format("rollout of {} complete after {}: {} of {} pods updated and ready", name_of(rollout),
                                 text::short_time(agenda_.now() - rollout.began_at), progress.ready, progress.wanted));
    under_way_.erase(uid);
    return;
  }
  if (!has_progressed) return;
  rollout.progressed_at = agenda_.now();
  const bool was_stuck = std::exchange(rollout.is_stuck, false);
  const std::int32_t quarters = quarters_of(progress);
  if (was_stuck || quarters > following.quarters) {
    tell("progress", fmt::format("rollout of {}{}: {} of {} pods updated and ready", name_of(rollout),
                                 was_stuck ? " goes on" : "", progress.ready, progress.wanted));
  }
  following.quarters = std::max(following.quarters, quarters);
  if (!following.has_timer && rollout.deadline > Duration()) set_timer(uid, rollout.deadline);
}

void Rollouts::set_timer(const std::string& uid, Duration delay) {
  under_way_.find(uid)->second.has_timer = true;
  agenda_.after(delay, Agenda::Urgency::kLater, [this, uid] { check_deadline(uid); });
}

void Rollouts::check_deadline(const std::string& uid) {
  const auto found = under_way_.find(uid);
  if (found == under_way_.end()) return;
  Rollout& rollout = found->second.rollout;
  found->second.has_timer = false;
  if (rollout.is_stuck || rollout.deadline == Duration()) return;
  const Duration since = agenda_.now() - rollout.progressed_at;
  if (since < rollout.deadline) return set_timer(uid, rollout.deadline - since);
  rollout.is_stuck = true;
  const std::string reason = reason_of(rollout);
  tell("stuck", fmt::format("rollout of {} is stuck at {} of {} pods: no progress for {}, its progress deadline{}{}",
                            name_of(rollout), rollout.progress.ready, rollout.progress.wanted,
                            text::short_time(rollout.deadline), reason.empty() ? "" : "; ", reason));
}

std::string Rollouts::reason_of(const Rollout& rollout) const {
  static const Symbol scheduled("PodScheduled");
  std::size_t pending = 0;
  std::string message;
  for (const api::PodPtr& pod : pods_.list(rollout.set_uid)) {
    if (!pod->spec.node_name.empty() || pod->metadata.deletion_timestamp.is_set()) continue;
    ++pending;
    const api::PodCondition* condition = api::find_condition(*pod, scheduled);
    if (message.empty() && condition != nullptr) message = condition->message;
  }
  if (pending == 0) return "";
  return fmt::format("{} pending{}{}", pending == 1 ? "1 pod is" : fmt::format("{} pods are", pending),
                     message.empty() ? "" : ": ", message);
}

void Rollouts::tell(std::string_view what, std::string text) {
  history_.rollout(Symbol(what), std::move(text), agenda_.now());
}

std::vector<Rollout> Rollouts::under_way() const {
  std::vector<Rollout> result;
  for (const auto& [uid, following] : under_way_) result.push_back(following.rollout);
  std::ranges::sort(result, [](const Rollout& a, const Rollout& b) {
    return std::tuple(a.name_space.text(), std::string_view(a.deployment)) <
           std::tuple(b.name_space.text(), std::string_view(b.deployment));
  });
  return result;
}

}  // namespace berth::sim
