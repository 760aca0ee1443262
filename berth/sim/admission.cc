#include "berth/sim/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "berth/api/label_keys.h"
#include "berth/sim/api_server.h"
#include "berth/sim/object_copy.h"

namespace berth::sim {

namespace {

// Beyond it, what is remembered is dropped and found again in the pool.
constexpr std::size_t kMaxRemembered = 4096;

constexpr std::int64_t kDefaultMaxPods = 110;
constexpr std::int32_t kSystemClusterCritical = 2'000'000'000;
constexpr std::int32_t kSystemNodeCritical = 2'000'001'000;

template <typename T>
Interned<T> intern(InternPool& pool, T value) {
  const std::uint64_t hash = api::hash_value(api::type_of<T>(), &value);
  return pool.intern(std::move(value), hash);
}

void default_requests(api::Container& container) {
  for (const auto& [resource, limit] : container.resources.limits) {
    if (!container.resources.requests.contains(resource)) container.resources.requests[resource] = limit;
  }
}

void default_host_ports(api::Container& container) {
  for (api::ContainerPort& port : container.ports) {
    if (port.host_port == 0) port.host_port = port.container_port;
  }
}

// Of several defaults, the API server takes the lowest.
std::shared_ptr<const api::PriorityClass> default_class(const ApiServer& api) {
  std::shared_ptr<const api::PriorityClass> lowest;
  api.for_each<api::PriorityClass>([&](const std::shared_ptr<const api::PriorityClass>& each) {
    if (each->global_default && (lowest == nullptr || each->value < lowest->value)) lowest = each;
  });
  return lowest;
}

Result<void> resolve_priority(api::PodTemplate& spec, const ApiServer& api) {
  std::shared_ptr<const api::PriorityClass> found;
  if (spec.priority_class_name.empty()) {
    if (!spec.priority) found = default_class(api);
    if (found != nullptr) spec.priority_class_name = Symbol(found->metadata.name);
  } else {
    found = api.get<api::PriorityClass>(Symbol(), spec.priority_class_name.text());
  }
  if (!spec.priority) {
    if (found != nullptr) {
      spec.priority = found->value;
    } else if (spec.priority_class_name.empty()) {
      spec.priority = 0;
    } else if (spec.priority_class_name == "system-cluster-critical") {  // every cluster has these two
      spec.priority = kSystemClusterCritical;
    } else if (spec.priority_class_name == "system-node-critical") {
      spec.priority = kSystemNodeCritical;
    } else {
      return fail(fmt::format("no PriorityClass with name {} was found", spec.priority_class_name.text()));
    }
  }
  if (!spec.preemption_policy) {
    spec.preemption_policy =
        found != nullptr && found->preemption_policy ? found->preemption_policy : Symbol("PreemptLowerPriority");
  }
  return {};
}

api::AnyObject admit_node(const api::Node& given) {
  auto node = std::make_shared<api::Node>(given);
  if (node->spec.unschedulable) taint_as_cordoned(*node);
  api::NodeStatus& status = node->status;
  const Symbol pods("pods");
  if (status.allocatable.empty()) status.allocatable = status.capacity;
  if (!status.allocatable.contains(pods)) status.allocatable[pods] = api::Quantity::from_units(kDefaultMaxPods);
  if (status.capacity.empty()) status.capacity = status.allocatable;
  if (!status.capacity.contains(pods)) status.capacity[pods] = status.allocatable[pods];
  if (status.conditions.empty()) {
    api::NodeCondition ready;
    ready.type = Symbol("Ready");
    ready.status = Symbol("True");
    ready.reason = Symbol("KubeletReady");
    status.conditions.push_back(std::move(ready));
  }
  const Symbol hostname("kubernetes.io/hostname");
  if (!node->metadata.labels->contains(hostname)) {
    api::Labels labels = *node->metadata.labels;
    labels[hostname] = Symbol(node->metadata.name);
    node->metadata.labels = std::move(labels);
  }
  return api::AnyObject(std::shared_ptr<const api::Node>(std::move(node)));
}

api::AnyObject admit_namespace(const api::Namespace& given) {
  auto made = std::make_shared<api::Namespace>(given);
  api::Labels labels = *made->metadata.labels;
  labels[Symbol("kubernetes.io/metadata.name")] = Symbol(made->metadata.name);
  made->metadata.labels = std::move(labels);
  if (made->status.phase.empty()) made->status.phase = Symbol("Active");
  return api::AnyObject(std::shared_ptr<const api::Namespace>(std::move(made)));
}

}  // namespace

void taint_as_cordoned(api::Node& node) {
  const Symbol key("node.kubernetes.io/unschedulable"), effect("NoSchedule");
  std::vector<api::Taint> taints = node.spec.taints;
  const auto is_cordon = [&](const api::Taint& taint) { return taint.key == key && taint.effect == effect; };
  if (!node.spec.unschedulable) {
    std::erase_if(taints, is_cordon);
  } else if (std::ranges::none_of(taints, is_cordon)) {
    api::Taint taint;
    taint.key = key;
    taint.effect = effect;
    taints.push_back(taint);
  }
  node.spec.taints = std::move(taints);
}

Result<api::AnyObject> Admission::admit(const api::AnyObject& object, const ApiServer& api) {
  if (const auto pod = object.as<api::Pod>()) return admit_pod(*pod, api);
  if (const auto node = object.as<api::Node>()) return admit_node(*node);
  if (const auto made = object.as<api::Namespace>()) return admit_namespace(*made);
  const bool needs_namespace = object.kind().namespaced && object.metadata().name_space.empty();
  return with_metadata(object, [needs_namespace](api::ObjectMeta& metadata) {
    if (needs_namespace) metadata.name_space = Symbol("default");
  });
}

Result<api::AnyObject> Admission::admit_pod(const api::Pod& given, const ApiServer& api) {
  static const Symbol kDefault("default"), kPending("Pending");
  auto pod = std::make_shared<api::Pod>(given);
  if (pod->metadata.name_space.empty()) pod->metadata.name_space = kDefault;
  if (pod->status.phase.empty()) pod->status.phase = kPending;
  if (pod->metadata.generation == 0) pod->metadata.generation = 1;
  pod->metadata.labels = share(given.metadata.labels);
  // Pods of a template that differ in a label which it has keys for are of templates of their own.
  Interned<api::PodTemplate> own = given.spec.shared;
  if (api::has_label_keys(*own)) {
    api::PodTemplate merged = *own;
    api::merge_label_keys(merged, *given.metadata.labels);
    own = intern(pool_, std::move(merged));
  }
  auto completed = complete(own, api);
  if (!completed) {
    return fail(fmt::format("pods \"{}\" is forbidden: {}", given.metadata.name, completed.error().what()));
  }
  pod->spec.shared = *std::move(completed);
  return api::AnyObject(std::shared_ptr<const api::Pod>(std::move(pod)));
}

Result<Interned<api::PodTemplate>> Admission::complete(const Interned<api::PodTemplate>& given, const ApiServer& api) {
  if (const auto it = templates_.find(given.identity()); it != templates_.end()) return it->second.completed;
  api::PodTemplate spec = *given;
  if (spec.scheduler_name.empty()) spec.scheduler_name = Symbol("default-scheduler");
  for (auto* containers : {&spec.init_containers, &spec.containers}) {
    for (api::Container& container : *containers) {
      default_requests(container);
      if (spec.host_network) default_host_ports(container);
    }
  }
  if (auto resolved = resolve_priority(spec, api); !resolved) return fail(std::move(resolved).error());
  Template entry{.given = given, .completed = intern(pool_, std::move(spec))};
  if (templates_.size() >= kMaxRemembered) templates_.clear();
  templates_.emplace(entry.completed.identity(), Template{entry.completed, entry.completed});
  return templates_.insert_or_assign(given.identity(), std::move(entry)).first->second.completed;
}

Interned<api::Labels> Admission::share(const Interned<api::Labels>& given) {
  if (given->empty()) return {};
  if (const auto it = labels_.find(given.identity()); it != labels_.end()) return it->second.shared;
  SharedLabels entry{.given = given, .shared = intern(pool_, api::Labels(*given))};
  if (labels_.size() >= kMaxRemembered) labels_.clear();
  return labels_.insert_or_assign(given.identity(), std::move(entry)).first->second.shared;
}

}  // namespace berth::sim
