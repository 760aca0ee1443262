#include "berth/sim/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "berth/api/kinds.h"
#include "berth/cache/comparer.h"

namespace berth::sim {

namespace {

using Sentences = std::vector<std::string>;

// Whether pods of this scheduler name are kept from nodes that are full.
bool minds_resources(const engine::Scheduler& scheduler, Symbol scheduler_name) {
  const framework::Profile* profile = scheduler.profile(scheduler_name);
  if (profile == nullptr) return false;
  const auto& filters = profile->plugin_lists().at(config::ExtensionPoint::kFilter);
  return std::ranges::any_of(filters, [](const config::Plugin& plugin) { return plugin.name == "NodeResourcesFit"; });
}

void check_amount(Symbol node, std::string_view what, std::int64_t used, std::int64_t most, Sentences& broken) {
  if (used <= most) return;
  broken.push_back(fmt::format("node {} never had more {} than {}, and the scheduler placed pods there that ask for {}",
                               node.text(), what, most, used));
}

bool may_be_bound(engine::PodPlace place) {
  return place == engine::PodPlace::kBound || place == engine::PodPlace::kBinding ||
         place == engine::PodPlace::kWaiting;
}

void compare_pod(const api::Pod& pod, const engine::Scheduler& scheduler, Sentences& broken) {
  if (api::is_terminal(pod)) return;
  const std::string name = api::full_name(pod.metadata);
  const api::PodPtr known = scheduler.find_pod(pod.metadata.name_space, pod.metadata.name);
  if (known == nullptr) {
    broken.push_back(fmt::format("the scheduler does not know pod {}", name));
    return;
  }
  if (known->metadata.resource_version != pod.metadata.resource_version) {
    broken.push_back(fmt::format("the scheduler knows version {} of pod {}, and it is at {}",
                                 known->metadata.resource_version, name, pod.metadata.resource_version));
  }
  const engine::PodPlace place = scheduler.place_of(pod.metadata.name_space, pod.metadata.name);
  const bool has_node = !pod.spec.node_name.empty();
  if (has_node ? !may_be_bound(place) : place == engine::PodPlace::kUnknown || place == engine::PodPlace::kBound) {
    broken.push_back(fmt::format("pod {} {} a node, and is {} to the scheduler", name, has_node ? "has" : "has not",
                                 engine::to_string(place)));
  }
}

template <typename T>
void compare_objects(const ApiServer& api, const cache::ObjectMap<T>& known, Sentences& broken) {
  const std::string_view kind = api::kind_of<T>().kind;
  if (known.size() != api.count(api::kind_of<T>())) {
    broken.push_back(fmt::format("the scheduler knows {} objects of kind {}, and there are {}", known.size(), kind,
                                 api.count(api::kind_of<T>())));
  }
  api.for_each<T>([&](const std::shared_ptr<const T>& object) {
    const T* found = known.find(object->metadata.name_space, object->metadata.name);
    if (found != nullptr && found->metadata.resource_version == object->metadata.resource_version) return;
    broken.push_back(fmt::format("the scheduler knows {} of {} {}, and it is at version {}",
                                 found == nullptr ? "nothing" : "version " + found->metadata.resource_version, kind,
                                 api::full_name(object->metadata), object->metadata.resource_version));
  });
}

void compare_with_api(const ApiServer& api, const engine::Scheduler& scheduler, Sentences& broken) {
  std::vector<api::NodePtr> nodes;
  api.for_each<api::Node>([&](const api::NodePtr& node) { nodes.push_back(node); });
  std::vector<api::PodPtr> pods;
  api.for_each<api::Pod>([&](const api::PodPtr& pod) {
    pods.push_back(pod);
    compare_pod(*pod, scheduler, broken);
  });
  for (std::string& difference : cache::compare(scheduler.cache(), nodes, pods))
    broken.push_back(std::move(difference));
  for (const api::PodPtr& pod : scheduler.queue().pending_pods()) {
    const api::PodPtr there = api.get<api::Pod>(pod->metadata.name_space, pod->metadata.name);
    if (there != nullptr && there->metadata.uid == pod->metadata.uid) continue;
    broken.push_back(fmt::format("pod {} is queued, and gone", api::full_name(pod->metadata)));
  }

  const cache::ClusterObjects& objects = scheduler.objects();
  compare_objects(api, objects.namespaces, broken);
  compare_objects(api, objects.services, broken);
  compare_objects(api, objects.replication_controllers, broken);
  compare_objects(api, objects.replica_sets, broken);
  compare_objects(api, objects.stateful_sets, broken);
  compare_objects(api, objects.pod_disruption_budgets, broken);
  compare_objects(api, objects.storage_classes, broken);
  compare_objects(api, objects.persistent_volumes, broken);
  compare_objects(api, objects.persistent_volume_claims, broken);
  compare_objects(api, objects.csi_drivers, broken);
  compare_objects(api, objects.csi_nodes, broken);
  compare_objects(api, objects.csi_storage_capacities, broken);
  compare_objects(api, objects.volume_attachments, broken);
  compare_objects(api, objects.device_classes, broken);
  compare_objects(api, objects.resource_claims, broken);
}

}  // namespace

void Invariants::on_change(const Change& change) {
  if (const api::NodePtr node = change.object.as<api::Node>()) {
    const api::ResourceVector has(node->status.allocatable);
    api::ResourceVector& peak = peaks_[Symbol(node->metadata.name)];
    peak.milli_cpu = std::max(peak.milli_cpu, has.milli_cpu);
    peak.memory = std::max(peak.memory, has.memory);
    peak.ephemeral_storage = std::max(peak.ephemeral_storage, has.ephemeral_storage);
    peak.allowed_pods = std::max(peak.allowed_pods, has.allowed_pods);
    return;
  }
  if (change.kind != Change::Kind::kModified) return;
  const api::PodPtr pod = change.object.as<api::Pod>();
  if (pod == nullptr) return;
  const api::PodPtr before = change.before.as<api::Pod>();
  if (before->spec.node_name.empty() || before->spec.node_name == pod->spec.node_name) return;
  moved_pods_.push_back(fmt::format("pod {} was on {} and is now on {}", api::full_name(pod->metadata),
                                    before->spec.node_name.text(), pod->spec.node_name.text()));
}

std::vector<std::string> Invariants::broken(const ApiServer& api, const History& history, const SchedulerLink& link) {
  std::vector<std::string> broken = moved_pods_;
  const engine::Scheduler* scheduler = link.scheduler();
  if (scheduler == nullptr) return broken;
  for (std::string& sentence : scheduler->broken_invariants()) broken.push_back(std::move(sentence));
  check_nodes(api, history, link, broken);
  if (!link.has_changes_on_their_way()) compare_with_api(api, *scheduler, broken);
  return broken;
}

void Invariants::check_nodes(const ApiServer& api, const History& history, const SchedulerLink& link,
                             std::vector<std::string>& broken) {
  std::map<Symbol, api::ResourceVector, SymbolTextLess> used;  // allowed_pods: how many there are
  api.for_each<api::Pod>([&](const api::PodPtr& pod) {
    if (pod->spec.node_name.empty() || api::is_terminal(*pod)) return;
    // Those whose spec has changed since may ask for more than they were placed with.
    if (pod->metadata.generation > 1 || link.was_bound_by_others(pod->metadata.uid)) return;
    const PodTimeline* pod_timeline = history.timeline_of_uid(pod->metadata.uid);
    if (pod_timeline == nullptr || pod_timeline->attempts == 0) return;
    if (!minds_resources(*link.scheduler(), pod->spec->scheduler_name)) return;
    api::ResourceVector& sum = used[pod->spec.node_name];
    sum += api::usage_of(*pod, *compiled_.get(pod->spec.shared)).requested;
    ++sum.allowed_pods;
  });
  for (const auto& [node, sum] : used) {
    const auto it = peaks_.find(node);
    if (it == peaks_.end()) continue;
    const api::ResourceVector& peak = it->second;
    check_amount(node, "thousandths of a CPU", sum.milli_cpu, peak.milli_cpu, broken);
    check_amount(node, "bytes of memory", sum.memory, peak.memory, broken);
    check_amount(node, "bytes of ephemeral storage", sum.ephemeral_storage, peak.ephemeral_storage, broken);
    check_amount(node, "room for pods", sum.allowed_pods, peak.allowed_pods, broken);
  }
}

}  // namespace berth::sim
