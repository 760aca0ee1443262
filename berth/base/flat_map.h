// A small map from symbols, kept as a vector sorted by the keys' text: labels, resource lists, attributes. Iteration is
// in key order, so what is printed from it is the same on every run; look-up compares integers.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/symbol.h"

namespace berth {

template <typename V>
class FlatMap {
 public:
  struct Entry {
    Symbol key;
    V value;
    bool operator==(const Entry&) const = default;
  };

  FlatMap() = default;
  FlatMap(std::initializer_list<std::pair<std::string_view, V>> entries) {
    for (const auto& [key, value] : entries) (*this)[Symbol(key)] = value;
  }

  // Null if the key is not there.
  const V* find(Symbol key) const {
    for (const Entry& entry : entries_) {
      if (entry.key == key) return &entry.value;
    }
    return nullptr;
  }
  bool contains(Symbol key) const { return find(key) != nullptr; }

  // Inserts a default value if the key is not there.
  V& operator[](Symbol key) {
    const std::string_view text = key.text();
    if (entries_.empty() || entries_.back().key.text() < text) {  // keys mostly arrive in order
      return entries_.emplace_back(Entry{key, V{}}).value;
    }
    auto at = std::lower_bound(entries_.begin(), entries_.end(), text,
                               [](const Entry& entry, std::string_view t) { return entry.key.text() < t; });
    if (at != entries_.end() && at->key == key) return at->value;
    return entries_.insert(at, Entry{key, V{}})->value;
  }

  bool erase(Symbol key) {
    return std::erase_if(entries_, [key](const Entry& entry) { return entry.key == key; }) > 0;
  }

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }
  void reserve(std::size_t n) { entries_.reserve(n); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  const Entry& at_index(std::size_t i) const { return entries_[i]; }

  bool operator==(const FlatMap&) const = default;

 private:
  std::vector<Entry> entries_;
};

}  // namespace berth
