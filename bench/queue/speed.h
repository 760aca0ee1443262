// How long the queue's calls take, and how often they allocate.
#pragma once

#include <cstddef>

namespace berth::bench {

struct Effort {
  std::size_t max_pods = 1'000'000;
  // Small workloads are repeated until this many pods have passed; the fastest run counts.
  std::size_t pods_per_item = 1'000'000;
};

void measure_mixes(const Effort& effort);
void measure_events(const Effort& effort);
void measure_allocations();

}  // namespace berth::bench
