// What the parts of the engine share: the instant of the call under way, the cluster as it was last reported (cache,
// objects, pods), the queue, the profiles, and what leaves the engine (API calls, events, timers). Each of these is a
// class of its own; this one holds them, and has what takes several of them: telling the queue of an event.
//
// The parts are classes of their own with one job each: handlers (objects to cache and queue), scheduling_cycle (choose
// a node), binding_cycle (from the choice to the API server), failure (what becomes of a pod that was not placed),
// preemptions (evicting victims). They refer to this state and to each other; scheduler.cc ties them together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "berth/base/function_ref.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/scheduler_cache.h"
#include "berth/engine/api_calls.h"
#include "berth/engine/event_recorder.h"
#include "berth/engine/metrics.h"
#include "berth/engine/pod_store.h"
#include "berth/engine/profiles.h"
#include "berth/engine/queue_nominations.h"
#include "berth/engine/queue_watch.h"
#include "berth/engine/scheduler.h"
#include "berth/engine/timers.h"
#include "berth/framework/profile.h"
#include "berth/plugins/default_preemption.h"
#include "berth/queue/scheduling_queue.h"

namespace berth::engine {

class State {
 public:
  explicit State(Options given);
  Result<void> build_profiles(const plugins::PreemptionsUnderWay& under_way);

  bool is_ours(const api::Pod& pod) { return profiles.find(pod.spec->scheduler_name) != nullptr; }
  framework::ClusterView view() const { return {cache.nodes(), objects}; }
  framework::PodToPlace to_place(const api::PodPtr& pod) { return {pod, cache.compile(*pod)}; }
  // The queue's nominations.
  const framework::NominatedPods& nominated() const { return nominated_; }

  // Handles an event of the cluster, and counts how long that took.
  void measured(Symbol event_label, FunctionRef<void()> handle);
  // Tells the queue of an event.
  void notify(const queue::ClusterEvent& event, api::AnyObject old_object, api::AnyObject new_object,
              std::optional<queue::PreCheck> pre_check = std::nullopt);
  void notify_pod_left(const api::PodPtr& pod, std::optional<queue::PreCheck> pre_check = std::nullopt);
  // Calls change(), which may give up what the pod was promised; whoever was kept off by that is told.
  template <typename Change>
  void change_nomination(const api::PodPtr& pod, Change&& change) {
    const Symbol before = queue->nominator().node_of(pod->metadata.uid);
    change();
    if (before.empty() || queue->nominator().node_of(pod->metadata.uid) == before) return;
    nomination_given_up(pod, before);
  }
  // `node` is what it was promised; its status need not have said so.
  void nomination_given_up(const api::PodPtr& pod, Symbol node);
  // A nominated pod takes up room in the eyes of other pods of at most its priority.
  static bool is_kept_off_by(const api::Pod& waiting, const api::Pod& nominated) {
    return api::priority_of(waiting) <= api::priority_of(nominated) && waiting.metadata.uid != nominated.metadata.uid;
  }

  Options options;
  Instant now;           // of the call under way
  Duration wall_offset;  // from that to what a clock on the wall shows, which may jump
  Instant wall() const { return now + wall_offset; }

  // The cluster as it was last reported.
  cache::SchedulerCache cache;
  cache::ClusterObjects objects;
  PodStore pods;

  // How pods are decided about, and in which order.
  Profiles profiles;
  QueueWatch queue_watch;
  std::unique_ptr<queue::SchedulingQueue> queue;

  // What leaves the engine, and what is kept about attempts.
  ApiCalls calls;
  EventRecorder events;
  Timers timers;
  AttemptLog attempts;

  // Pods that plugins want to be tried whatever they wait for.
  void activate_stashed();
  std::vector<api::PodPtr> pods_to_activate;

 private:
  QueueNominations queue_nominations_{queue, cache};
  framework::NominatedPods nominated_{queue_nominations_};
};

}  // namespace berth::engine
