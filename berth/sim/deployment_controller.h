// Deployments: one ReplicaSet per template, and the way from the old ones to the new one, with at most maxSurge pods
// more and at most maxUnavailable ready pods fewer than wanted (RollingUpdate), or with none of the old left before the
// first of the new (Recreate).
//
// Not simulated: minReadySeconds, and the proportional growth of several ReplicaSets when a Deployment is scaled in the
// middle of a rollout (the newest takes all of it).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "berth/sim/controller_work.h"
#include "berth/sim/owned_pods.h"
#include "berth/sim/rollouts.h"

namespace berth::sim {

class DeploymentController {
 public:
  DeploymentController(const Surroundings& around, const OwnedPods& pods, const Rng& rng);

  // Of a Deployment or a ReplicaSet.
  void on_change(const Change& change);

  // The ReplicaSets of a Deployment, in order of names.
  std::vector<std::shared_ptr<const api::ReplicaSet>> sets_of(const api::Deployment& deployment) const;

  std::vector<Rollout> rollouts() const { return rollouts_.under_way(); }

 private:
  using SetPtr = std::shared_ptr<const api::ReplicaSet>;
  struct Revisions {
    std::shared_ptr<const api::Deployment> deployment;
    std::int32_t wanted = 0;
    SetPtr current;
    std::vector<SetPtr> old;  // oldest first
  };

  void look(const ObjectKey& key);
  SetPtr make_set(const api::Deployment& deployment, std::int64_t revision);
  void scale(SetPtr& set, std::int32_t replicas);
  void roll(Revisions& rollout);
  void recreate(Revisions& rollout);
  void grow_current(Revisions& rollout, std::int32_t limit);
  void shrink_old(Revisions& rollout, std::int32_t min_available);
  void forget_oldest(const Revisions& rollout);
  void write_status(const Revisions& rollout);

  Surroundings around_;
  const OwnedPods& pods_;
  std::map<std::string, std::set<std::string>, std::less<>> sets_;  // names by UID of the Deployment
  Rollouts rollouts_;
  WorkList deployments_;
};

}  // namespace berth::sim
