// The index of unschedulable pods: those that wait for an event. An event must not cost by how many there are, only by
// how many it can wake, so they are kept in two levels.
//
// A group holds the pods of one profile that were rejected by the same plugins; an event that none of these plugins
// registered for is done with the whole group in one comparison. Within a group, a class holds the pods that a
// class-scoped hint cannot tell apart: same namespace, labels, spec and claim statuses. A hint is asked once per class.
//
// Walks go through groups and classes in the order in which they came to be and through pods in the order in which they
// became unschedulable: the same on every run. A third order, by waiting time, serves the leftover timeout.
//
// Not thread safe. Invariant: a class is never empty, and a pod is linked here exactly while its place is
// kUnschedulable.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "berth/base/intrusive_heap.h"
#include "berth/base/object_pool.h"
#include "berth/queue/queued_pod.h"

namespace berth::queue {

// Kept small, because pods that share nothing with others have one each.
struct UnschedulableClass {
  QueuedPod* first = nullptr;  // its before_in_class is the last one
  UnschedulableClass* before = nullptr;
  UnschedulableClass* after = nullptr;
  std::uint32_t hash = 0;
  std::uint32_t group_number = 0;
};

struct UnschedulableGroup {
  Symbol profile;
  PluginSet unschedulable_plugins;
  PluginSet pending_plugins;
  PluginId gating_plugin = kNoPlugin;
  std::uint32_t number = 0;  // unique among the groups that there are
  UnschedulableClass* first = nullptr;
  UnschedulableClass* last = nullptr;

  PluginSet rejectors() const { return unschedulable_plugins | pending_plugins; }
  bool is_gated() const { return gating_plugin != kNoPlugin; }
};

class UnschedulablePods {
 public:
  using Groups = std::vector<std::unique_ptr<UnschedulableGroup>>;

  // Requires: not linked. Takes the pod's rejectors, gate and object as they are now: to change them, unlink first.
  void link(QueuedPod& pod);
  // Requires: linked. The pod's object may have changed just before.
  void unlink(QueuedPod& pod);

  std::size_t size() const { return by_waiting_time_.size(); }

  // In a fixed order. Must not be kept over a link or unlink.
  const Groups& groups() const { return groups_; }

  // Appends the pods that have waited for longer than `limit` at `now`, longest first.
  void collect_waiting_longer(Duration limit, Instant now, std::vector<QueuedPod*>& into) const;
  // The instant the longest waiting pod has waited since; unset if there is none.
  Instant longest_waits_since() const;

  template <typename Fn>
  void for_each(Fn&& fn) const {
    for (const auto& group : groups_) {
      for (UnschedulableClass* pods = group->first; pods != nullptr; pods = pods->after) {
        for (QueuedPod* pod = pods->first; pod != nullptr; pod = pod->after_in_class) fn(*pod);
      }
    }
  }

 private:
  struct LongestWaitFirst {
    Instant rank(const QueuedPod& pod) const { return pod.waits_since; }
    bool operator()(const QueuedPod&, const QueuedPod&) const { return false; }
  };

  // What a class-scoped hint may look at. The pointers identify shared values that the pods of the class keep alive. A
  // class has no key of its own: its first pod has it.
  struct ClassKey {
    Symbol name_space;
    const void* spec;
    const void* labels;
    const void* claim_statuses;
    std::uint32_t group_number;
    bool operator==(const ClassKey&) const = default;
  };
  struct ClassLookup {
    ClassKey key;
    std::uint32_t hash;
  };
  struct ClassHash {
    using is_transparent = void;
    std::size_t operator()(const UnschedulableClass* pods) const { return pods->hash; }
    std::size_t operator()(const ClassLookup& lookup) const { return lookup.hash; }
  };
  struct ClassEqual {
    using is_transparent = void;
    bool operator()(const UnschedulableClass* a, const UnschedulableClass* b) const { return a == b; }
    bool operator()(const UnschedulableClass* pods, const ClassLookup& lookup) const {
      return pods->hash == lookup.hash && key_of(*pods->first, pods->group_number) == lookup.key;
    }
    bool operator()(const ClassLookup& lookup, const UnschedulableClass* pods) const { return (*this)(pods, lookup); }
  };

  static ClassKey key_of(const QueuedPod& pod, std::uint32_t group_number);
  static std::uint32_t hash_of(const ClassKey& key);
  UnschedulableGroup& group_for(const QueuedPod& pod);
  Groups::const_iterator find_group(std::uint32_t number) const;

  Groups groups_;
  std::uint32_t last_group_number_ = 0;
  absl::flat_hash_set<UnschedulableClass*, ClassHash, ClassEqual> classes_;
  ObjectPool<UnschedulableClass> class_pool_;
  IntrusiveHeap<QueuedPod, LongestWaitFirst, &QueuedPod::heap_position> by_waiting_time_;
};

}  // namespace berth::queue
