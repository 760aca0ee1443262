// bench-queue [--max-pods N] [--quick]: the scheduling queue's speed and memory, for comparison with kube-scheduler's
// own queue (tests/oracle/queuebench), which does the same operations on the same pods. bench/queue/run runs both.
//
// Pods are made before anything is timed. Included: everything the queue does, with metrics counted. Time is virtual.
#include <CLI/CLI.hpp>

#include "bench/queue/memory.h"
#include "bench/queue/speed.h"

int main(int argc, char** argv) {
  berth::bench::Effort effort;
  bool quick = false;
  CLI::App app("How fast the scheduling queue is, and what it takes");
  app.add_option("--max-pods", effort.max_pods, "leave larger workloads out")->capture_default_str();
  app.add_flag("--quick", quick, "repeat less");
  CLI11_PARSE(app, argc, argv);
  if (quick) effort.pods_per_item = 100'000;

  berth::bench::measure_mixes(effort);
  berth::bench::measure_events(effort);
  berth::bench::measure_memory_per_pod(std::min<std::size_t>(effort.max_pods, 100'000));
  if (effort.max_pods >= 1'000'000) berth::bench::measure_memory_per_pod(1'000'000);
  berth::bench::measure_memory_in_flight(100'000);
  berth::bench::measure_memory_in_flight(1'000'000);
  berth::bench::measure_allocations();
  return 0;
}
