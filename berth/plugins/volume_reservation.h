// What VolumeBinding has promised a pod on the node that was chosen for it, from Reserve to the end of PreBind.
//
// A reservation assumes, in AssumedVolumes, that existing volumes are taken by the pod's claims, and that claims whose
// volumes are to be made name the node. PreBind turns it into work: these objects are written, and then the volume
// controller has to bind them. What has not been written when a reservation goes away is no longer assumed; what has
// been written stays as it is, until the informers bring it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/framework/plugin.h"
#include "berth/plugins/assumed_volumes.h"
#include "berth/plugins/volume_matching.h"

namespace berth::plugins {

class VolumeReservation {
 public:
  struct Binding {
    VolumePtr volume;  // with the claim in it
    ClaimPtr claim;
    bool is_written = false;
  };
  struct Provision {
    ClaimPtr claim;  // with the node in it
    bool is_written = false;
  };

  // The error: an object has changed since the decision; nothing is assumed then.
  static Result<std::unique_ptr<VolumeReservation>> make(const VolumeDecision& decision, Symbol node_name,
                                                         const cache::ClusterObjects& objects,
                                                         std::shared_ptr<AssumedVolumes> assumed);
  explicit VolumeReservation(std::shared_ptr<AssumedVolumes> assumed) : assumed_(std::move(assumed)) {}
  VolumeReservation(const VolumeReservation&) = delete;
  VolumeReservation& operator=(const VolumeReservation&) = delete;
  ~VolumeReservation();

  std::vector<Binding>& bindings() { return bindings_; }
  std::vector<Provision>& provisions() { return provisions_; }

 private:
  std::shared_ptr<AssumedVolumes> assumed_;
  std::vector<Binding> bindings_;
  std::vector<Provision> provisions_;
};

// Writes the reserved volumes and claims and waits until all of them are bound. Whoever runs out of `timeout` waiting
// reports `binding volumes: context deadline exceeded`.
std::unique_ptr<framework::PreBindWork> bind_volumes(framework::PodToPlace pod, Symbol node_name,
                                                     std::unique_ptr<VolumeReservation> reservation, Duration timeout);

}  // namespace berth::plugins
