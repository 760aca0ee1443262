#include "berth/engine/handlers.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/api/watched_kinds.h"
#include "berth/queue/object_diff.h"

namespace berth::engine {
namespace {

using api::AnyObject;
using queue::ClusterEvent;

// A pod that is being deleted does not count for everybody any more. To those who ask for changed labels: whom pods
// count for is what labels decide.
ClusterEvent begins_to_leave() {
  static const Symbol kLabel("AssignedPodTerminating");
  static const Symbol kAbout(queue::resource::kAssignedPod);
  return {kAbout, queue::action::kUpdatePodLabel, kLabel};
}

// What happens to a pod without a node, by the names under which it is measured.
const Symbol& pending_pod_added() {
  static const Symbol kLabel("UnschedulablePodAdd");
  return kLabel;
}
const Symbol& pending_pod_changed() {
  static const Symbol kLabel("UnschedulablePodUpdate");
  return kLabel;
}
const Symbol& pending_pod_left() {
  static const Symbol kLabel("UnschedulablePodDelete");
  return kLabel;
}

bool is_assigned(const api::Pod& pod) {
  return !pod.spec.node_name.empty();
}

api::PodPtr on_node(const api::Pod& pod, Symbol node) {
  auto placed = std::make_shared<api::Pod>(pod);
  placed->spec.node_name = node;
  return placed;
}

}  // namespace

void Handlers::observe(const AnyObject& object) {
  if (api::PodPtr pod = object.as<api::Pod>()) return observe_pod(pod);
  if (api::NodePtr node = object.as<api::Node>()) return observe_node(node);
  observe_other(object);
}

void Handlers::observe_deleted(const AnyObject& object) {
  if (const api::PodPtr pod = object.as<api::Pod>()) {
    const api::PodPtr known = state_.pods.find(pod->metadata.name_space, pod->metadata.name);
    // The last state may be old, or that of a predecessor whose successor is known already.
    const std::string& uid = pod->metadata.uid;
    if (known != nullptr && (uid.empty() || uid == known->metadata.uid)) pod_deleted(known);
    return;
  }
  if (const api::NodePtr node = object.as<api::Node>()) return node_deleted(*node);
  other_deleted(object);
}

void Handlers::observe_list(const api::ObjectKind& kind, std::span<const AnyObject> objects) {
  absl::flat_hash_set<std::string> listed;
  for (const AnyObject& object : objects) listed.insert(api::full_name(object.metadata()));
  std::vector<AnyObject> gone;
  const auto collect = [&](const auto& known) {
    if (known != nullptr && !listed.contains(api::full_name(known->metadata))) gone.emplace_back(known);
  };
  if (&kind == &api::kind_of<api::Pod>()) {
    state_.pods.for_each(collect);
  } else if (&kind == &api::kind_of<api::Node>()) {
    const cache::NodeTable& table = state_.cache.nodes();
    table.nodes().for_each([&](std::size_t row) { collect(table.at(static_cast<cache::RowId>(row)).node); });
  } else if (&kind == &api::kind_of<api::ResourceSlice>()) {
    resource_slices_.for_each(collect);
  } else {
    state_.objects.for_each_of(kind, [&](const AnyObject& known) {
      if (!listed.contains(api::full_name(known.metadata()))) gone.push_back(known);
    });
  }
  std::ranges::sort(gone, [](const AnyObject& a, const AnyObject& b) {
    return api::full_name(a.metadata()) < api::full_name(b.metadata());
  });
  for (const AnyObject& object : gone) observe_deleted(object);
  for (const AnyObject& object : objects) observe(object);
}

// --- Pods ------------------------------------------------------------------------------------------------------------

void Handlers::observe_pod(const api::PodPtr& pod) {
  const api::PodPtr known = state_.pods.find(pod->metadata.name_space, pod->metadata.name);
  if (known != nullptr && known->metadata.uid != pod->metadata.uid) {
    pod_deleted(known);
    return observe_pod(pod);
  }
  if (api::is_terminal(*pod)) {
    if (known != nullptr) pod_deleted(known);
    return;
  }
  // A pod never gives its node back: this is an old state that comes late.
  if (known != nullptr && is_assigned(*known) && !is_assigned(*pod)) return;
  state_.pods.set(pod);
  // First of all: what this wakes may be the pod that waits for the victim to go.
  if (pod->metadata.deletion_timestamp.is_set()) preemptions_.pod_leaves(pod->metadata.uid);
  if (known == nullptr) {
    pod_added(pod);
  } else {
    pod_updated(known, pod);
  }
}

void Handlers::pod_added(const api::PodPtr& pod) {
  if (is_assigned(*pod)) return pod_assigned(pod);
  if (!state_.is_ours(*pod)) return;
  state_.measured(pending_pod_added(), [&] { (void)state_.queue->add(pod, state_.now); });
}

void Handlers::pod_assigned(const api::PodPtr& pod) {
  const api::PodPtr assumed = state_.cache.find(pod->metadata.uid);
  (void)state_.cache.add(pod);
  state_.notify(queue::assigned_pod_add(), {}, AnyObject(pod));
  if (assumed == nullptr) return;
  if (assumed->spec.node_name != pod->spec.node_name) return state_.notify_pod_left(assumed);
  tell_difference(assumed, pod);
}

// A pod on its way was counted as it was when its node was chosen, and nobody was told what happened to it since. Now
// it counts as it is: what it turns out not to need is free.
void Handlers::tell_difference(const api::PodPtr& expected, const api::PodPtr& pod) {
  for (const ClusterEvent& event : queue::pod_update_events(*expected, *pod)) {
    if (event.actions != queue::action::kUpdate) state_.notify(event, AnyObject(expected), AnyObject(pod));
  }
  tell_if_it_begins_to_leave(expected, pod);
}

void Handlers::tell_if_it_begins_to_leave(const api::PodPtr& old_pod, const api::PodPtr& new_pod) {
  if (new_pod->metadata.deletion_timestamp.is_set() && !old_pod->metadata.deletion_timestamp.is_set()) {
    state_.notify(begins_to_leave(), AnyObject(old_pod), AnyObject(new_pod));
  }
}

void Handlers::pod_updated(const api::PodPtr& old_pod, const api::PodPtr& new_pod) {
  if (is_assigned(*old_pod)) {
    (void)state_.cache.update(*old_pod, new_pod);
    for (const ClusterEvent& event : queue::pod_update_events(*old_pod, *new_pod)) {
      state_.notify(event, AnyObject(old_pod), AnyObject(new_pod));
    }
    tell_if_it_begins_to_leave(old_pod, new_pod);
  } else if (is_assigned(*new_pod)) {
    pod_assigned(new_pod);
    if (!state_.is_ours(*old_pod)) return;
    const Symbol promised = state_.queue->nominator().node_of(new_pod->metadata.uid);
    state_.measured(pending_pod_left(), [&] { (void)state_.queue->remove(*old_pod); });
    preemptions_.preemptor_gone(new_pod->metadata.uid);
    if (promised.empty()) return;
    // Somebody else has bound it.
    if (promised != new_pod->spec.node_name) return state_.nomination_given_up(old_pod, promised);
    tell_difference(old_pod, new_pod);
  } else if (state_.is_ours(*old_pod)) {
    pending_pod_updated(old_pod, new_pod);
  }
}

void Handlers::pending_pod_updated(const api::PodPtr& old_pod, const api::PodPtr& new_pod) {
  const std::string& version = new_pod->metadata.resource_version;
  if (!version.empty() && version == old_pod->metadata.resource_version) return;
  if (state_.cache.is_assumed(new_pod->metadata.uid)) {
    const bool begins_to_leave =
        new_pod->metadata.deletion_timestamp.is_set() && !old_pod->metadata.deletion_timestamp.is_set();
    if (begins_to_leave) assumed_pod_leaves(*new_pod);
    return;
  }
  // Its room was given back when it began to leave; what its binding does is still to come.
  if (bindings_.contains(new_pod->metadata.uid)) return;
  state_.measured(pending_pod_changed(), [&] {
    state_.change_nomination(old_pod, [&] { (void)state_.queue->update(old_pod, new_pod, state_.now); });
  });
  const Symbol promised = state_.queue->nominator().node_of(new_pod->metadata.uid);
  if (promised.empty()) return;
  // A nominated pod keeps others off as if it were there already. That something of it has changed which has no event
  // of its own, such as its status, helps nobody.
  const auto may_be_kept_off = [&](const api::Pod& waiting) { return state_.is_kept_off_by(waiting, *new_pod); };
  const AnyObject before(on_node(*old_pod, promised));
  const AnyObject after(on_node(*new_pod, promised));
  for (const ClusterEvent& event : queue::pod_update_events(*old_pod, *new_pod)) {
    if (event.actions == queue::action::kUpdate) continue;
    state_.notify(event, before, after, queue::PreCheck(may_be_kept_off));
  }
}

void Handlers::pod_deleted(const api::PodPtr& pod) {
  state_.pods.remove(*pod);
  const std::string& uid = pod->metadata.uid;
  preemptions_.pod_leaves(uid);
  preemptions_.preemptor_gone(uid);
  if (is_assigned(*pod)) {
    if (state_.cache.remove(*pod)) state_.notify_pod_left(pod);
  } else if (state_.is_ours(*pod)) {
    const Symbol known_nomination = state_.queue->nominator().node_of(uid);
    const Symbol nominated = known_nomination.empty() ? pod->status.nominated_node_name : known_nomination;
    state_.measured(pending_pod_left(), [&] { (void)state_.queue->remove(*pod); });
    if (state_.cache.is_assumed(uid)) {
      assumed_pod_leaves(*pod);
    } else if (!nominated.empty()) {
      state_.nomination_given_up(pod, nominated);
    }
  }
  state_.attempts.forget(uid);
  state_.queue_watch.forget(uid);
}

// What it holds is given back at once, whatever its binding is doing.
void Handlers::assumed_pod_leaves(const api::Pod& pod) {
  const api::PodPtr assumed = state_.cache.find(pod.metadata.uid);
  if (assumed == nullptr) return;
  if (bindings_.is_waiting(pod.metadata.uid)) {
    bindings_.reject_removed(pod.metadata.uid);
    return;
  }
  if (state_.cache.forget(*assumed)) state_.notify_pod_left(assumed);
}

// --- Nodes -----------------------------------------------------------------------------------------------------------

void Handlers::observe_node(const api::NodePtr& node) {
  const cache::RowId row = state_.cache.nodes().row_of(Symbol(node->metadata.name));
  const api::NodePtr known = row == cache::kNoRow ? nullptr : state_.cache.nodes().at(row).node;
  if (known != nullptr && known->metadata.uid != node->metadata.uid) {
    node_deleted(*known);
    return observe_node(node);
  }
  state_.cache.set_node(node);
  if (known == nullptr) {
    state_.notify(ClusterEvent(queue::resource::kNode, queue::action::kAdd), {}, AnyObject(node));
    return;
  }
  for (const ClusterEvent& event : queue::node_update_events(*known, *node)) {
    state_.notify(event, AnyObject(known), AnyObject(node));
  }
}

void Handlers::node_deleted(const api::Node& node) {
  const cache::RowId row = state_.cache.nodes().row_of(Symbol(node.metadata.name));
  const api::NodePtr known = row == cache::kNoRow ? nullptr : state_.cache.nodes().at(row).node;
  if (known == nullptr) return;
  state_.notify(ClusterEvent(queue::resource::kNode, queue::action::kDelete), AnyObject(known), {});
  (void)state_.cache.remove_node(*known);
}

// --- Other kinds -----------------------------------------------------------------------------------------------------

AnyObject Handlers::known_state(const AnyObject& object) const {
  if (&object.kind() != &api::kind_of<api::ResourceSlice>()) return state_.objects.get(object);
  const auto known = resource_slices_.get(object.metadata().name);
  return known == nullptr ? AnyObject() : AnyObject(known);
}

bool Handlers::keep(const AnyObject& object) {
  const auto slice = object.as<api::ResourceSlice>();
  if (slice == nullptr) return state_.objects.set(object);
  resource_slices_.set(slice);
  return true;
}

bool Handlers::drop(const AnyObject& object) {
  if (&object.kind() != &api::kind_of<api::ResourceSlice>()) return state_.objects.remove(object);
  return resource_slices_.remove(Symbol(), object.metadata().name);
}

void Handlers::observe_other(const AnyObject& object) {
  const AnyObject known = known_state(object);
  if (!keep(object)) return;
  if (const auto budget = object.as<api::PodDisruptionBudget>()) preemptions_.budget_changed(*budget);
  const Symbol resource = api::event_resource(object.kind());
  if (resource.empty()) return;
  const bool is_new = !known;
  state_.notify(ClusterEvent(resource, is_new ? queue::action::kAdd : queue::action::kUpdate), known, object);
}

void Handlers::other_deleted(const AnyObject& object) {
  const AnyObject known = known_state(object);
  if (!known || !drop(object)) return;
  const Symbol resource = api::event_resource(object.kind());
  if (!resource.empty()) state_.notify(ClusterEvent(resource, queue::action::kDelete), known, {});
}

}  // namespace berth::engine
