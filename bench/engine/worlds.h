// The simulated clusters that bench-engine times, from creating the pods to the last binding's being seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "berth/base/time.h"

namespace berth::bench {

struct Work {
  std::size_t nodes = 0;
  std::size_t pods = 0;
  std::size_t never_fit_percent = 0;  // of the pods: they ask for more than any node has
  // How often a node changes (a label, what it can hold, its taints by turns); zero: never.
  Duration churn_every;
};

struct Timing {
  double seconds = 0;  // processor time
  std::uint64_t placed = 0;
  std::uint64_t attempts = 0;
  std::uint64_t wake_ups = 0;
  std::uint64_t pending = 0;
};

// All pods are created at once, and placed.
Timing place(const Work& work);

// A day: `starts` pods begin, evenly over 24 hours, run for a while and end.
Timing day(std::size_t nodes, std::size_t starts);

}  // namespace berth::bench
