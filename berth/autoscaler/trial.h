// Tries pods on nodes that are not there: a cluster with nodes added to it, and what the profile's filters say about a
// pod on one of them. Only the one node is asked about, so a trial costs the same in a large cluster, but for plugins
// that count pods.
//
// The cache is changed while a trial lives and is as before when it is gone. Not thread safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/api/pod.h"
#include "berth/autoscaler/new_node.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/scheduler_cache.h"
#include "berth/framework/profile.h"
#include "berth/framework/status.h"

namespace berth::autoscaler {

class Trial {
 public:
  // Both outlive the trial.
  Trial(cache::SchedulerCache& cache, const cache::ClusterObjects& objects) : cache_(cache), objects_(objects) {}
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Requires: no node of that name is there.
  void add(const NewNode& node);
  // Takes the node that was added last away again, with the pods that were placed there.
  void remove_last();
  // Puts the pod on a node, old or new.
  void place(const api::PodPtr& pod, const std::string& node);

  // A success if the pod can go there; otherwise the first filter that says no, or PreFilter.
  framework::Status check(const framework::Profile& profile, const api::PodPtr& pod, const std::string& node);
  // Any node of the cluster that can take the pod, the first in the order of rows; nothing if there is none.
  std::optional<std::string> place_for(const framework::Profile& profile, const api::PodPtr& pod);

 private:
  cache::SchedulerCache& cache_;
  const cache::ClusterObjects& objects_;
  std::vector<api::NodePtr> nodes_;
  std::vector<api::PodPtr> pods_;
};

}  // namespace berth::autoscaler
