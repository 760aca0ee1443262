// What runs around a scheduler in a cluster: the controllers that make and replace pods (Deployments, ReplicaSets,
// StatefulSets, Jobs, DaemonSets), kubelets (pods start, run, end, terminate), the volume controller and provisioner,
// the disruption controller (status of PodDisruptionBudgets), and node life cycle (a lost node's taints and evictions).
//
// They read and write the ApiServer directly, each after a delay (Faults::controller and others), from the agenda. One
// pair of files per controller; here is who hears of what.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/rng.h"
#include "berth/base/time.h"
#include "berth/sim/agenda.h"
#include "berth/sim/api_server.h"
#include "berth/sim/failed_creations.h"
#include "berth/sim/faults.h"
#include "berth/sim/history.h"
#include "berth/sim/rollouts.h"

namespace berth::sim {

class Controllers {
 public:
  // All outlive the controllers.
  Controllers(ApiServer& api, Agenda& agenda, const Faults& faults, History& history, Rng rng);
  ~Controllers();

  // To be called for every change; the constructor registers it with the API server.
  void on_change(const Change& change);

  void fail_node(Symbol node);
  void recover_node(Symbol node);

  const FailedCreations& failed_creations() const;
  // Those of Deployments that are under way, in order of names.
  std::vector<Rollout> rollouts() const;

  // The group that a pod belongs to, for PodTimeline::group: "Deployment/web".
  std::string group_of(const api::Pod& pod) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace berth::sim
