#include "berth/whatif/capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "berth/api/pod_requests.h"
#include "berth/explain/what_if.h"
#include "berth/explain/words.h"
#include "berth/whatif/filler.h"

namespace berth::whatif {

namespace {

// --- The pod ---------------------------------------------------------------------------------------------------------

// As a new pod of that template: what a pod that was taken from a cluster has got there is left out.
void make_new(api::Pod& pod, std::vector<std::string>& notes) {
  if (!pod.spec.node_name.empty()) {
    notes.push_back(fmt::format("The pod names a node ({}); that is left out.", pod.spec.node_name.text()));
    pod.spec.node_name = Symbol();
  }
  pod.metadata.uid.clear();
  pod.metadata.resource_version.clear();
  pod.metadata.deletion_timestamp = Instant();
  pod.status = api::PodStatus();
  if (!pod.spec->scheduling_gates.empty()) {
    notes.emplace_back("The pod waits behind scheduling gates; they are left out.");
    api::PodTemplate spec = *pod.spec.shared;
    spec.scheduling_gates.clear();
    pod.spec.shared = Interned<api::PodTemplate>(std::move(spec));
  }
}

std::string requests_text(const api::PodTemplate& spec) {
  const api::ResourceVector requests(api::pod_requests(spec, api::PodRequestsOptions{}));
  std::vector<std::string> parts;
  const auto add = [&](Symbol resource, std::int64_t amount) {
    if (amount > 0) parts.push_back(explain::amount_of(resource, amount, explain::Round::kUp));
  };
  add(Symbol("cpu"), requests.milli_cpu);
  add(Symbol("memory"), requests.memory);
  add(Symbol("ephemeral-storage"), requests.ephemeral_storage);
  for (const auto& [resource, amount] : requests.scalars) add(resource, amount);
  return explain::listed(parts);
}

// --- Placing ---------------------------------------------------------------------------------------------------------

// Returns how many each node got.
std::map<std::string, std::int64_t> fill(Filler& filler, const CapacityOptions& options, Capacity& result) {
  std::map<std::string, std::int64_t> per_node;
  while (options.limit == 0 || result.instances < options.limit) {
    Filler::Outcome outcome = filler.place_next();
    result.victims.insert(result.victims.end(), outcome.victims.begin(), outcome.victims.end());
    if (!outcome.node.empty()) {
      ++result.instances;
      ++per_node[outcome.node.str()];
      continue;
    }
    result.stop = outcome.stop;
    result.message = std::move(outcome.message);
    result.groups = std::move(outcome.groups);
    if (outcome.stop == stop::kError) {
      result.sentence = fmt::format("A plugin fails: {}.", result.message);
    } else if (outcome.stop == stop::kForbidden) {
      result.sentence = "The API server would not create the next one.";
    } else if (result.nodes == 0) {
      result.sentence = "There are no nodes.";
    } else if (!outcome.headline.empty()) {
      result.sentence = fmt::format("{} {}.", result.instances == 0 ? "The pod" : "The next one", outcome.headline);
    }
    return per_node;
  }
  result.stop = Symbol(stop::kLimitReached);
  result.sentence = fmt::format("The limit of {} is reached; there may be room for more.", options.limit);
  return per_node;
}

void note_what_was_read(const explain::Cluster& cluster, Capacity& result) {
  const auto is_waiting = [](const auto& entry) {
    return entry.second->spec.node_name.empty() && !api::is_terminal(*entry.second);
  };
  if (const auto pending = std::ranges::count_if(cluster.pods, is_waiting); pending > 0) {
    result.notes.push_back(fmt::format("{} pending in what was read and {} no room here.",
                                       pending == 1 ? "1 pod is" : fmt::format("{} pods are", pending),
                                       pending == 1 ? "takes up" : "take up"));
  }
  if (!cluster.dangling.empty()) {
    result.notes.push_back(
        fmt::format("{} on nodes that were not read ({}).",
                    cluster.dangling.size() == 1 ? "1 pod is" : fmt::format("{} pods are", cluster.dangling.size()),
                    explain::listed(cluster.dangling, 3)));
  }
}

}  // namespace

Result<NewPods> new_pods(std::span<const api::AnyObject> manifest, std::span<const api::AnyObject> dump) {
  auto probe = explain::Probe::make(manifest, dump);
  if (!probe) return fail(probe.error());
  if (probe->daemon_set() != nullptr) {
    return fail(Error(fmt::format("{} has one pod on each of its nodes, however many fit", probe->workload()))
                    .with_fix("berth explain --pod-file says which nodes can take it"));
  }
  NewPods pods{.probe = *std::move(probe), .notes = {}};
  make_new(pods.probe.draft(), pods.notes);
  return pods;
}

std::vector<NodeCapacity> placement_of(const explain::Cluster& cluster,
                                       const std::map<std::string, std::int64_t>& per_node) {
  std::map<std::string, std::string> pool_of;
  for (const explain::Pool& pool : explain::pools_of(cluster)) {
    for (const cache::RowId row : pool.rows) pool_of[cluster.name_of(row)] = pool.name;
  }
  std::vector<NodeCapacity> placement;
  for (const auto& [node, instances] : per_node) placement.push_back({node, pool_of[node], instances});
  std::ranges::sort(placement,
                    [](const NodeCapacity& a, const NodeCapacity& b) { return explain::natural_less(a.node, b.node); });
  return placement;
}

Result<Capacity> capacity_of(explain::Cluster& cluster, NewPods& pods, const report::Settings& settings,
                             const CapacityOptions& options) {
  const auto first = pods.probe.make_instance(cluster);
  if (!first) return fail(first.error());
  const auto profile = profile_for(**first, settings, cluster.objects);
  if (!profile) return fail(profile.error());
  Capacity result;
  result.pod = api::full_name(pods.probe.draft().metadata);
  result.requests = requests_text(*(*first)->spec.shared);
  result.nodes = static_cast<std::int64_t>(cluster.cache.nodes().node_count());
  result.notes = pods.notes;
  result.notes.insert(result.notes.end(), pods.probe.notes().begin(), pods.probe.notes().end());
  note_what_was_read(cluster, result);
  Filler filler(cluster, pods.probe, *first, **profile, options);
  result.placement = placement_of(cluster, fill(filler, options, result));
  return result;
}

}  // namespace berth::whatif
