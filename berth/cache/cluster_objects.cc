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

}  // namespace berth::cache
