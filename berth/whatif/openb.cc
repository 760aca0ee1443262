#include "berth/whatif/openb.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/sim/api_server.h"

namespace berth::whatif {

namespace {

constexpr std::int64_t kMilliPerGpu = 1000;
constexpr std::int64_t kBytesPerMib = std::int64_t{1} << 20;
constexpr std::string_view kNoGpu = "none";
// More than any node of the trace runs at a time.
constexpr std::int64_t kPodsPerNode = 1000;

struct Qos {
  std::string_view name;
  std::int32_t priority;
};
constexpr std::array<Qos, 4> kQos = {{{"LS", 300}, {"Guaranteed", 200}, {"Burstable", 100}, {"BE", 0}}};

std::int32_t priority_of(std::string_view qos) {
  for (const Qos& each : kQos) {
    if (each.name == qos) return each.priority;
  }
  return 0;
}

api::Quantity bytes(std::int64_t mib) {
  return api::Quantity::from_units(mib * kBytesPerMib, api::Quantity::Format::kBinarySI);
}

api::NodePtr make_node(const OpenbNode& given) {
  auto node = std::make_shared<api::Node>();
  node->metadata.name = given.name;
  api::Labels labels;
  const Symbol model(given.model.empty() ? kNoGpu : std::string_view(given.model));
  if (given.gpus > 0) labels[Symbol(kGpuModel)] = model;
  labels[Symbol("pool")] = model;
  node->metadata.labels = std::move(labels);
  api::ResourceList& allocatable = node->status.allocatable;
  allocatable[Symbol("cpu")] = api::Quantity::from_milli(given.milli_cpu);
  allocatable[Symbol("memory")] = bytes(given.memory_mib);
  allocatable[Symbol("pods")] = api::Quantity::from_units(kPodsPerNode);
  if (given.gpus > 0) allocatable[Symbol(kGpuMilli)] = api::Quantity::from_units(given.gpus * kMilliPerGpu);
  return node;
}

api::PodTemplate template_of(const OpenbPod& given) {
  api::PodTemplate spec;
  spec.priority = priority_of(given.qos);
  spec.preemption_policy = Symbol("Never");
  api::Container& container = spec.containers.emplace_back();
  container.name = Symbol("main");
  api::ResourceList& requests = container.resources.requests;
  if (given.milli_cpu > 0) requests[Symbol("cpu")] = api::Quantity::from_milli(given.milli_cpu);
  if (given.memory_mib > 0) requests[Symbol("memory")] = bytes(given.memory_mib);
  if (given.gpu_milli > 0) requests[Symbol(kGpuMilli)] = api::Quantity::from_units(given.gpu_milli);
  if (!given.models.empty()) {
    api::NodeSelectorRequirement models;
    models.key = Symbol(kGpuModel);
    models.op = Symbol("In");
    for (const std::string& model : given.models) models.values.emplace_back(model);
    api::NodeSelectorTerm term;
    term.match_expressions.push_back(std::move(models));
    api::NodeSelector required;
    required.node_selector_terms.push_back(std::move(term));
    spec.affinity.emplace().node_affinity.emplace().required = std::move(required);
  }
  return spec;
}

std::string full_name(const OpenbPod& pod) {
  return fmt::format("default/{}", pod.name);
}

// What happens to the pods of a trace, on the agenda of a world.
class Player {
 public:
  Player(sim::World& world, const OpenbTrace& trace) : world_(world), trace_(trace), end_(trace.end()) {}

  Result<void> run() {
    for (const OpenbNode& node : trace_.nodes) {
      if (auto made = world_.create(api::AnyObject(make_node(node))); !made) return made;
    }
    const Instant epoch = world_.now();
    for (const OpenbPod& pod : trace_.pods) {
      world_.at(epoch + pod.created_at, [this, &pod] { create(pod); });
      // What is there until the end of the trace was not seen to end.
      if (pod.deleted_at && *pod.deleted_at < end_) {
        world_.at(epoch + *pod.deleted_at, [this, &pod] { end(pod); });
      }
    }
    world_.run_until(epoch + end_);
    if (error_) return fail(*error_);
    return {};
  }

 private:
  void create(const OpenbPod& given) {
    auto pod = std::make_shared<api::Pod>();
    pod->metadata.name = given.name;
    pod->spec.shared = Interned<api::PodTemplate>(template_of(given));
    const auto made = world_.create(api::AnyObject(api::PodPtr(std::move(pod))));
    if (!made && !error_) error_ = made.error();
  }

  void end(const OpenbPod& given) {
    static const Symbol name_space("default");
    sim::ApiServer& api = world_.api();
    const api::PodPtr pod = api.get<api::Pod>(name_space, given.name);
    if (pod == nullptr) return;
    if (pod->spec.node_name.empty()) {
      (void)world_.remove(api::kind_of<api::Pod>(), name_space.text(), given.name);
      return;
    }
    auto ended = std::make_shared<api::Pod>(*pod);
    ended->status.phase = Symbol("Succeeded");
    (void)api.update(api::AnyObject(api::PodPtr(std::move(ended))));
  }

  sim::World& world_;
  const OpenbTrace& trace_;
  Duration end_;
  std::optional<Error> error_;
};

OpenbWaits waits_of(std::vector<double> seconds, std::int64_t never) {
  OpenbWaits result;
  result.pods = std::ssize(seconds);
  result.never = never;
  if (seconds.empty()) return result;
  std::ranges::sort(seconds);
  const auto percentile = [&](std::size_t percent) { return seconds[(seconds.size() * percent + 99) / 100 - 1]; };
  result.p50_seconds = percentile(50);
  result.p90_seconds = percentile(90);
  result.p99_seconds = percentile(99);
  result.max_seconds = seconds.back();
  return result;
}

OpenbWaits real_waits(const OpenbTrace& trace) {
  std::vector<double> seconds;
  std::int64_t never = 0;
  for (const OpenbPod& pod : trace.pods) {
    if (pod.scheduled_at) {
      seconds.push_back((*pod.scheduled_at - pod.created_at).in_seconds());
    } else {
      ++never;
    }
  }
  return waits_of(std::move(seconds), never);
}

OpenbWaits simulated_waits(const sim::World& world) {
  std::vector<double> seconds;
  std::int64_t never = 0;
  for (const sim::PodTimeline& pod_timeline : world.history().pod_timelines()) {
    if (pod_timeline.bound_at.is_set()) {
      seconds.push_back((pod_timeline.bound_at - pod_timeline.created_at).in_seconds());
    } else {
      ++never;
    }
  }
  return waits_of(std::move(seconds), never);
}

// How many thousandths of GPUs were in use, from change to change.
void add_gpu_use(const OpenbTrace& trace, const sim::World& world, OpenbReport& result) {
  std::int64_t all = 0;
  for (const OpenbNode& node : trace.nodes) all += node.gpus * kMilliPerGpu;
  const Duration end = world.elapsed();
  if (all == 0 || end <= Duration()) return;
  const Instant epoch = world.now() - end;
  std::map<Duration, std::int64_t> changes;
  for (const OpenbPod& pod : trace.pods) {
    const sim::PodTimeline* pod_timeline = world.history().pod_timeline(full_name(pod));
    if (pod_timeline == nullptr || !pod_timeline->bound_at.is_set() || pod.gpu_milli == 0) continue;
    changes[pod_timeline->bound_at - epoch] += pod.gpu_milli;
    if (pod_timeline->gone_at.is_set()) changes[pod_timeline->gone_at - epoch] -= pod.gpu_milli;
  }
  changes[end] += 0;
  std::int64_t in_use = 0;
  Duration since;
  double area = 0;
  for (const auto& [at, change] : changes) {
    area += static_cast<double>(in_use) * (at - since).in_seconds();
    since = at;
    in_use += change;
    const double share = static_cast<double>(in_use) / static_cast<double>(all);
    if (share > result.peak_gpu_share) {
      result.peak_gpu_share = share;
      result.peak_gpu_seconds = at.in_seconds();
    }
  }
  result.mean_gpu_share = area / (static_cast<double>(all) * end.in_seconds());
}

}  // namespace

Result<std::unique_ptr<sim::World>> simulate(const OpenbTrace& trace, const OpenbOptions& options) {
  sim::WorldOptions world_options;
  world_options.seed = options.seed;
  world_options.scheduler.config = options.settings.config;
  world_options.scheduler.gates = options.settings.gates;
  auto world = sim::World::make(std::move(world_options));
  if (!world) return fail(world.error());
  if (options.on_step) (*world)->set_on_step([&options, raw = world->get()] { options.on_step(*raw); });
  if (auto played = Player(**world, trace).run(); !played) return fail(played.error());
  (*world)->set_on_step(nullptr);
  return world;
}

OpenbReport report_on(const OpenbTrace& trace, const sim::World& world, report::Summary summary) {
  OpenbReport result;
  result.trace = real_waits(trace);
  result.simulated = simulated_waits(world);
  add_gpu_use(trace, world, result);
  result.report = std::move(summary);
  return result;
}

}  // namespace berth::whatif
