// How much memory the queue takes for a pod, and for events that happen while a pod is in flight.
#pragma once

#include <cstddef>

namespace berth::bench {

void measure_memory_per_pod(std::size_t pods);
void measure_memory_in_flight(std::size_t events);

}  // namespace berth::bench
