// The scheduler's view of pods that have a node: those that the API server confirmed, and those that the scheduler has
// decided about and assumes to be there until the API server says so.
//
//             assume                    add (confirmed)
//    initial ───────> assumed ─────────────────────────────> added ──┐ update
//       ^  │           │   │                                  ^  │ <─┘
//       │  └───────────┼───┼─────────── add ──────────────────┤  │ remove
//       └─── forget ───┘   └─ expire ──> expired ──── add ────┘  └──────> deleted
//
// Nothing is kept of a pod that is expired or deleted. A pod is known by its UID. What pods take up is in the node
// table, assumed ones included. Calls that do not fit a pod's state return an error in kube-scheduler's words and
// change nothing, but for those that say otherwise.
//
// v1.17 and v1.20 let an assumed pod expire some time after its binding was finished, if the API server has not
// confirmed it: set `assumed_pod_ttl` for that, and call expire() at next_expiry(). v1.36 waits for as long as it
// takes.
//
// Not thread safe.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/compiled_pod.h"
#include "berth/api/node.h"
#include "berth/api/pod.h"
#include "berth/base/error.h"
#include "berth/base/hash.h"
#include "berth/base/time.h"
#include "berth/cache/node_table.h"

namespace berth::cache {

struct CacheOptions {
  // Zero: assumed pods do not expire. v1.17 and v1.20 use 30 seconds.
  Duration assumed_pod_ttl;
};

class SchedulerCache {
 public:
  explicit SchedulerCache(CacheOptions options = {}) : options_(options) {}

  const NodeTable& nodes() const { return table_; }
  // Compiles pods for everybody who works with this cache, so that pods of one template share the result.
  std::shared_ptr<const api::CompiledPod> compile(const api::Pod& pod) { return compiled_.get(pod.spec.shared); }

  // --- Pods: see the picture above -----------------------------------------------------------------------------------

  // Requires: spec.node_name is set.
  Result<void> assume(api::PodPtr pod);
  // The binding is done; from now on the pod may expire. Without a TTL, nothing changes.
  void finish_binding(const api::Pod& pod, Instant now);
  Result<void> forget(const api::Pod& pod);
  // If the pod was assumed, it is from now on where the API server says, even if that is another node.
  Result<void> add(api::PodPtr pod);
  Result<void> update(const api::Pod& old_pod, api::PodPtr new_pod);
  Result<void> remove(const api::Pod& pod);
  // Drops the assumed pods whose time is over, and returns them in the order of their deadlines, then by UID.
  std::vector<api::PodPtr> expire(Instant now);
  // When the next assumed pod expires unless it is confirmed before; unset if none will.
  Instant next_expiry() const;

  bool is_assumed(std::string_view uid) const;
  // Null if no such pod is known.
  api::PodPtr find(std::string_view uid) const;
  std::size_t pod_count() const { return pods_.size(); }
  std::size_t assumed_count() const { return assumed_count_; }
  // Calls fn(const api::PodPtr&, bool is_assumed), in no order.
  template <typename Fn>
  void for_each_pod(Fn&& fn) const {
    for (const auto& [uid, entry] : pods_) fn(entry.pod, entry.is_assumed);
  }

  // --- Nodes ---------------------------------------------------------------------------------------------------------

  void set_node(const api::NodePtr& node) { table_.set_node(node); }
  // Its pods stay known until they are removed themselves.
  Result<void> remove_node(const api::Node& node);

 private:
  struct Entry {
    api::PodPtr pod;
    bool is_assumed = false;
    Instant deadline;  // until which it has to be confirmed; unset: none
  };
  void insert(api::PodPtr pod, bool is_assumed);
  void erase(const Entry& entry);
  // The pod is not assumed any more: confirmed, forgotten or gone.
  void end_assumption(const Entry& entry);
  // The pod as the API server has it, if that makes no difference to any plugin. False: it does.
  bool replace(Entry& entry, const api::PodPtr& pod);

  CacheOptions options_;
  NodeTable table_;
  api::CompiledPods compiled_;
  absl::flat_hash_map<std::string, Entry, TextHash, std::equal_to<>> pods_;
  std::size_t assumed_count_ = 0;
  std::set<std::pair<Instant, std::string>> deadlines_;  // of assumed pods, with their UIDs
};

}  // namespace berth::cache
