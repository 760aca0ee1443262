#include "bench/queue/memory.h"

#include "bench/queue/driver.h"
#include "bench/queue/heap.h"
#include "bench/queue/report.h"
#include "berth/api/kinds.h"

namespace berth::bench {

namespace {

// The heap that `fill` makes the queue take, per pod. The pods themselves are there before.
template <typename Fill>
void measure_place(std::string_view place, const Workload& workload, Fill&& fill) {
  Driver driver;
  const std::size_t before = heap_bytes();
  fill(driver);
  const double bytes = static_cast<double>(heap_bytes() - before);
  report_value(fmt::format("bytes per pod, {}", place), workload.pods.size(),
               bytes / static_cast<double>(workload.pods.size()));
}

void measure_places(std::string_view kind, Templates templates, std::size_t count) {
  Workload workload;
  make_pods(workload, count, templates);
  const api::AnyObject node(make_node("*"));
  measure_place(fmt::format("active, {}", kind), workload, [&](Driver& driver) {
    for (const api::PodPtr& pod : workload.pods) driver.add(pod);
  });
  measure_place(fmt::format("backoff, {}", kind), workload, [&](Driver& driver) {
    for (const api::PodPtr& pod : workload.pods) {
      driver.add(pod);
      queue::PoppedPod popped = driver.pop();
      driver.node_added(node);  // while it is in flight, so that it goes to backoff
      driver.fail(std::move(popped), driver.fit());
    }
    BERTH_CHECK(driver.queue().count(queue::Place::kBackoff) == count);
  });
  measure_place(fmt::format("parked, {}", kind), workload, [&](Driver& driver) {
    for (const api::PodPtr& pod : workload.pods) {
      driver.add(pod);
      driver.fail(driver.pop(), driver.fit());
    }
    BERTH_CHECK(driver.queue().count(queue::Place::kUnschedulable) == count);
  });
}

}  // namespace

void measure_memory_per_pod(std::size_t pods) {
  measure_places("shared templates", Templates::kShared, pods);
  measure_places("distinct templates", Templates::kDistinct, pods);
}

void measure_memory_in_flight(std::size_t events) {
  Workload workload;
  make_pods(workload, 1);
  const api::AnyObject node(make_node("nobody"));
  Driver driver;
  driver.add(workload.pods[0]);
  const queue::PoppedPod popped = driver.pop();
  const std::size_t before = heap_bytes();
  for (std::size_t i = 0; i < events; ++i) driver.node_added(node);
  report_value("bytes held for events in flight", events, static_cast<double>(heap_bytes() - before));
  driver.done(*popped->pod);
  report_value("bytes held after the flight", events, static_cast<double>(heap_bytes()) - static_cast<double>(before));
}

}  // namespace berth::bench
