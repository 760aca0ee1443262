// Binds claims to volumes, and makes volumes for them: the volume controller, a provisioner for every storage class
// that names one, and the controller that makes the claims of ephemeral volumes.
//
// A claim of a class that binds at once gets the smallest volume that does, or a new one. A claim of a class that waits
// for its first consumer is bound when the scheduler has reserved a volume for it (the volume's claimRef) or has chosen
// a node (annotation selected-node): the new volume is usable where that node is. A deleted claim releases its volume,
// or deletes it if that is what the volume says.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "berth/sim/controller_work.h"

namespace berth::sim {

class VolumeController {
 public:
  VolumeController(const Surroundings& around, const Rng& rng);

  void claim_changed(const Change& change);
  void volume_changed(const Change& change);
  void class_changed(const Change& change);
  // For ephemeral volumes.
  void pod_changed(const Change& change);

 private:
  using ClaimPtr = std::shared_ptr<const api::PersistentVolumeClaim>;
  using VolumePtr = std::shared_ptr<const api::PersistentVolume>;

  void look_at_claim(const ObjectKey& key);
  void look_at_volume(const std::string& name);
  // Nothing to be done before it has chosen a volume or a node.
  bool waits_for_scheduler(const api::PersistentVolumeClaim& claim) const;
  // The volume that names the claim, by itself or by the claim's own word; null if there is none.
  VolumePtr reserved_for(const api::PersistentVolumeClaim& claim) const;
  VolumePtr smallest_match(const api::PersistentVolumeClaim& claim) const;
  void bind(const api::PersistentVolumeClaim& claim, const api::PersistentVolume& volume);
  void provision(const api::PersistentVolumeClaim& claim, const api::StorageClass& storage_class,
                 const std::string* node_name);
  void give_up_node(const api::PersistentVolumeClaim& claim);
  void make_ephemeral_claims(const api::Pod& pod);
  void index(const api::PersistentVolume& volume, bool is_there);

  Surroundings around_;
  Rng rng_;
  WorkList claims_;   // bound after Faults::provision
  WorkList volumes_;  // their phases, after Faults::controller
  WorkList pods_;
  std::map<Symbol, std::set<std::string>, SymbolTextLess> free_;   // volumes without a claim, by class
  std::map<ObjectKey, std::set<std::string>> reserved_;            // volumes by the claim that they name
  std::map<Symbol, std::set<ObjectKey>, SymbolTextLess> unbound_;  // claims, by class
  // UIDs of claims that were deleted; never gone through. One that was never there is not gone: dumps are not complete.
  absl::flat_hash_set<std::string> gone_;
};

}  // namespace berth::sim
