// Checks the cache against the objects that it should have been made from: what kube-scheduler's debugger does on
// SIGUSR2, and what the tests of whoever feeds a cache do all the time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/api/node.h"
#include "berth/api/pod.h"
#include "berth/cache/scheduler_cache.h"

namespace berth::cache {

// Each difference as a sentence, in order of names; none if the cache is right. `nodes` and `pods` are what the API
// server has; of the pods, only those with a node and not terminal matter, and assumed ones may be unknown to it.
std::vector<std::string> compare(const SchedulerCache& cache, std::span<const api::NodePtr> nodes,
                                 std::span<const api::PodPtr> pods);

// The same for the inside: whether the table's sums, columns and counts are those of the pods and nodes in it.
std::vector<std::string> compare_sums(const NodeTable& table);

}  // namespace berth::cache
