#include "berth/report/unfinished.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/explain/words.h"
#include "berth/report/words.h"
#include "berth/sim/api_server.h"
#include "berth/sim/failed_creations.h"

namespace berth::report {

namespace {

// More are only counted.
constexpr std::size_t kMaxNamed = 3;

// The names of pending pods by the UID of their controller.
using PendingByOwner = std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;

PendingByOwner pending_by_owner(const sim::World& world) {
  PendingByOwner result;
  world.api().for_each<api::Pod>([&](const api::PodPtr& pod) {
    if (!pod->spec.node_name.empty() || api::is_terminal(*pod) || pod->metadata.deletion_timestamp.is_set()) return;
    const api::OwnerReference* owner = api::controller_of(pod->metadata);
    if (owner != nullptr) result[owner->uid].insert(api::full_name(pod->metadata));
  });
  return result;
}

// How far it is, up to the reason.
std::string state_text(const UnfinishedRollout& rollout, const sim::Rollout& state, Duration waits, Outlook outlook) {
  const std::string deadline = short_time(state.deadline);
  if (state.is_stuck) {
    return fmt::format("is stuck at {} of {}: no progress for {}, and its progress deadline is {}", rollout.ready,
                       rollout.wanted, short_time(waits), deadline);
  }
  if (outlook == Outlook::kAtRest) {
    return state.deadline > Duration()
               ? fmt::format("is stuck at {} of {}, and fails when its progress deadline of {} is over", rollout.ready,
                             rollout.wanted, deadline)
               : fmt::format("is stuck at {} of {}", rollout.ready, rollout.wanted);
  }
  return fmt::format("is under way: {} of {} pods are updated and ready, no progress for {}", rollout.ready,
                     rollout.wanted, short_time(waits));
}

}  // namespace

std::string sentence_about(const std::string& pod, const PendingPods& group) {
  if (!group.sentence.starts_with(group.pods.front())) return group.sentence;
  return pod + group.sentence.substr(group.pods.front().size());
}

std::vector<UnfinishedRollout> unfinished_rollouts(const sim::World& world, std::span<const PendingPods> pending,
                                                   Outlook outlook) {
  const std::vector<sim::Rollout> states = world.rollouts();
  if (states.empty()) return {};
  const PendingByOwner by_owner = pending_by_owner(world);
  std::map<std::string, std::string> refusals;  // what the API server said, by workload
  for (sim::FailedCreation& each : world.failed_creations().list()) {
    refusals.emplace(fmt::format("{}/{}", each.name_space.text(), each.group), std::move(each.message));
  }
  std::vector<UnfinishedRollout> result;
  for (const sim::Rollout& state : states) {
    UnfinishedRollout& rollout = result.emplace_back();
    rollout.deployment = fmt::format("{}/{}", state.name_space.text(), state.deployment);
    rollout.wanted = state.progress.wanted;
    rollout.updated = state.progress.updated;
    rollout.ready = state.progress.ready;
    rollout.old = state.progress.old;
    rollout.stuck = state.is_stuck || outlook == Outlook::kAtRest;
    const Duration waits = world.now() - state.progressed_at;
    rollout.no_progress_seconds = waits.in_seconds();
    if (const auto pods = by_owner.find(state.set_uid); pods != by_owner.end()) {
      rollout.pods.assign(pods->second.begin(), pods->second.end());
      std::ranges::sort(rollout.pods, explain::natural_less);
      for (const PendingPods& group : pending) {
        const auto found =
            std::ranges::find_if(group.pods, [&](const auto& pod) { return pods->second.contains(pod); });
        if (found == group.pods.end()) continue;
        rollout.reason = sentence_about(*found, group);
        break;
      }
    }
    rollout.sentence = fmt::format("Rollout of {} {}", rollout.deployment, state_text(rollout, state, waits, outlook));
    if (!rollout.pods.empty()) {
      rollout.sentence += fmt::format(". {} pending", rollout.pods.size() == 1
                                                          ? "1 of its new pods is"
                                                          : fmt::format("{} of its new pods are", rollout.pods.size()));
    }
    const auto refused = refusals.find(fmt::format("{}/Deployment/{}", state.name_space.text(), state.deployment));
    if (refused != refusals.end() && rollout.pods.empty()) {
      rollout.sentence += ". New pods cannot be created";
      rollout.reason = refused->second + ".";
    }
    rollout.sentence += rollout.reason.empty() ? "." : ": " + rollout.reason;
  }
  return result;
}

std::vector<BlockedDrain> blocked_drains(const sim::World& world) {
  std::vector<BlockedDrain> result;
  for (const sim::Drain& drain : world.open_drains()) {
    BlockedDrain& blocked = result.emplace_back();
    blocked.node = drain.node.str();
    blocked.pods = static_cast<std::int64_t>(drain.pods);
    std::map<std::string, std::vector<std::string>> by_hold;  // what holds them, and whom
    for (const sim::Drain::Held& held : drain.held) {
      const std::string name = api::full_name(held.pod->metadata);
      blocked.held.push_back(name);
      if (held.by.budgets.empty()) continue;  // it goes when it is asked for again
      by_hold[held.by.str()].push_back(name);
      for (const std::string& budget : held.by.budgets) {
        if (std::ranges::find(blocked.budgets, budget) == blocked.budgets.end()) blocked.budgets.push_back(budget);
      }
    }
    std::vector<std::string> parts;
    for (const auto& [hold, pods] : by_hold) {
      parts.push_back(fmt::format("{}, which {} {}", hold, hold.starts_with("the budgets ") ? "hold" : "holds",
                                  explain::listed(pods, kMaxNamed)));
    }
    blocked.sentence =
        parts.empty()
            ? fmt::format("Drain of {} has not evicted {} yet.", blocked.node, explain::listed(blocked.held, kMaxNamed))
            : fmt::format("Drain of {} is blocked by {}.", blocked.node, explain::listed(parts));
  }
  return result;
}

}  // namespace berth::report
