// One label of the nodes as a column: the values that it has, numbered, and the number of each node's value. Nodes with
// the same value are one *domain* of the topology that the label spans: a zone, a rack, a host.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "berth/api/meta.h"
#include "berth/cache/pod_class.h"

namespace berth::cache {

// Number of a value of one label. Numbers are dense, and once given stay as they are.
using DomainId = std::uint32_t;
// Of a node that does not have the label, or of a row without a node.
inline constexpr DomainId kNoDomain = 0;

class TopologyColumn {
 public:
  explicit TopologyColumn(Symbol label_key) : key_(label_key), values_(1) {}

  Symbol key() const { return key_; }
  DomainId domain_of(RowId row) const { return by_row_[row]; }
  std::span<const DomainId> by_row() const { return by_row_; }
  // One past the highest number. Domains without a node are among them.
  std::size_t domains() const { return values_.size(); }
  Symbol value(DomainId domain) const { return values_[domain]; }
  // kNoDomain if no node ever had it.
  DomainId domain_with(Symbol value) const {
    const auto it = by_value_.find(value);
    return it == by_value_.end() ? kNoDomain : it->second;
  }

  void resize(std::size_t rows) { by_row_.resize(rows, kNoDomain); }
  // Null labels stand for a row without a node.
  void set(RowId row, const api::Labels* labels) {
    const Symbol* value = labels == nullptr ? nullptr : labels->find(key_);
    const DomainId domain = value == nullptr ? kNoDomain : number_of(*value);
    by_row_[row] = domain;
  }

 private:
  DomainId number_of(Symbol value) {
    const auto [it, is_new] = by_value_.try_emplace(value, static_cast<DomainId>(values_.size()));
    if (is_new) values_.push_back(value);
    return it->second;
  }

  Symbol key_;
  std::vector<DomainId> by_row_;
  std::vector<Symbol> values_;  // by domain; that of kNoDomain is not one
  absl::flat_hash_map<Symbol, DomainId> by_value_;
};

}  // namespace berth::cache
