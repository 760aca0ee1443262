#include "bench/engine/worlds.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "bench/stopwatch.h"
#include "berth/api/kinds.h"
#include "berth/base/check.h"
#include "berth/sim/world.h"

namespace berth::bench {
namespace {

api::ResourceList resources(std::string_view cpu, std::string_view memory, std::string_view pods = {}) {
  api::ResourceList list;
  list[Symbol("cpu")] = *api::Quantity::parse(cpu);
  list[Symbol("memory")] = *api::Quantity::parse(memory);
  if (!pods.empty()) list[Symbol("pods")] = *api::Quantity::parse(pods);
  return list;
}

api::AnyObject node(std::size_t number, std::size_t version = 0) {
  auto made = std::make_shared<api::Node>();
  made->metadata.name = fmt::format("node-{}", number);
  api::Labels labels;
  labels[Symbol("kubernetes.io/hostname")] = Symbol(made->metadata.name);
  labels[Symbol("topology.kubernetes.io/zone")] = Symbol(fmt::format("zone-{}", number % 3));
  if (version > 0) labels[Symbol("version")] = Symbol(fmt::format("{}", version % 7));
  made->metadata.labels = Interned<api::Labels>(std::move(labels));
  made->status.capacity = resources("32", "128Gi", "110");
  made->status.allocatable = made->status.capacity;
  return api::AnyObject(std::shared_ptr<const api::Node>(std::move(made)));
}

// What pods of one kind have in common.
struct Prototype {
  Interned<api::PodTemplate> spec;
  Interned<api::Labels> labels;
  Interned<api::Annotations> annotations;
};

Prototype prototype(std::string_view app, std::string_view cpu, std::string_view memory, Duration runs = {}) {
  api::PodTemplate spec;
  api::Container container;
  container.name = Symbol("main");
  container.resources.requests = resources(cpu, memory);
  spec.containers.push_back(std::move(container));
  spec.scheduler_name = Symbol("default-scheduler");
  api::Labels labels;
  labels[Symbol("app")] = Symbol(app);
  api::Annotations annotations;
  if (runs > Duration()) annotations[Symbol(sim::kRunsAnnotation)] = runs.str();
  return {Interned<api::PodTemplate>(std::move(spec)), Interned<api::Labels>(std::move(labels)),
          Interned<api::Annotations>(std::move(annotations))};
}

api::AnyObject pod(std::string name, const Prototype& prototype) {
  auto made = std::make_shared<api::Pod>();
  made->metadata.name = std::move(name);
  made->metadata.name_space = Symbol("default");
  made->metadata.labels = prototype.labels;
  made->metadata.annotations = prototype.annotations;
  made->spec.shared = prototype.spec;
  return api::AnyObject(std::shared_ptr<const api::Pod>(std::move(made)));
}

std::unique_ptr<sim::World> world_of(std::size_t nodes, std::size_t max_events) {
  sim::WorldOptions options;
  options.max_events = max_events;
  auto world = sim::World::make(std::move(options));
  BERTH_CHECK(world.has_value(), "{}", world.error().message());
  for (std::size_t i = 0; i < nodes; ++i) BERTH_CHECK((*world)->create(node(i)).has_value(), "node {}", i);
  (*world)->run_until((*world)->now() + Duration::seconds(1));
  return std::move(*world);
}

Timing timing_of(const sim::World& world, double nanoseconds) {
  const sim::Counts& counts = world.history().counts();
  const queue::SchedulingQueue& queue = world.scheduler().queue();
  return {.seconds = nanoseconds / 1e9,
          .placed = counts.bound,
          .attempts = counts.attempts,
          .wake_ups = counts.wake_ups,
          .pending = queue.count(queue::Place::kActive) + queue.count(queue::Place::kBackoff) +
                     queue.count(queue::Place::kErrorBackoff) + queue.count(queue::Place::kUnschedulable)};
}

}  // namespace

Timing place(const Work& work) {
  const auto world = world_of(work.nodes, 0);
  const Prototype fits = prototype("web", "100m", "200Mi");
  const Prototype never_fits = prototype("giant", "64", "1Gi");
  const Stopwatch stopwatch;
  // A batch at a time, with a moment between: as controllers create pods, and so that churn meets pods that wait.
  constexpr std::size_t kBatch = 1000;
  std::size_t churned = 0;
  Instant next_churn = world->now() + work.churn_every;
  for (std::size_t i = 0; i < work.pods; ++i) {
    const bool is_giant = i % 100 < work.never_fit_percent;
    const auto created = world->create(pod(fmt::format("pod-{}", i), is_giant ? never_fits : fits));
    BERTH_CHECK(created.has_value(), "pod {}", i);
    if (i % kBatch != kBatch - 1) continue;
    world->run_until(world->now() + Duration::milliseconds(20));
    while (work.churn_every > Duration() && next_churn <= world->now()) {
      ++churned;
      BERTH_CHECK(world->update(node(churned % work.nodes, churned)).has_value(), "churn");
      next_churn = next_churn + work.churn_every;
    }
  }
  BERTH_CHECK(world->run_until_idle(world->now() + Duration::hours(1)).has_value(), "never idle");
  return timing_of(*world, stopwatch.nanoseconds());
}

Timing day(std::size_t nodes, std::size_t starts) {
  const auto world = world_of(nodes, 0);
  const Duration interval = Duration::nanoseconds(Duration::hours(24).nanoseconds() / static_cast<long>(starts));
  const Prototype kinds[] = {
      prototype("short", "500m", "1Gi", Duration::minutes(5)),
      prototype("middle", "2", "8Gi", Duration::hours(1)),
      prototype("long", "1", "4Gi", Duration::hours(8)),
  };
  const Instant begin = world->now();
  const Stopwatch stopwatch;
  for (std::size_t i = 0; i < starts; ++i) {
    world->run_until(begin + interval * static_cast<std::int64_t>(i));
    BERTH_CHECK(world->create(pod(fmt::format("pod-{}", i), kinds[i % 3])).has_value(), "pod {}", i);
  }
  world->run_until(begin + Duration::hours(24));
  return timing_of(*world, stopwatch.nanoseconds());
}

}  // namespace berth::bench
