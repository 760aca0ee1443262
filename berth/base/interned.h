// An Interned<T> is an immutable value that equal values share. Pods of one template share one spec, one set of labels
// and one list of owners through it; so a pod costs what is its own, and "same template" is a pointer comparison.
//
// An InternPool is where decoders find an equal value that is already there. Whoever decodes owns the pool; there is no
// global one. Values from different pools, or made without one, are equal if their contents are, only not shared.
// The pool is thread safe. It drops values that nobody else holds when it has doubled since the last sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <typeindex>
#include <unordered_map>
#include <utility>

namespace berth {

template <typename T>
class Interned {
 public:
  // The default T, without an allocation.
  Interned() = default;
  // Not shared with equal values; decoders share through a pool.
  Interned(T value) : value_(std::make_shared<const T>(std::move(value))) {}
  explicit Interned(std::shared_ptr<const T> value) : value_(std::move(value)) {}

  const T& operator*() const { return value_ ? *value_ : empty_value(); }
  const T* operator->() const { return &**this; }

  // True if both share one value. Equal values may still be different ones.
  bool same_as(const Interned& other) const { return &**this == &*other; }
  // Identifies the shared value for as long as somebody holds it.
  const void* identity() const { return &**this; }
  // Keeps the value alive; null stands for the default one.
  const std::shared_ptr<const T>& pointer() const { return value_; }

  friend bool operator==(const Interned& a, const Interned& b) { return a.same_as(b) || *a == *b; }

 private:
  static const T& empty_value() {
    static const T empty{};
    return empty;
  }
  std::shared_ptr<const T> value_;
};

class InternPool {
 public:
  InternPool() = default;
  InternPool(const InternPool&) = delete;
  InternPool& operator=(const InternPool&) = delete;

  // The shared value equal to `value`, which becomes it if there is none. `hash` must be equal for equal values.
  template <typename T>
  Interned<T> intern(T&& value, std::uint64_t hash) {
    const std::lock_guard lock(mutex_);
    const std::type_index type(typeid(T));
    const auto [first, last] = entries_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      if (it->second.type == type && *static_cast<const T*>(it->second.value.get()) == value) {
        return Interned<T>(std::static_pointer_cast<const T>(it->second.value));
      }
    }
    sweep_if_grown();
    auto shared = std::make_shared<const T>(std::forward<T>(value));
    entries_.emplace(hash, Entry{type, shared});
    return Interned<T>(std::move(shared));
  }

  // How many distinct values are held.
  std::size_t size() const;

 private:
  struct Entry {
    std::type_index type;
    std::shared_ptr<const void> value;
  };
  void sweep_if_grown();

  static constexpr std::size_t kFirstSweepSize = 1024;
  mutable std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, Entry> entries_;
  std::size_t sweep_at_ = kFirstSweepSize;
};

}  // namespace berth
