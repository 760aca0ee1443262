// Stands in for the controllers of pods whose owners a simulation does not have: a dump of nodes and pods alone, or
// owners of kinds that Berth does not know. Such a pod that has to leave is made again, as a pending copy without a
// node.
//
// Pods of DaemonSets and static pods belong to their nodes and go with them; pods without any controller are gone for
// good, as they are in a real cluster.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "berth/base/rng.h"
#include "berth/sim/api_server.h"
#include "berth/sim/world.h"

namespace berth::whatif {

class Recreation {
 public:
  // Hears of every change from now on. The world's API server refers to it: it has to outlive the world.
  Recreation(sim::World& world, std::uint64_t seed);
  Recreation(const Recreation&) = delete;
  Recreation& operator=(const Recreation&) = delete;

 private:
  void on_change(const sim::Change& change);
  // The pod's controller, if nobody else does its work.
  const api::OwnerReference* missing_owner_of(const api::Pod& pod) const;
  void make_again(const api::Pod& pod, const api::OwnerReference& owner);

  sim::World& world_;
  Rng names_;
  std::set<std::string> replaced_;  // UIDs
};

}  // namespace berth::whatif
