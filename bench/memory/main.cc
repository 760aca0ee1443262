// bench-memory [--pods N] [--templates T]: what a pod costs in memory.
//
// Makes the bytes of N pods of T templates as an API server would send them (each with its own name, UID, node, token
// volume and times), decodes them with one pool as a watch would, and prints the heap that the decoded pods, the pool
// and the symbols take together, per pod. The target is below 1 KiB.
#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "berth/api/kinds.h"
#include "berth/base/rng.h"
#include "berth/codec/protobuf.h"

namespace berth::bench {
namespace {

constexpr std::size_t kTargetBytesPerPod = 1024;

std::string random_hex(Rng& rng, int digits) {
  std::string text;
  for (int i = 0; i < digits; ++i) text += "0123456789abcdef"[rng.below(16)];
  return text;
}

std::string random_uid(Rng& rng) {
  return fmt::format("{}-{}-{}-{}-{}", random_hex(rng, 8), random_hex(rng, 4), random_hex(rng, 4), random_hex(rng, 4),
                     random_hex(rng, 12));
}

api::Container make_container(Rng& rng, const std::string& workload, std::string_view name) {
  api::Container container;
  container.name = Symbol(name);
  container.image = Symbol(fmt::format("example.com/{}/{}:v1.{}", workload, name, rng.below(100)));
  container.ports = {{.name = Symbol("http"), .container_port = 8080, .protocol = Symbol("TCP"), .host_ip = {}},
                     {.name = Symbol("metrics"), .container_port = 9090, .protocol = Symbol("TCP"), .host_ip = {}}};
  container.resources.requests[Symbol("cpu")] = api::Quantity::from_milli(50 * rng.in_range(1, 40));
  container.resources.requests[Symbol("memory")] = api::Quantity::from_units(rng.in_range(1, 64) << 26);
  container.resources.limits[Symbol("memory")] = api::Quantity::from_units(std::int64_t{4} << 30);
  return container;
}

// What all pods of a workload have in common: everything but what make_pod() adds.
api::Pod make_template(std::size_t number) {
  Rng rng(number);
  const std::string workload = fmt::format("service-{}", number);
  const std::string replica_set = fmt::format("{}-{}", workload, random_hex(rng, 9));
  api::Pod pod;
  pod.metadata.generate_name = Symbol(replica_set + "-");
  pod.metadata.name_space = Symbol(fmt::format("team-{}", number % 40));
  pod.metadata.labels = api::Labels{{"app.kubernetes.io/name", Symbol(workload)},
                                    {"app.kubernetes.io/instance", Symbol(workload + "-prod")},
                                    {"app.kubernetes.io/component", Symbol("server")},
                                    {"pod-template-hash", Symbol(random_hex(rng, 9))}};
  pod.metadata.annotations = api::Annotations{{"checksum/config", random_hex(rng, 64)}, {"prometheus.io/port", "9090"}};
  pod.metadata.owner_references = std::vector{
      api::OwnerReference{Symbol("apps/v1"), Symbol("ReplicaSet"), replica_set, random_uid(rng), true, true}};
  api::PodTemplate shared;
  shared.containers.push_back(make_container(rng, workload, "server"));
  if (rng.chance(1, 3)) shared.containers.push_back(make_container(rng, workload, "proxy"));
  shared.restart_policy = Symbol("Always");
  shared.termination_grace_period_seconds = 30;
  shared.service_account_name = Symbol(workload);
  shared.scheduler_name = Symbol("default-scheduler");
  shared.priority = 0;
  for (const std::string_view key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    shared.tolerations.push_back({Symbol(key), Symbol("Exists"), Symbol(), Symbol("NoExecute"), 300});
  }
  api::LabelSelector selector;
  selector.match_labels[Symbol("app.kubernetes.io/name")] = Symbol(workload);
  api::TopologySpreadConstraint spread;
  spread.max_skew = 1;
  spread.topology_key = Symbol("topology.kubernetes.io/zone");
  spread.when_unsatisfiable = Symbol("ScheduleAnyway");
  spread.label_selector = selector;
  shared.topology_spread_constraints.push_back(spread);
  std::vector<api::ContainerStatus> statuses;
  for (const api::Container& container : shared.containers) {
    statuses.push_back({.name = container.name,
                        .state = {},
                        .last_state = {},
                        .ready = true,
                        .restart_count = 0,
                        .allocated_resources = container.resources.requests,
                        .resources = container.resources});
  }
  pod.spec.shared = std::move(shared);
  pod.status.container_statuses = std::move(statuses);
  pod.status.phase = Symbol("Running");
  return pod;
}

// The bytes of one pod of the template, with all that is its own.
std::string make_pod(api::Pod pod, Rng& rng) {
  pod.metadata.name = pod.metadata.generate_name.str() + random_hex(rng, 5);
  pod.metadata.uid = random_uid(rng);
  pod.metadata.resource_version = std::to_string(rng.in_range(1'000'000, 99'999'999));
  const Instant start = Instant::from_unix_seconds(rng.in_range(1'700'000'000, 1'760'000'000));
  pod.metadata.creation_timestamp = start;
  pod.spec.node_name = Symbol(fmt::format("node-{}", rng.below(5000)));
  api::PodTemplate shared = *pod.spec;
  shared.volumes.push_back({.name = "kube-api-access-" + random_hex(rng, 5), .source = {}});
  pod.spec.shared = std::move(shared);
  pod.status.start_time = start;
  for (const std::string_view type :
       {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
    api::PodCondition condition;
    condition.type = Symbol(type);
    condition.status = Symbol("True");
    condition.last_transition_time = start + Duration::seconds(rng.in_range(0, 20));
    pod.status.conditions.push_back(condition);
  }
  return codec::object_to_protobuf(api::AnyObject(std::make_shared<const api::Pod>(std::move(pod))));
}

// All that is allocated, in arenas and in mappings of its own.
std::size_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

Result<void> run(std::size_t pods, std::size_t templates) {
  std::vector<api::PodPtr> decoded;
  InternPool pool;
  codec::DecodeOptions options;
  options.pool = &pool;
  Rng rng(1);
  // Templates are made again for each pod, so that nothing but the decoded pods stays. The symbols of a template are
  // those of its pods and are made after the first look at the heap, so they count.
  const std::size_t before = heap_bytes();
  decoded.reserve(pods);
  std::size_t wire_bytes = 0;
  for (std::size_t i = 0; i < pods; ++i) {
    const std::string bytes = make_pod(make_template(i % templates), rng);
    wire_bytes += bytes.size();
    auto object = codec::object_from_protobuf(bytes, options);
    if (!object) return fail(std::move(object.error()));
    decoded.push_back(object->as<api::Pod>());
  }
  const std::size_t per_pod = (heap_bytes() - before) / pods;
  fmt::print("{} pods of {} templates, {} bytes each on the wire\n", pods, templates, wire_bytes / pods);
  fmt::print("{} shared values in the pool, {} bytes for a Pod itself\n", pool.size(), sizeof(api::Pod));
  fmt::print("{} bytes of heap per pod, all told: {} the target of {}\n", per_pod,
             per_pod <= kTargetBytesPerPod ? "within" : "OVER", kTargetBytesPerPod);
  return {};
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  std::size_t pods = 150'000;
  std::size_t templates = 1'000;
  CLI::App app("What a pod costs in memory");
  app.add_option("--pods", pods, "how many pods")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--templates", templates, "how many templates they are made from")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (const auto done = berth::bench::run(pods, templates); !done) {
    fmt::print(stderr, "bench-memory: {}\n", done.error().message());
    return 1;
  }
  return 0;
}
