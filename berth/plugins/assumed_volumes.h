// Volumes and claims as the scheduler has decided about them, before the API server and the informers know.
//
// An assumption is a copy of an object with what the scheduler is about to write. It stands in for the stored object as
// long as that one is still the version that the copy was made from; any other version is newer and takes over, whether
// it has the scheduler's change in it or not.
//
// AssumedVolumes belongs to one VolumeBinding plugin. Not thread safe.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/api/node_selector.h"
#include "berth/base/error.h"
#include "berth/cache/cluster_objects.h"

namespace berth::plugins {

using ClaimPtr = std::shared_ptr<const api::PersistentVolumeClaim>;
using VolumePtr = std::shared_ptr<const api::PersistentVolume>;

template <typename T>
class AssumeCache {
 public:
  using Pointer = std::shared_ptr<const T>;

  // The assumed copy of `stored`, or `stored` itself if nothing is assumed about this version of it.
  Pointer current(const Pointer& stored) const {
    if (assumed_.empty() || stored == nullptr) return stored;
    const auto it = assumed_.find(api::full_name(stored->metadata));
    return it != assumed_.end() && is_same_version(*it->second, *stored) ? it->second : stored;
  }

  // The error: `object` is not made from the version that is stored, or nothing is stored under its name.
  Result<void> assume(const cache::ObjectMap<T>& objects, Pointer object) {
    std::string key = api::full_name(object->metadata);
    const T* stored = objects.find(object->metadata.name_space, object->metadata.name);
    if (stored == nullptr) return fail(fmt::format("{} \"{}\" not found", api::kind_of<T>().resource, key));
    if (!is_same_version(*stored, *object)) {
      return fail(fmt::format("\"{}\" is out of sync (stored: {}, assume: {})", key, stored->metadata.resource_version,
                              object->metadata.resource_version));
    }
    sweep_if_grown(objects);
    assumed_.insert_or_assign(std::move(key), std::move(object));
    return {};
  }

  // Forgets what was assumed about this version of the object, if anything.
  void restore(const T& object) {
    const auto it = assumed_.find(api::full_name(object.metadata));
    if (it != assumed_.end() && is_same_version(*it->second, object)) assumed_.erase(it);
  }

  std::size_t size() const { return assumed_.size(); }

 private:
  static constexpr std::size_t kFirstSweepSize = 64;

  static bool is_same_version(const T& a, const T& b) {
    return a.metadata.resource_version == b.metadata.resource_version;
  }

  // What a newer version has overtaken is of no use any more; it is dropped now and then.
  void sweep_if_grown(const cache::ObjectMap<T>& objects) {
    if (assumed_.size() < sweep_at_) return;
    std::erase_if(assumed_, [&](const auto& entry) {
      const api::ObjectMeta& metadata = entry.second->metadata;
      const T* stored = objects.find(metadata.name_space, metadata.name);
      return stored == nullptr || !is_same_version(*stored, *entry.second);
    });
    sweep_at_ = std::max(kFirstSweepSize, 2 * assumed_.size());
  }

  std::unordered_map<std::string, Pointer> assumed_;
  std::size_t sweep_at_ = kFirstSweepSize;
};

// Nothing of a volume that is looked at for every node is worked out twice.
struct IndexedVolume {
  VolumePtr volume;                          // as stored
  std::optional<api::NodeMatcher> affinity;  // none: usable on every node
  // If the volume is usable only on nodes that have one of these values in one label, that label; else the key is
  // empty. Volumes of one machine name its host.
  Symbol pinned_key;
  std::vector<Symbol> pinned_values;
};

class AssumedVolumes {
 public:
  AssumeCache<api::PersistentVolume> volumes;
  AssumeCache<api::PersistentVolumeClaim> claims;

  // The volumes of a class in order of their names, without assumptions. Valid until the next change of `objects`.
  const std::vector<std::shared_ptr<const IndexedVolume>>& volumes_of_class(const cache::ClusterObjects& objects,
                                                                            Symbol storage_class) const;

 private:
  using Indexed = std::shared_ptr<const IndexedVolume>;
  mutable std::unordered_map<const api::PersistentVolume*, Indexed> indexed_;
  mutable std::unordered_map<Symbol, std::vector<Indexed>> by_class_;
  mutable std::optional<std::uint64_t> version_;  // of the objects that by_class_ was made from
};

}  // namespace berth::plugins
