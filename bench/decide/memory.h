// What a cluster takes in memory: nodes and pods decoded as from a watch, the node table, and what is remembered about
// 50 classes of pods.
#pragma once

#include <cstddef>

#include "bench/decide/decider.h"

namespace berth::bench {

void measure_memory(Way way, std::size_t nodes, std::size_t pods_per_node);

}  // namespace berth::bench
