// StatefulSets: pods with numbers, names and claims that stay. One after the other, each when the ones before it are
// ready, unless the policy is Parallel; from the highest number down when there are too many or the template changes.
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
#include "berth/sim/pod_prototype.h"

namespace berth::sim {

class StatefulSetController {
 public:
  StatefulSetController(const Surroundings& around, const OwnedPods& pods, PodPrototypes& prototypes, const Rng& rng);

  void on_change(const Change& change);
  void pod_changed(Symbol name_space, const api::OwnerReference& owner) { sets_.add_owner(name_space, owner); }

 private:
  using Pods = std::map<std::int32_t, api::PodPtr>;  // by number

  void look(const ObjectKey& key);
  Pods pods_of(const api::StatefulSet& set) const;
  // Each returns whether the rest has to wait.
  bool fill(const api::StatefulSet& set, const Pods& pods);
  bool remove_surplus(const api::StatefulSet& set, const Pods& pods);
  void update_one(const api::StatefulSet& set, const Pods& pods);
  ApiResult<void> make_pod(const api::StatefulSet& set, std::int32_t number);
  ApiResult<void> make_claims(const api::StatefulSet& set, std::int32_t number);
  // Pods from this number on are missing.
  void creation_failed(const api::StatefulSet& set, const Pods& pods, std::int32_t number, const ApiError& error);
  void write_status(const api::StatefulSet& set);

  Surroundings around_;
  const OwnedPods& pods_;
  PodPrototypes& prototypes_;
  WorkList sets_;
  // Those whose template changed while we looked: only their pods are compared with the template. Pods that came with
  // a dump of a cluster have the right template and another hash.
  std::set<std::string, std::less<>> updated_;
};

}  // namespace berth::sim
