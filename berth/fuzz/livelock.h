// Tells one way of never coming to rest from all others: a preemptor and a controller that undo each other's work.
//
// A pod may be kept off by a rule about a topology domain (anti-affinity, spread) and preempt a pod there. While the
// victim leaves, the nomination keeps lower pods off the node itself, but not off the domain's other nodes: that is how
// kube-scheduler defines nominations, and its documentation says that preemption looks at one node at a time. So the
// pod that the victim's controller makes in its place may go to another node of the domain, be in the preemptor's way
// again, and be preempted again, without end. No order of wake-ups avoids that.
//
// A run counts as such only if that explains everything that still happens in it. See find_livelock().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/sim/world.h"

namespace berth::fuzz {

struct Livelock {
  std::vector<std::string> workloads;  // whose pods are preempted and come back: "Job/w4"
  std::string text;                    // for people
};

// Looks at the last half hour of a run that did not come to rest. It is a livelock if in that time
// - nothing came from outside, and nothing failed;
// - every pod that was made, placed or deleted belongs to a workload whose pods were preempted;
// - every preemptor preempted at least ten times, each time on another node of the same topology domain, a pod that was
//   bound there after the last time, and was rejected for nothing but rules about domains.
// Bystanders may have been woken and rejected. Whether they would come to rest by themselves this does not say.
std::optional<Livelock> find_livelock(const sim::World& world);

// The scenario with those workloads deleted before it is last expected to come to rest. A livelock is all that is wrong
// with a scenario if this one has no problem.
std::vector<std::string> without_workloads(std::vector<std::string> lines, const Livelock& livelock);

}  // namespace berth::fuzz
