// All pods that have not ended, by namespace and name, as the world last reported them.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "berth/api/pod.h"
#include "berth/base/hash.h"

namespace berth::engine {

class PodStore {
 public:
  // Null if there is none.
  const api::PodPtr& find(Symbol name_space, std::string_view name) const {
    static const api::PodPtr kNone;
    const auto it = pods_.find(Key{name_space, name});
    return it == pods_.end() ? kNone : it->pod;
  }
  void set(api::PodPtr pod) {
    const auto [it, is_new] = pods_.insert(Entry{pod, hash_of(Key(*pod))});
    if (!is_new) it->pod = std::move(pod);
  }
  void remove(const api::Pod& pod) {
    const auto it = pods_.find(Key(pod));
    if (it != pods_.end()) pods_.erase(it);
  }
  std::size_t size() const { return pods_.size(); }
  // Calls fn(const api::PodPtr&), in no order.
  template <typename Fn>
  void for_each(Fn&& fn) const {
    for (const Entry& entry : pods_) fn(entry.pod);
  }

 private:
  struct Key {
    Symbol name_space;
    std::string_view name;
    Key(Symbol in, std::string_view called) : name_space(in), name(called) {}
    explicit Key(const api::Pod& pod) : Key(pod.metadata.name_space, pod.metadata.name) {}
    bool operator==(const Key&) const = default;
  };
  struct Entry {
    mutable api::PodPtr pod;  // a newer version takes an older one's place: the key stays the same
    std::uint64_t hash = 0;   // of the key, so that a table that grows need not look at all pods
  };
  static std::uint64_t hash_of(const Key& key) { return hash_combine(hash_bytes(key.name), key.name_space.id()); }
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Key& key) const { return hash_of(key); }
    std::size_t operator()(const Entry& entry) const { return entry.hash; }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Entry& a, const Entry& b) const { return Key(*a.pod) == Key(*b.pod); }
    bool operator()(const Entry& a, const Key& b) const { return Key(*a.pod) == b; }
    bool operator()(const Key& a, const Entry& b) const { return a == Key(*b.pod); }
  };
  absl::flat_hash_set<Entry, Hash, Equal> pods_;
};

}  // namespace berth::engine
