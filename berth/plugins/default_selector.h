// Which pods belong together, for pods that do not say so themselves: those that the same services select and that the
// same controller made. PodTopologySpread spreads them if they have no constraints of their own.
#pragma once

#include <cstdint>

#include "berth/api/label_selector.h"
#include "berth/api/pod.h"
#include "berth/cache/cluster_objects.h"

namespace berth::plugins {

// The selectors of all services of the namespace that select the pod, and that of the ReplicationController, ReplicaSet
// or StatefulSet that made it, in one. Owners that are not there add nothing. Everything if nothing adds to it: then
// the pod belongs to nobody.
api::LabelMatcher default_selector(const api::Pod& pod, const cache::ClusterObjects& objects);

// A default selector, and whether it is out of date.
class DefaultSelectorWatch {
 public:
  DefaultSelectorWatch(api::PodPtr pod, const cache::ClusterObjects& objects);

  const api::LabelMatcher& selector() const { return selector_; }
  // 0 for as long as the objects give the same selector, another number afterwards. Cheap while no object changes.
  std::uint64_t version(const cache::ClusterObjects& objects) const;

 private:
  api::PodPtr pod_;
  api::LabelMatcher selector_;
  mutable std::uint64_t checked_;  // versions of the objects that are known to give the same selector
};

}  // namespace berth::plugins
