// The objects besides pods and nodes that plugins look into: namespaces, workloads, budgets, storage.
//
// An ObjectMap holds the objects of one kind by namespace and name, in that order, so that whoever goes through them
// gets the same order on every run. Its version changes when its contents do: what was worked out from them is then out
// of date. Plain containers, not thread safe; pointers stay valid until the object is replaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/base/function_ref.h"

namespace berth::cache {

template <typename T>
class ObjectMap {
 public:
  using Pointer = std::shared_ptr<const T>;

  // Adds the object or replaces the one of that name.
  void set(Pointer object) {
    ++version_;
    auto& objects = by_namespace_[object->metadata.name_space];
    const std::string& name = object->metadata.name;
    if (const auto it = objects.find(name); it != objects.end()) {
      it->second = std::move(object);
    } else {
      ++size_;
      objects.emplace(name, std::move(object));
    }
  }
  // Returns whether it was there.
  bool remove(Symbol name_space, std::string_view name) {
    const auto it = by_namespace_.find(name_space);
    if (it == by_namespace_.end()) return false;
    const auto found = it->second.find(name);
    if (found == it->second.end()) return false;
    it->second.erase(found);
    ++version_;
    --size_;
    return true;
  }

  // Null if there is none.
  const T* find(Symbol name_space, std::string_view name) const {
    const Pointer* pointer = find_pointer(name_space, name);
    return pointer == nullptr ? nullptr : pointer->get();
  }
  Pointer get(Symbol name_space, std::string_view name) const {
    const Pointer* pointer = find_pointer(name_space, name);
    return pointer == nullptr ? nullptr : *pointer;
  }
  // For objects without a namespace.
  const T* find(std::string_view name) const { return find(Symbol(), name); }
  Pointer get(std::string_view name) const { return get(Symbol(), name); }

  // Calls fn(const Pointer&) in order of names.
  template <typename Fn>
  void for_each_in(Symbol name_space, Fn&& fn) const {
    const auto it = by_namespace_.find(name_space);
    if (it == by_namespace_.end()) return;
    for (const auto& [name, object] : it->second) fn(object);
  }
  template <typename Fn>
  void for_each(Fn&& fn) const {
    for (const auto& [name_space, objects] : by_namespace_) {
      for (const auto& [name, object] : objects) fn(object);
    }
  }

  std::size_t size() const { return size_; }
  std::uint64_t version() const { return version_; }

 private:
  const Pointer* find_pointer(Symbol name_space, std::string_view name) const {
    const auto it = by_namespace_.find(name_space);
    if (it == by_namespace_.end()) return nullptr;
    const auto found = it->second.find(name);
    return found == it->second.end() ? nullptr : &found->second;
  }

  std::map<Symbol, std::map<std::string, Pointer, std::less<>>, SymbolTextLess> by_namespace_;
  std::size_t size_ = 0;
  std::uint64_t version_ = 0;
};

struct ClusterObjects {
  ObjectMap<api::Namespace> namespaces;
  ObjectMap<api::PriorityClass> priority_classes;
  ObjectMap<api::Service> services;
  ObjectMap<api::ReplicationController> replication_controllers;
  ObjectMap<api::ReplicaSet> replica_sets;
  ObjectMap<api::StatefulSet> stateful_sets;
  ObjectMap<api::PodDisruptionBudget> pod_disruption_budgets;
  ObjectMap<api::StorageClass> storage_classes;
  ObjectMap<api::PersistentVolume> persistent_volumes;
  ObjectMap<api::PersistentVolumeClaim> persistent_volume_claims;
  ObjectMap<api::CsiDriver> csi_drivers;
  ObjectMap<api::CsiNode> csi_nodes;
  ObjectMap<api::CsiStorageCapacity> csi_storage_capacities;
  ObjectMap<api::VolumeAttachment> volume_attachments;
  ObjectMap<api::DeviceClass> device_classes;
  ObjectMap<api::ResourceClaim> resource_claims;

  // Null if the namespace is unknown.
  const api::Labels* namespace_labels(Symbol name_space) const;

  // Adds or replaces an object; false if it is of a kind that is not kept here.
  bool set(const api::AnyObject& object);
  bool remove(const api::AnyObject& object);
  // What is known under the kind and name of `object`; empty if nothing is.
  api::AnyObject get(const api::AnyObject& object) const;
  void for_each_of(const api::ObjectKind& kind, FunctionRef<void(const api::AnyObject&)> fn) const;
};

}  // namespace berth::cache
