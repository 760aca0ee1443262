#include "berth/sim/admission.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "berth/sim/object_copy.h"

namespace berth::sim {

namespace {

// Beyond it, what is remembered is dropped and found again in the pool.
constexpr std::size_t kMaxRemembered = 4096;

constexpr std::int64_t kDefaultMaxPods = 110;

template <typename T>
Interned<T> intern(InternPool& pool, T value) {
  const std::uint64_t hash = api::hash_value(api::type_of<T>(), &value);
  return pool.intern(std::move(value), hash);
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

Result<api::AnyObject> Admission::admit(const api::AnyObject& object) {
  const auto origin = object.metadata().uid.empty() ? admission::Origin::kNew : admission::Origin::kCluster;
  if (const auto pod = object.as<api::Pod>()) return admit_pod(*pod, origin);
  if (const auto node = object.as<api::Node>()) return admit_node(*node);
  if (const auto made = object.as<api::Namespace>()) return admit_namespace(*made);
  const bool needs_namespace = object.kind().namespaced && object.metadata().name_space.empty();
  api::AnyObject copy = with_metadata(object, [needs_namespace](api::ObjectMeta& metadata) {
    if (needs_namespace) metadata.name_space = Symbol("default");
  });
  if (origin == admission::Origin::kCluster) return copy;
  if (const auto claim = copy.as<api::PersistentVolumeClaim>()) {
    auto admitted = rules_.admit(*claim);
    if (!admitted) return fail(std::move(admitted).error());
    return api::AnyObject(std::make_shared<const api::PersistentVolumeClaim>(*std::move(admitted)));
  }
  if (auto checked = rules_.check(copy); !checked) return fail(std::move(checked).error());
  return copy;
}

Result<api::AnyObject> Admission::admit_pod(const api::Pod& given, admission::Origin origin) {
  static const Symbol kDefault("default"), kPending("Pending");
  api::Pod pod = given;
  if (pod.metadata.name_space.empty()) pod.metadata.name_space = kDefault;
  if (pod.status.phase.empty()) pod.status.phase = kPending;
  if (pod.metadata.generation == 0) pod.metadata.generation = 1;
  pod.metadata.labels = share(given.metadata.labels);
  auto admitted = rules_.admit(std::move(pod), origin);
  if (!admitted) return fail(std::move(admitted).error());
  return api::AnyObject(std::make_shared<const api::Pod>(*std::move(admitted)));
}

Interned<api::Labels> Admission::share(const Interned<api::Labels>& given) {
  if (given->empty()) return {};
  if (const auto it = labels_.find(given.identity()); it != labels_.end()) return it->second.shared;
  SharedLabels entry{.given = given, .shared = intern(pool_, api::Labels(*given))};
  if (labels_.size() >= kMaxRemembered) labels_.clear();
  return labels_.insert_or_assign(given.identity(), std::move(entry)).first->second.shared;
}

}  // namespace berth::sim
