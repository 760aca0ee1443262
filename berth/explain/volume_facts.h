// Facts about a pod's claims and the volumes around them: which claim is missing or not bound and why, where a volume
// can be used, and what a volume lacks for a claim. For the diagnosis and for what would help.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/storage.h"
#include "berth/explain/cluster.h"

namespace berth::explain {

using ClaimPtr = std::shared_ptr<const api::PersistentVolumeClaim>;
using VolumePtr = std::shared_ptr<const api::PersistentVolume>;

struct PodClaim {
  std::string volume;         // the name in the pod
  std::string name;           // of the claim
  bool is_ephemeral = false;  // made for the pod
  ClaimPtr claim;             // null if it does not exist
  Symbol class_name;          // empty if it names none
  const api::StorageClass* storage_class = nullptr;

  bool is_bound() const;
  // The scheduler binds it when the pod has a node.
  bool waits_for_pod() const;
  // A driver makes volumes of its class.
  bool has_provisioner() const;
};
// In the order of the pod's volumes; a claim that is mounted twice is there once.
std::vector<PodClaim> claims_of(const Cluster& cluster, const api::Pod& pod);

// What the claim asks for in bytes.
std::int64_t wanted_bytes(const api::PersistentVolumeClaim& claim);
std::int64_t offered_bytes(const api::PersistentVolume& volume);
// "10Gi"
std::string bytes_text(std::int64_t bytes);

// What keeps the claim from the volume: "offers 5Gi", "has ReadWriteOnce only", "is bound to default/other". Empty if
// nothing does.
std::vector<std::string> mismatches(const api::PersistentVolumeClaim& claim, const api::PersistentVolume& volume);
// Volumes that the claim might have been meant to get, the nearest first: those of its class that are not bound to
// another claim.
std::vector<VolumePtr> candidate_volumes(const Cluster& cluster, const api::PersistentVolumeClaim& claim);

// Where the volume can be used: "zone b", "node n1", "region eu and zone b"; empty if everywhere.
std::string place_text(const api::PersistentVolume& volume);
// The same of one label.
std::string place_text(Symbol key, const std::vector<Symbol>& values);
// The nodes on which it can be used, by name.
std::vector<std::string> nodes_for(const Cluster& cluster, const api::PersistentVolume& volume);

// A label that says where something is, and the values that would do.
struct PlaceDemand {
  Symbol key;
  std::vector<Symbol> values;
};
// Of the volume's affinity, if it has one term, and of its labels.
std::vector<PlaceDemand> place_demands(const api::PersistentVolume& volume);

// Pods on nodes that use the claim, but for `but`.
std::vector<api::PodPtr> users_of_claim(const Cluster& cluster, Symbol name_space, const std::string& claim_name,
                                        const api::Pod& but);
// The class that claims without one get; null if there is none.
const api::StorageClass* default_class(const Cluster& cluster);

}  // namespace berth::explain
