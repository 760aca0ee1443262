// Whether what the changes came to is good news, a sentence for each: "Drain of n-1 is blocked by the budget ...",
// "Scale of Deployment shop/web to 5: 4 of 5 pods have a place."
//
// Bad news is a pod of a change that stays without a place or is gone for good, a drain that a budget blocks, a rollout
// that is stuck, and a pod elsewhere that loses its place to a preemptor. That new nodes do not help all pending pods
// is bad news only if they are all that is changed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/report/summary.h"
#include "berth/sim/world.h"
#include "berth/whatif/change.h"
#include "berth/whatif/difference.h"

namespace berth::whatif {

// What there was when the nodes that are removed had been drained.
struct Facts {
  const Plan& plan;
  const sim::World& world;
  std::span<const api::AnyObject> dump;
  std::span<const PodPair> pairs;
  std::span<const report::PendingPods> pending;
  std::span<const report::BlockedDrain> blocked;  // drains; of removed nodes, before their removal
};

std::vector<Verdict> verdicts_of(const Facts& facts);

}  // namespace berth::whatif
