// Every pod that is still pending, with its place in the queue, one sentence why, and what will wake it.
//
// Pods that differ in nothing but their name share one entry: explaining costs a look at all nodes with all plugins.
#pragma once

#include <cstddef>
#include <vector>

#include "berth/explain/cluster.h"
#include "berth/report/pod_sentence.h"
#include "berth/report/summary.h"
#include "berth/sim/world.h"

namespace berth::report {

// Classes of pods that are explained; the others get the scheduler's own words. A cluster whose every pod waits for
// something else would take minutes otherwise.
inline constexpr std::size_t kMaxExplained = 40;

// `cluster` is what cluster_of(world.api()) gave. Those that wait longest first.
std::vector<PendingPods> pending_of(const sim::World& world, explain::Cluster& cluster, const Settings& settings);

}  // namespace berth::report
