#include "berth/cache/cluster_objects.h"

namespace berth::cache {
namespace {

// Calls fn(ObjectMap<T>&) for each map.
template <typename Objects, typename Fn>
void for_each_map(Objects& objects, Fn&& fn) {
  fn(objects.namespaces);
  fn(objects.priority_classes);
  fn(objects.services);
  fn(objects.replication_controllers);
  fn(objects.replica_sets);
  fn(objects.stateful_sets);
  fn(objects.pod_disruption_budgets);
  fn(objects.storage_classes);
  fn(objects.persistent_volumes);
  fn(objects.persistent_volume_claims);
  fn(objects.csi_drivers);
  fn(objects.csi_nodes);
  fn(objects.csi_storage_capacities);
  fn(objects.volume_attachments);
  fn(objects.device_classes);
  fn(objects.resource_claims);
}

}  // namespace

const api::Labels* ClusterObjects::namespace_labels(Symbol name_space) const {
  const api::Namespace* found = namespaces.find(name_space.text());
  return found == nullptr ? nullptr : &*found->metadata.labels;
}

bool ClusterObjects::set(const api::AnyObject& object) {
  bool is_kept = false;
  for_each_map(*this, [&]<typename T>(ObjectMap<T>& map) {
    if (auto typed = object.as<T>()) {
      map.set(std::move(typed));
      is_kept = true;
    }
  });
  return is_kept;
}

bool ClusterObjects::remove(const api::AnyObject& object) {
  bool was_there = false;
  for_each_map(*this, [&]<typename T>(ObjectMap<T>& map) {
    if (const auto typed = object.as<T>()) was_there = map.remove(typed->metadata.name_space, typed->metadata.name);
  });
  return was_there;
}

api::AnyObject ClusterObjects::get(const api::AnyObject& object) const {
  api::AnyObject known;
  for_each_map(*this, [&]<typename T>(const ObjectMap<T>& map) {
    if (&object.kind() != &api::kind_of<T>()) return;
    const api::ObjectMeta& metadata = object.metadata();
    if (auto found = map.get(metadata.name_space, metadata.name)) known = api::AnyObject(std::move(found));
  });
  return known;
}

void ClusterObjects::for_each_of(const api::ObjectKind& kind, FunctionRef<void(const api::AnyObject&)> fn) const {
  for_each_map(*this, [&]<typename T>(const ObjectMap<T>& map) {
    if (&kind != &api::kind_of<T>()) return;
    map.for_each([&](const auto& object) { fn(api::AnyObject(object)); });
  });
}

}  // namespace berth::cache
