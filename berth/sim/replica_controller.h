// Keeps the number of pods of ReplicaSets and ReplicationControllers: makes what is missing, deletes what is too many.
//
// A pod that has ended or was deleted does not count, so it is replaced while it is still terminating.
#pragma once

#include <cstdint>
#include <string>

#include "berth/sim/controller_work.h"
#include "berth/sim/owned_pods.h"
#include "berth/sim/pod_prototype.h"

namespace berth::sim {

class ReplicaController {
 public:
  ReplicaController(const Surroundings& around, const OwnedPods& pods, PodPrototypes& prototypes, const Rng& rng);

  // Of a ReplicaSet or a ReplicationController.
  void on_change(const Change& change);
  // A pod came, went, or is in another state than before.
  void pod_changed(Symbol name_space, const api::OwnerReference& owner);

 private:
  template <typename Workload>
  void look(const ObjectKey& key);
  template <typename Workload>
  void make_pods(const Workload& workload, std::int32_t wanted, std::int32_t count);
  void delete_pods(const std::string& owner_uid, std::int32_t count);

  Surroundings around_;
  const OwnedPods& pods_;
  PodPrototypes& prototypes_;
  Rng names_;
  WorkList replica_sets_;
  WorkList replication_controllers_;
};

}  // namespace berth::sim
