// From what a world reports about objects to the cache, the queue and the events that wake pods.
//
// A pod that has a node belongs into the cache, one that has none and names one of our profiles into the queue. An
// object's old state is what was reported last, so it does not matter in which form a change arrives: a pod that was
// replaced by another of its name, one whose deletion was seen late, one that is reported twice.
#pragma once

#include <span>

#include "berth/api/object.h"
#include "berth/api/resource.h"
#include "berth/cache/cluster_objects.h"
#include "berth/engine/binding_cycle.h"
#include "berth/engine/preemptions.h"
#include "berth/engine/state.h"

namespace berth::engine {

class Handlers {
 public:
  Handlers(State& state, BindingCycles& bindings, Preemptions& preemptions)
      : state_(state), bindings_(bindings), preemptions_(preemptions) {}

  void observe(const api::AnyObject& object);
  void observe_deleted(const api::AnyObject& object);
  void observe_list(const api::ObjectKind& kind, std::span<const api::AnyObject> objects);

 private:
  void observe_pod(const api::PodPtr& pod);
  void pod_added(const api::PodPtr& pod);
  void pod_updated(const api::PodPtr& old_pod, const api::PodPtr& new_pod);
  void pod_deleted(const api::PodPtr& pod);
  void pod_assigned(const api::PodPtr& pod);
  void tell_difference(const api::PodPtr& expected, const api::PodPtr& pod);
  void tell_if_it_begins_to_leave(const api::PodPtr& old_pod, const api::PodPtr& new_pod);
  void pending_pod_updated(const api::PodPtr& old_pod, const api::PodPtr& new_pod);
  void assumed_pod_leaves(const api::Pod& pod);

  void observe_node(const api::NodePtr& node);
  void node_deleted(const api::Node& node);
  void observe_other(const api::AnyObject& object);
  void other_deleted(const api::AnyObject& object);

  // The last known state, and a new one. An object of a kind that is not kept has none, and false says so.
  api::AnyObject known_state(const api::AnyObject& object) const;
  bool keep(const api::AnyObject& object);
  bool drop(const api::AnyObject& object);

  State& state_;
  BindingCycles& bindings_;
  Preemptions& preemptions_;
  // No plugin reads them, but pods wait for their events: a new device may be what a pod lacks.
  cache::ObjectMap<api::ResourceSlice> resource_slices_;
};

}  // namespace berth::engine
