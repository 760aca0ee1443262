// Deletes what belongs to something that is gone: the ReplicaSets of a deleted Deployment, the pods of a deleted owner,
// in the background as kubectl delete does.
//
// An owner that was never there is not gone: a dump of pods alone keeps its pods.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <memory>
#include <string>
#include <vector>

#include "berth/sim/controller_work.h"
#include "berth/sim/deployment_controller.h"
#include "berth/sim/owned_pods.h"

namespace berth::sim {

class PodGarbage {
 public:
  PodGarbage(const Surroundings& around, const OwnedPods& pods, const Rng& rng);

  // Of a workload that was deleted. `sets`: the ReplicaSets of a Deployment.
  void owner_deleted(const Change& change, std::vector<std::shared_ptr<const api::ReplicaSet>> sets);
  void pod_added(const api::Pod& pod);

 private:
  void delete_pods_of(const std::string& owner_uid);

  Surroundings around_;
  const OwnedPods& pods_;
  Rng rng_;
  absl::flat_hash_set<std::string> gone_;  // UIDs of owners; never gone through
};

}  // namespace berth::sim
