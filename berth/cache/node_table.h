// The node table: all nodes and what is on them, one row per node.
//
// Each row has a NodeState, the whole truth about one node. What filters and scores read of every node lies besides in
// dense columns, so that one pass over 5,000 nodes reads a few hundred kilobytes and not 5,000 scattered objects. Both
// are changed together, here and nowhere else; a change costs by what it changes. Every change goes into the journal.
//
// A set of nodes is a Bitset of rows. Rows are handed out in order and used again; nothing visible depends on them.
// Nodes in the order of `order()` are what kube-scheduler calls its snapshot.
//
// Not thread safe. References to rows and columns stay valid until the next change.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/bitset.h"
#include "berth/cache/journal.h"
#include "berth/cache/node_order.h"
#include "berth/cache/node_state.h"
#include "berth/cache/pod_class.h"
#include "berth/cache/topology.h"

namespace berth::cache {

// One entry per row; entries of rows without a node are zero.
struct NodeColumns {
  std::vector<std::int64_t> allocatable_milli_cpu;
  std::vector<std::int64_t> allocatable_memory;
  std::vector<std::int64_t> allocatable_ephemeral_storage;
  std::vector<std::int64_t> allocatable_pods;
  std::vector<std::int64_t> requested_milli_cpu;
  std::vector<std::int64_t> requested_memory;
  std::vector<std::int64_t> requested_ephemeral_storage;
  std::vector<std::int64_t> non_zero_milli_cpu;
  std::vector<std::int64_t> non_zero_memory;
  std::vector<std::int64_t> pods;
  // Nodes with the same list of taints have the same number here; 0 is the empty list.
  std::vector<std::uint32_t> taints;
};

// An image as the nodes report it. The size is what the first node said.
struct ImageState {
  std::int64_t size_bytes = 0;
  std::size_t nodes = 0;
};

class NodeTable {
 public:
  NodeTable();
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  // --- Reading -------------------------------------------------------------------------------------------------------

  // One past the highest row; the size of every column and of every set of rows.
  std::size_t rows() const { return states_.size(); }
  // The rows whose node is known.
  const Bitset& nodes() const { return nodes_; }
  std::size_t node_count() const { return node_count_; }
  // kNoRow if there is no such node and no pod on one of that name. The row may be without a node.
  RowId row_of(Symbol name) const;
  const NodeState& at(RowId row) const { return *states_[row]; }
  const NodeColumns& columns() const { return columns_; }
  // Rows with spec.unschedulable.
  const Bitset& unschedulable() const { return unschedulable_; }
  // The lists of taints behind columns().taints.
  std::size_t taint_lists() const { return taint_lists_.size(); }
  const std::vector<api::Taint>& taint_list(std::uint32_t number) const { return taint_lists_[number]; }

  // Which values a label has on the nodes: see topology.h. Made when first asked for and kept up from then on.
  const TopologyColumn& topology(Symbol label_key) const;

  // The nodes zone by turns, as kube-scheduler visits them.
  std::span<const RowId> order() const;

  // Null if no node has it.
  const ImageState* image(Symbol name) const;
  // Calls fn(RowId) for each node that has the image.
  template <typename Fn>
  void for_each_node_with_image(Symbol name, Fn&& fn) const {
    if (const auto it = images_.find(name); it != images_.end()) it->second.rows.for_each(fn);
  }

  // The lowest priority of all pods; the highest number there is if there are no pods.
  std::int32_t lowest_priority() const {
    return pods_by_priority_.empty() ? std::numeric_limits<std::int32_t>::max() : pods_by_priority_.begin()->first;
  }

  // How many pods on known nodes use the claim (not counting ephemeral volumes).
  std::size_t claim_users(Symbol name_space, std::string_view claim_name) const;

  // All classes with pods, on whatever rows; of one namespace; and those whose pods have (anti-)affinity terms of any
  // kind. In order of id.
  template <typename Fn>
  void for_each_class(Fn&& fn) const {
    for (const auto& [id, pod_class] : classes_by_id_) {
      if (pod_class->pods > 0) fn(*pod_class);
    }
  }
  template <typename Fn>
  void for_each_class_in(Symbol name_space, Fn&& fn) const {
    const auto it = classes_by_namespace_.find(name_space);
    if (it == classes_by_namespace_.end()) return;
    for (const PodClass* pod_class : it->second) {
      if (pod_class->pods > 0) fn(*pod_class);
    }
  }
  template <typename Fn>
  void for_each_class_with_affinity(Fn&& fn) const {
    for (const PodClass* pod_class : classes_with_affinity_) {
      if (pod_class->pods > 0) fn(*pod_class);
    }
  }

  const Journal& journal() const { return journal_; }
  // Changes with every change.
  std::uint64_t generation() const { return journal_.end(); }

  // --- Changing ------------------------------------------------------------------------------------------------------

  // Adds the node, or replaces it by a newer version. Its pods stay. Returns its row.
  RowId set_node(const api::NodePtr& node);
  // Pods that are still there keep the row, without a node. Requires: the node is known.
  void remove_node(Symbol name);
  // Requires: spec.node_name is not empty, and no pod of that UID is there.
  void add_pod(api::PodPtr pod, std::shared_ptr<const api::CompiledPod> compiled);
  // Exchanges a pod that was added for a newer version, if both are on one node and the same to all plugins: nothing
  // else changes then, and nothing goes into the journal. Returns false, and does nothing, if they are not.
  bool replace_pod(const api::PodPtr& old_pod, const api::PodPtr& new_pod, const api::CompiledPod& compiled);
  // Takes the pod with the UID of `pod` from the node that `pod` names. Requires: it is there.
  void remove_pod(const api::Pod& pod);

 private:
  struct ClassKey {
    Symbol name_space;
    const void* labels;
    const void* compiled;
    bool is_terminating;
    bool operator==(const ClassKey&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const ClassKey& key) {
      return H::combine(std::move(h), key.name_space.id(), key.labels, key.compiled, key.is_terminating);
    }
  };
  struct Image {
    ImageState state;
    Bitset rows;
  };

  NodeState& state_for(Symbol name);
  void release_if_unused(NodeState& state);
  void write_columns(const NodeState& state);
  void count_images(const NodeState& state, bool present);
  void count_claims(const PlacedPod& pod, bool present);
  std::uint32_t taint_list_of(const std::vector<api::Taint>& taints);
  PodClass& class_for(const api::Pod& pod, const std::shared_ptr<const api::CompiledPod>& compiled);
  void drop_empty_classes();

  std::vector<std::unique_ptr<NodeState>> states_;
  std::vector<RowId> free_rows_;
  absl::flat_hash_map<Symbol, RowId> row_by_name_;
  std::size_t node_count_ = 0;
  Bitset nodes_;
  Bitset unschedulable_;
  NodeColumns columns_;
  std::vector<std::vector<api::Taint>> taint_lists_;
  NodeOrder node_order_;
  mutable absl::flat_hash_map<Symbol, std::unique_ptr<TopologyColumn>> topology_;
  absl::flat_hash_map<Symbol, Image> images_;
  absl::flat_hash_map<std::pair<Symbol, std::string>, std::size_t> claim_users_;

  std::uint32_t next_class_id_ = 0;
  std::size_t empty_classes_ = 0;
  std::map<std::uint32_t, std::unique_ptr<PodClass>> classes_by_id_;
  absl::flat_hash_map<ClassKey, PodClass*> classes_;
  absl::flat_hash_map<Symbol, std::vector<PodClass*>> classes_by_namespace_;
  std::vector<PodClass*> classes_with_affinity_;

  std::map<std::int32_t, std::size_t> pods_by_priority_;

  Journal journal_;
};

}  // namespace berth::cache
