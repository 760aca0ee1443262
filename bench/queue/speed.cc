#include "bench/queue/speed.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "bench/queue/driver.h"
#include "bench/queue/heap.h"
#include "bench/queue/report.h"
#include "bench/stopwatch.h"
#include "berth/api/kinds.h"

namespace berth::bench {

namespace {

constexpr std::size_t kPodsInFlight = 8;
constexpr std::size_t kMixRounds = 100;
constexpr std::size_t kEventRounds = 20;

struct Best {
  double nanoseconds = std::numeric_limits<double>::infinity();
  void take(double other) { nanoseconds = std::min(nanoseconds, other); }
};

std::size_t repetitions(const Effort& effort, std::size_t pods) {
  return std::clamp<std::size_t>(effort.pods_per_item / pods, 3, 100);
}

void measure_add_and_pop(const Workload& workload, std::size_t count, std::size_t times) {
  Best adding, popping;
  std::uint64_t order = 0;
  for (std::size_t i = 0; i < times; ++i) {
    Driver driver;
    const Stopwatch add_watch;
    for (std::size_t n = 0; n < count; ++n) driver.add(workload.pods[n]);
    adding.take(add_watch.nanoseconds());
    const Stopwatch pop_watch;
    for (std::size_t n = 0; n < count; ++n) driver.done(*driver.pop()->pod);
    popping.take(pop_watch.nanoseconds());
    order = driver.order();
  }
  report_speed("add", count, count, adding.nanoseconds, 0);
  report_speed("pop, done", count, 2 * count, popping.nanoseconds, order);
}

// Every pod is added, tried, rejected, woken by one event, flushed out of backoff, tried again and done.
void measure_cycle(const Workload& workload, std::size_t count, std::size_t times) {
  const api::AnyObject node(make_node("*"));
  Best best;
  std::uint64_t order = 0;
  for (std::size_t i = 0; i < times; ++i) {
    Driver driver;
    const Stopwatch watch;
    for (std::size_t n = 0; n < count; ++n) driver.add(workload.pods[n]);
    for (std::size_t n = 0; n < count; ++n) driver.fail(driver.pop(), driver.fit());
    driver.node_added(node);
    driver.pass(Duration::seconds(12));
    driver.flush_backoff();
    for (std::size_t n = 0; n < count; ++n) driver.done(*driver.pop()->pod);
    best.take(watch.nanoseconds());
    order = driver.order();
  }
  report_speed("add, pop, fail, wake, flush, pop, done", count, 5 * count + 2, best.nanoseconds, order);
}

void park(Driver& driver, const api::PodPtr& pod, queue::PluginSet rejectors) {
  driver.add(pod);
  driver.fail(driver.pop(), rejectors);
}

// One class in ten was rejected by InterPodAffinity, the others by NodeResourcesFit.
queue::PluginSet mixed_rejectors(const Driver& driver, std::size_t number) {
  return class_of(number, Sizes::kEven) % 10 == 0 ? driver.affinity() : driver.fit();
}

// With `count` pods parked: pods come, a quarter is rejected, the others get a node, which is an event of its own; now
// and then a node appears that wakes a class. A few pods are always in flight.
void measure_steady_mix(const Workload& workload, std::size_t count, std::size_t times) {
  std::vector<api::AnyObject> nodes;
  for (std::size_t c = 0; c < kClasses; ++c) nodes.emplace_back(make_node(class_name(c)));
  Best best;
  std::uint64_t order = 0;
  std::size_t calls = 0;
  for (std::size_t i = 0; i < times; ++i) {
    Driver driver;
    for (std::size_t n = 0; n < count; ++n) park(driver, workload.pods[n], mixed_rejectors(driver, n));
    driver.pass(Duration::seconds(60));
    std::vector<queue::PoppedPod> in_flight;
    in_flight.reserve(kPodsInFlight + 1);
    calls = 0;
    const Stopwatch watch;
    for (std::size_t round = 0; round < kMixRounds; ++round) {
      driver.pass(Duration::milliseconds(10));
      driver.add(workload.pods[count + round]);
      in_flight.push_back(driver.pop());
      calls += 2;
      if (in_flight.size() > kPodsInFlight) {
        queue::PoppedPod popped = std::move(in_flight.front());
        in_flight.erase(in_flight.begin());
        if (round % 4 == 0) {
          driver.fail(std::move(popped), mixed_rejectors(driver, round));
          calls += 1;
        } else {
          driver.pod_assigned(popped->pod);
          driver.done(*popped->pod);
          calls += 2;
        }
      }
      if (round % 20 == 10) driver.node_added(nodes[1 + round / 20]), calls += 1;
      if (round % 50 == 49) driver.flush_backoff(), calls += 1;
    }
    best.take(watch.nanoseconds());
    order = driver.order();
  }
  report_speed("steady mix beside parked pods", count, calls, best.nanoseconds, order);
}

// One event, several times; `again` brings the queue back to where it was. Events that leave it as it was are timed
// many at once, because reading the clock takes longer than they do.
template <typename Event, typename Again>
void measure_event(std::string_view item, Driver& driver, std::size_t count, std::size_t at_once, Event&& event,
                   Again&& again) {
  Best best;
  for (std::size_t round = 0; round < kEventRounds; ++round) {
    const Stopwatch watch;
    for (std::size_t i = 0; i < at_once; ++i) event();
    best.take(watch.nanoseconds());
    again();
  }
  report_speed(item, count, at_once, best.nanoseconds, driver.order());
}

void measure_events_beside(const Workload& workload, std::size_t count) {
  Driver driver;
  for (std::size_t n = 0; n < count; ++n) park(driver, workload.pods[n], driver.fit());
  // Longer than any backoff, and shorter than the leftover timeout.
  const auto outwait_backoff = [&] { driver.pass(Duration::seconds(12)); };
  const auto nothing = [] {};
  outwait_backoff();

  const api::AnyObject claim(std::make_shared<const api::PersistentVolumeClaim>());
  measure_event(
      "event of a plugin that rejected nobody", driver, count, 1000, [&] { driver.claim_added(claim); }, nothing);

  const api::AnyObject skipped(make_node("nobody"));
  measure_event("event that all 100 classes skip", driver, count, 100, [&] { driver.node_added(skipped); }, nothing);

  const api::AnyObject wanted(make_node(class_name(0)));
  const auto park_again = [&] {
    for (std::size_t n = 0; n < 10; ++n) driver.fail(driver.pop(), driver.fit());
    BERTH_CHECK(driver.queue().count(queue::Place::kUnschedulable) == count);
    outwait_backoff();
  };
  measure_event("event that wakes 10 pods", driver, count, 1, [&] { driver.node_added(wanted); }, park_again);
}

}  // namespace

void measure_mixes(const Effort& effort) {
  Workload workload;
  for (const std::size_t count : {1'000, 10'000, 100'000, 1'000'000}) {
    if (count > effort.max_pods) break;
    make_pods(workload, count + kMixRounds);
    const std::size_t times = repetitions(effort, count);
    measure_add_and_pop(workload, count, times);
    measure_cycle(workload, count, times);
    measure_steady_mix(workload, count, std::min<std::size_t>(times, 5));
  }
}

void measure_events(const Effort& effort) {
  Workload workload;
  for (const std::size_t count : {1'000, 10'000, 100'000, 1'000'000}) {
    if (count > effort.max_pods) break;
    make_pods(workload, count, Templates::kShared, Sizes::kFirstHasTen);
    measure_events_beside(workload, count);
  }
}

void measure_allocations() {
  constexpr std::size_t kPods = 10'000;
  Workload workload;
  make_pods(workload, kPods);
  Driver driver;
  std::int64_t adds = 0, pops = 0, dones = 0, fails = 0;
  // The first round fills the pools and tables, the second counts.
  for (const bool counts : {false, true}) {
    const auto counted = [&](std::int64_t& into, auto&& call) {
      const std::int64_t before = allocations();
      call();
      if (counts) into += allocations() - before;
    };
    for (const api::PodPtr& pod : workload.pods) counted(adds, [&] { driver.add(pod); });
    std::optional<queue::PoppedPod> popped;
    for (std::size_t n = 0; n < kPods; ++n) {
      counted(pops, [&] { popped = driver.pop(); });
      counted(fails, [&] { driver.fail(std::move(*popped), driver.fit()); });
    }
    driver.node_added(api::AnyObject(make_node("*")));
    driver.pass(Duration::seconds(12));
    driver.flush_backoff();
    for (std::size_t n = 0; n < kPods; ++n) {
      counted(pops, [&] { popped = driver.pop(); });
      counted(dones, [&] { driver.done(*(*popped)->pod); });
      popped.reset();
    }
  }
  const auto per = [](std::int64_t count, std::size_t calls) {
    return static_cast<double>(count) / static_cast<double>(calls);
  };
  report_value("allocations per add", kPods, per(adds, kPods));
  report_value("allocations per pop", kPods, per(pops, 2 * kPods));
  report_value("allocations per done", kPods, per(dones, kPods));
  report_value("allocations per fail", kPods, per(fails, kPods));
}

}  // namespace berth::bench
