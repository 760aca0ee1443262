#include "bench/decide/cluster.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "berth/base/hash.h"

namespace berth::bench {

namespace {

constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
constexpr std::string_view kHostLabel = "kubernetes.io/hostname";
constexpr std::int64_t kGi = std::int64_t{1} << 30;
constexpr std::int64_t kMilliCpu = 250;
constexpr std::int64_t kTooMuchMilliCpu = 64'000;

std::string node_name(std::size_t number) {
  return fmt::format("node-{}", number);
}

api::PodAffinity required(const api::LabelSelector& selector, std::string_view topology_key) {
  api::PodAffinityTerm term;
  term.label_selector = selector;
  term.topology_key = Symbol(topology_key);
  api::PodAffinity affinity;
  affinity.required.push_back(std::move(term));
  return affinity;
}

void demand(api::PodTemplate& shared, PodKind kind, Symbol app) {
  api::LabelSelector selector;
  selector.match_labels[Symbol("app")] = app;
  switch (kind) {
    case PodKind::kPlain:
    case PodKind::kMixed: break;
    case PodKind::kSpread: {
      api::TopologySpreadConstraint& spread = shared.topology_spread_constraints.emplace_back();
      spread.max_skew = kMaxSkew;
      spread.topology_key = Symbol(kZoneLabel);
      spread.when_unsatisfiable = Symbol("DoNotSchedule");
      spread.label_selector = selector;
      break;
    }
    case PodKind::kAffine: {
      api::Affinity affinity;
      affinity.pod_affinity = required(selector, kZoneLabel);
      shared.affinity = std::move(affinity);
      break;
    }
    case PodKind::kAntiAffine: {
      api::Affinity affinity;
      affinity.pod_anti_affinity = required(selector, kHostLabel);
      shared.affinity = std::move(affinity);
      break;
    }
  }
}

api::PodPtr with_name(const api::Pod& prototype, std::string name) {
  auto pod = std::make_shared<api::Pod>(prototype);
  pod->metadata.uid = "uid-" + name;
  pod->metadata.name = std::move(name);
  return pod;
}

}  // namespace

std::string_view to_string(PodKind kind) {
  switch (kind) {
    case PodKind::kPlain: return "plain";
    case PodKind::kSpread: return "spread";
    case PodKind::kAffine: return "affine";
    case PodKind::kAntiAffine: return "anti-affine";
    case PodKind::kMixed: return "mixed";
  }
  return "";
}

api::NodePtr make_node(std::size_t number) {
  auto node = std::make_shared<api::Node>();
  node->metadata.name = node_name(number);
  node->metadata.uid = "uid-" + node->metadata.name;
  node->metadata.labels = api::Labels{{kHostLabel, Symbol(node->metadata.name)},
                                      {kZoneLabel, Symbol(fmt::format("zone-{}", number % kZones))}};
  node->status.capacity[Symbol("cpu")] = api::Quantity::from_units(32);
  node->status.capacity[Symbol("memory")] = api::Quantity::from_units(128 * kGi);
  node->status.capacity[Symbol("pods")] = api::Quantity::from_units(110);
  node->status.allocatable = node->status.capacity;
  return node;
}

PodMaker::PodMaker(PodKind kind) : kind_(kind) {
  for (std::size_t app = 0; app < kApps; ++app) {
    by_app_.push_back(make(fmt::format("app-{}", app), kind_of(app), kMilliCpu));
  }
  rejected_ = make("app-0", kind_of(0), kTooMuchMilliCpu);
}

PodKind PodMaker::kind_of(std::size_t app) const {
  static constexpr PodKind kTurns[] = {PodKind::kPlain, PodKind::kPlain, PodKind::kSpread, PodKind::kAntiAffine,
                                       PodKind::kAffine};
  return kind_ == PodKind::kMixed ? kTurns[app % std::size(kTurns)] : kind_;
}

api::Pod PodMaker::make(const std::string& app, PodKind kind, std::int64_t milli_cpu) {
  const Symbol app_symbol(app);
  api::PodTemplate shared;
  api::Container& container = shared.containers.emplace_back();
  container.name = Symbol("server");
  container.image = Symbol("example.com/server:v1");
  container.resources.requests[Symbol("cpu")] = api::Quantity::from_milli(milli_cpu);
  container.resources.requests[Symbol("memory")] = api::Quantity::from_units(kGi / 2);
  shared.restart_policy = Symbol("Always");
  shared.scheduler_name = Symbol("default-scheduler");
  shared.priority = 0;
  demand(shared, kind, app_symbol);

  api::Pod pod;
  pod.metadata.name_space = Symbol("default");
  pod.metadata.creation_timestamp = Instant::from_unix_seconds(1'700'000'000);
  pod.metadata.labels = pool_.intern(api::Labels{{"app", app_symbol}}, hash_bytes(app));
  // Templates of plain pods are all the same, those of others tell their app.
  pod.spec.shared = pool_.intern(std::move(shared), kind == PodKind::kPlain ? 0 : hash_bytes(app));
  pod.status.phase = Symbol("Pending");
  return pod;
}

api::PodPtr PodMaker::placed(std::size_t number, std::size_t pods_per_node) const {
  api::Pod pod = by_app_[number % kApps];
  pod.spec.node_name = Symbol(node_name(number / pods_per_node));
  pod.status.phase = Symbol("Running");
  return with_name(pod, fmt::format("placed-{}", number));
}

api::PodPtr PodMaker::seen(std::size_t number) const {
  return with_name(by_app_[number % kApps], fmt::format("seen-{}", number));
}

api::PodPtr PodMaker::unseen(std::size_t number, std::size_t position) {
  return with_name(make(fmt::format("unique-{}", number), kind_of(position % kApps), kMilliCpu),
                   fmt::format("new-{}", number));
}

api::PodPtr PodMaker::rejected(std::size_t number) const {
  return with_name(rejected_, fmt::format("rejected-{}", number));
}

}  // namespace berth::bench
