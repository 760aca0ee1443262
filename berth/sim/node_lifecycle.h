// What becomes of nodes that are lost, and of their pods: a failed node is tainted, first against new pods, then
// against those that it has; pods that do not tolerate a NoExecute taint are evicted, at once or after the seconds that
// they tolerate it for. Pods of a node that was removed are deleted.
//
// The kubelet of such a node cannot confirm that a pod is gone, so its pods are finished by force.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "berth/api/node.h"
#include "berth/sim/controller_work.h"
#include "berth/sim/kubelet.h"
#include "berth/sim/owned_pods.h"

namespace berth::sim {

// From the loss of a node to the taint that evicts.
inline constexpr Duration kEvictingTaintAfter = Duration::seconds(40);
// What admission lets pods tolerate of lost nodes that do not say otherwise.
inline constexpr Duration kDefaultToleration = Duration::seconds(300);

class NodeLifecycle {
 public:
  NodeLifecycle(const Surroundings& around, const NodePods& pods, Kubelet& kubelet, const Rng& rng);

  void node_changed(const Change& change);
  void pod_changed(const Change& change);

  void fail_node(Symbol node);
  void recover_node(Symbol node);

 private:
  // How often what the node says about evictions changed. Timers of earlier times mean nothing any more.
  using Epoch = std::uint64_t;

  void evict_if_due(const api::PodPtr& pod, const api::Node& node, Epoch epoch);
  void evict(const api::Pod& pod);
  void remove_by_force(const std::vector<api::PodPtr>& pods);
  void taint(Symbol node, std::string_view effect);

  Surroundings around_;
  const NodePods& pods_;
  Kubelet& kubelet_;
  Rng rng_;
  absl::flat_hash_map<Symbol, Epoch> taints_;    // of nodes that evict or did; never gone through
  absl::flat_hash_map<Symbol, Epoch> failures_;  // odd while the node is failed; never gone through
};

}  // namespace berth::sim
