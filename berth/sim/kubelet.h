// The kubelets of all nodes: a bound pod starts and is ready after a while, runs, ends if it is of the kind that ends,
// and, when it was deleted, is gone after its time to terminate.
//
// How a pod behaves is said in its annotations (world.h). On a node that is down nothing of this happens; when it is
// back, what was due is done.
#pragma once

#include <absl/container/flat_hash_set.h>

#include "berth/sim/controller_work.h"
#include "berth/sim/owned_pods.h"

namespace berth::sim {

class Kubelet {
 public:
  Kubelet(const Surroundings& around, const NodePods& pods, const Rng& rng);

  void pod_changed(const Change& change);
  void node_changed(const Change& change);

  void fail_node(Symbol node) { down_.insert(node); }
  void recover_node(Symbol node);
  // Failed, or removed.
  bool is_down(Symbol node) const { return down_.contains(node); }

 private:
  // What comes next for a pod that is on a node goes onto the agenda.
  void take_up(const api::PodPtr& pod);
  // The pod as it is now, if it is still that one and its node is up.
  api::PodPtr current(const api::Pod& pod) const;
  void start(const api::Pod& pod);
  void end(const api::Pod& pod);
  void finish(const api::Pod& pod);

  Surroundings around_;
  const NodePods& pods_;
  Rng rng_;
  absl::flat_hash_set<Symbol> down_;  // never gone through
};

// Sets the condition Ready; nothing is written if it is so already.
void set_ready(ApiServer& api, const api::Pod& pod, bool is_ready, Instant now);

}  // namespace berth::sim
