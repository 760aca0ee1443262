// What the parts of the engine share: the queue, the cache, the profiles, and the ways out.
//
// The parts are classes of their own with one job each: handlers (objects to cache and queue), scheduling_cycle (choose
// a node), binding_cycle (from the choice to the API server), failure (what becomes of a pod that was not placed),
// preemptions (evicting victims). They refer to this state and to each other; scheduler.cc ties them together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/function_ref.h"
#include "berth/base/rng.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/scheduler_cache.h"
#include "berth/engine/metrics.h"
#include "berth/engine/outbox.h"
#include "berth/engine/pod_store.h"
#include "berth/engine/scheduler.h"
#include "berth/engine/text_map.h"
#include "berth/engine/timers.h"
#include "berth/framework/class_memory.h"
#include "berth/framework/profile.h"
#include "berth/plugins/default_preemption.h"
#include "berth/queue/scheduling_queue.h"

namespace berth::engine {

struct ProfileInUse {
  std::unique_ptr<framework::Profile> profile;
  std::unique_ptr<framework::ClassMemory> memory;
};

// Tells observers and metrics where pods go in the queue, and remembers what woke them.
class QueueWatch final : public queue::QueueMetrics {
 public:
  QueueWatch(queue::QueueMetrics* metrics, Observer* observer, const Instant& now)
      : metrics_(metrics), observer_(observer), now_(now) {}

  void count_incoming(queue::QueueName queue, Symbol label, const queue::QueuedPod& pod) override;
  void add_pending(queue::QueueName queue, int delta) override;
  void add_unschedulable(Symbol plugin, Symbol profile, int delta) override;
  void add_in_flight_events(Symbol label, std::int64_t delta) override;
  void hint_begins() override;
  void hint_ends(Symbol plugin, Symbol label, queue::HintAnswer answer) override;
  void gating_begins() override;
  void gating_ends(Symbol profile, bool admitted) override;
  void pre_enqueue_begins() override;
  void pre_enqueue_ends(Symbol plugin, Symbol profile, bool admitted) override;

  // Empty if nothing did.
  Symbol woken_by(std::string_view uid) const;
  void forget(std::string_view uid);

 private:
  queue::QueueMetrics* metrics_;
  Observer* observer_;
  const Instant& now_;
  TextMap<Symbol> woken_by_;
};

class State {
 public:
  explicit State(Options given);
  Result<void> build_profiles(const plugins::PreemptionsUnderWay& under_way);

  // Null if no profile has that name.
  ProfileInUse* profile(Symbol scheduler_name);
  bool is_ours(const api::Pod& pod) { return profile(pod.spec->scheduler_name) != nullptr; }
  framework::ClusterView view() const { return {cache.nodes(), objects}; }
  framework::PodToPlace to_place(const api::PodPtr& pod) { return {pod, cache.compile(*pod)}; }
  // Brought up to date with the queue's nominations.
  const framework::NominatedPods& nominated();

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
  // --- Commands ---
  void publish(const api::PodPtr& pod, Symbol type, Symbol reason, Symbol action, std::string note,
               std::optional<PodRef> related = std::nullopt);
  void patch_status(PatchPodStatus patch, Outbox::OnResult on_result = {});
  void bind_pod(BindPod bind, Outbox::OnResult on_result);

  Options options;
  Instant now;           // of the call under way
  Duration wall_offset;  // from that to what a clock on the wall shows, which may jump
  Instant wall() const { return now + wall_offset; }
  bool is_started = false;
  cache::SchedulerCache cache;
  cache::ClusterObjects objects;
  PodStore pods;
  framework::PluginRegistry registry;
  std::vector<ProfileInUse> profiles;
  QueueWatch queue_watch;
  std::unique_ptr<queue::SchedulingQueue> queue;
  Outbox outbox;
  std::size_t unattended_patches = 0;  // of statuses, without a result yet, that nothing waits for
  Timers timers;
  AttemptLog attempts;
  Rng rng;
  // Pods that plugins want to be tried whatever they wait for.
  void activate_stashed();
  std::vector<api::PodPtr> pods_to_activate;

 private:
  // Tells the metrics too, if there are any.
  Outbox::OnResult counted(SchedulerMetrics::ApiCall call, Outbox::OnResult on_result);

  framework::NominatedPods nominated_;
  std::uint64_t nominated_version_ = 0;
};

}  // namespace berth::engine
