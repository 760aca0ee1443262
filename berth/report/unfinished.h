// Rollouts and drains that are not through, with what holds them up, in sentences.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "berth/report/summary.h"
#include "berth/sim/world.h"

namespace berth::report {

// Whether the world goes on: a rollout that waits when nothing is going to happen any more is stuck, however short it
// has been waiting.
enum class Outlook : std::uint8_t { kGoesOn, kAtRest };

// `pending` is pending_of() the same world.
std::vector<UnfinishedRollout> unfinished_rollouts(const sim::World& world, std::span<const PendingPods> pending,
                                                   Outlook outlook);
std::vector<BlockedDrain> blocked_drains(const sim::World& world);

// The sentence of the group about that pod of it.
std::string sentence_about(const std::string& pod, const PendingPods& group);

}  // namespace berth::report
