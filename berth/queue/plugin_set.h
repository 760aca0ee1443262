// Sets of plugins as bits, so that "which plugins rejected this pod" is one word and matching it against an event is
// one instruction. A queue numbers the plugin names it meets, in the order it meets them.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "berth/base/check.h"
#include "berth/base/symbol.h"

namespace berth::queue {

using PluginId = std::uint8_t;
inline constexpr PluginId kNoPlugin = 0xFF;
// How many different plugins one queue may meet. kube-scheduler has 22.
inline constexpr std::size_t kMaxPlugins = 64;

class PluginSet {
 public:
  constexpr PluginSet() = default;

  bool empty() const { return bits_ == 0; }
  bool contains(PluginId plugin) const { return (bits_ >> plugin & 1) != 0; }
  void insert(PluginId plugin) { bits_ |= std::uint64_t{1} << plugin; }
  bool intersects(PluginSet other) const { return (bits_ & other.bits_) != 0; }
  int size() const { return std::popcount(bits_); }
  std::uint64_t bits() const { return bits_; }

  friend PluginSet operator|(PluginSet a, PluginSet b) { return PluginSet(a.bits_ | b.bits_); }
  friend bool operator==(PluginSet, PluginSet) = default;

  // Calls fn(PluginId) in ascending order.
  template <typename Fn>
  void for_each(Fn&& fn) const {
    for (std::uint64_t rest = bits_; rest != 0; rest &= rest - 1) fn(static_cast<PluginId>(std::countr_zero(rest)));
  }

 private:
  explicit constexpr PluginSet(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

class PluginNames {
 public:
  PluginId id(Symbol name) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return static_cast<PluginId>(i);
    }
    BERTH_CHECK(names_.size() < kMaxPlugins, "more than {} plugins; the next is {}", kMaxPlugins, name.text());
    names_.push_back(name);
    return static_cast<PluginId>(names_.size() - 1);
  }
  // Requires: an id of this table.
  Symbol name(PluginId plugin) const { return names_[plugin]; }

 private:
  std::vector<Symbol> names_;
};

}  // namespace berth::queue
