// How long decisions take.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/decide/decider.h"

namespace berth::bench {

struct Effort {
  Way way = Way::kRemembered;
  std::size_t decisions = 100;  // in a round: each app twice
  std::size_t rounds = 10;      // the fastest counts
};

// Pods of one kind in a cluster of one size: of classes seen before, of classes never seen, rejected ones.
void measure_speed(std::size_t nodes, PodKind kind, const Effort& effort);

}  // namespace berth::bench
