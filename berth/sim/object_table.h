// The objects of one kind by namespace and name, a million of them if need be.
//
// An object keeps its slot while it lives, so finding, changing and removing one costs the same however many there are,
// and no name is kept twice. The order of names is made when somebody goes through all of them: what came since the
// last time is sorted and merged in.
//
// Objects may be added, replaced and removed while somebody goes through the table; he does not see what was added.
// Not thread safe.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/function_ref.h"
#include "berth/base/hash.h"

namespace berth::sim {

class ObjectTable {
 public:
  ObjectTable() = default;
  ObjectTable(const ObjectTable&) = delete;
  ObjectTable& operator=(const ObjectTable&) = delete;

  // Null if there is none. Valid until the next change.
  const api::AnyObject* find(Symbol name_space, std::string_view name) const;
  // Requires: there is none of that name yet.
  void add(api::AnyObject object);
  // Require: there is one of that name.
  void replace(api::AnyObject object);
  void remove(Symbol name_space, std::string_view name);

  std::size_t size() const { return by_name_.size(); }
  // In order of namespace and name.
  void for_each(FunctionRef<void(const api::AnyObject&)> fn) const;

 private:
  using Slot = std::uint32_t;
  struct Name {
    Symbol name_space;
    std::string_view name;
  };
  // With the hash of its name, so that a table that grows need not look at all objects.
  struct Named {
    Slot slot = 0;
    std::uint32_t hash = 0;
  };
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(const Name& name) const { return hash_word(hash_of(name)); }
    std::size_t operator()(const Named& named) const { return hash_word(named.hash); }
  };
  struct NameEqual {
    using is_transparent = void;
    const ObjectTable* table;
    bool operator()(const Named& a, const Named& b) const { return a.slot == b.slot; }
    bool operator()(const Named& named, const Name& name) const;
    bool operator()(const Name& name, const Named& named) const { return (*this)(named, name); }
  };

  static std::uint32_t hash_of(const Name& name);
  Name name_of(Slot slot) const;
  bool comes_before(Slot a, Slot b) const;
  // Frees the slots of `slots` that are empty, and takes them out.
  void drop_removed(std::vector<Slot>& slots) const;
  void put_in_order() const;

  std::deque<api::AnyObject> slots_;  // empty: free, or removed
  absl::flat_hash_set<Named, NameHash, NameEqual> by_name_{0, NameHash{}, NameEqual{this}};
  // Every slot but the free ones is in one of these two.
  mutable std::vector<Slot> in_order_;
  mutable std::vector<Slot> added_;
  mutable std::vector<Slot> free_;
  mutable std::size_t removed_ = 0;  // slots that are empty and not free yet
  mutable int readers_ = 0;          // for_each() under way: in_order_ stays as it is
};

}  // namespace berth::sim
