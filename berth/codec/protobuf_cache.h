// Remembers shared values by the bytes they were read from, so that the thousandth pod of a template costs a comparison
// of bytes instead of building, hashing, comparing and throwing away a thousandth equal template.
//
// The key is the wire form without what the schema does not know, so it does not change with a probe, an environment
// variable or a container's id. Equal keys are read to equal values, whatever the schema.
//
// The cache is direct-mapped and bounded: a value that falls on another's place replaces it. It begins small and grows
// as it fills, since there is one for every kind that is watched, and most kinds have few objects. It is an
// optimisation: without it every value comes out the same, only later. Not thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/schema.h"
#include "berth/codec/protobuf_wire.h"

namespace berth::codec {

// Appends the known part of one field to `key`. False if the bytes are malformed or not as the schema wants them: such
// a field has no key, and reading it gives the error. `in` stands behind the tag.
bool append_wire_key(const api::Type& type, std::uint32_t number, WireType wire, WireCursor in, int depth,
                     std::string& key);

// True if the field is an element of a list whose inline part (a volume's source) has nothing in it that the schema
// knows, and that has but texts beside it, all valid: so it can be read, and a type that is normalized may drop it.
bool has_unknown_inline_part(const api::Type& list, WireType wire, WireCursor in);

class SharedValueCache {
 public:
  // Puts the value of the key into `interned`; false if there is none.
  bool find(const api::Type& interned_type, std::string_view key, void* interned) const;
  void remember(const api::Type& interned_type, std::string_view key, const void* interned);

 private:
  static constexpr std::size_t kFirstPlaces = 16;
  // A cluster of 1,000 workloads has about 5,000 shared values.
  static constexpr std::size_t kMaxPlaces = 8192;
  // Longer keys are not kept, so the cache stays below kMaxPlaces times this: in practice some megabytes.
  static constexpr std::size_t kMaxKeyBytes = 16 * 1024;

  struct Entry {
    const api::Type* type = nullptr;  // null: the place is free
    std::uint64_t hash = 0;
    std::string key;
    std::shared_ptr<const void> value;
  };

  Entry& place_of(std::uint64_t hash) { return entries_[hash % entries_.size()]; }
  void grow();

  std::vector<Entry> entries_;
  std::size_t taken_ = 0;  // entries that are not free
};

}  // namespace berth::codec
