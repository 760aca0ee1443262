// The scheduling queue: every pod that has no node yet, and when it is tried next.
//
// A pod is in one of three places. *Active* pods are tried next, in the order of QueueSort. Pods in *backoff* failed
// and are worth another attempt, but not at once. *Unschedulable* pods were rejected, or are gated by a PreEnqueue
// plugin, and wait for an event that a plugin which rejected them registered for. Popped pods are *in flight* until
// done() is called for them or they come back through add_unschedulable_if_not_present().
//
//        add ──> active ──pop──> in flight ──> bound, or back:
//                  ^  ^                           │
//     backoff ends │  └── event, no backoff due ──┤── error, or an event happened meanwhile ──> backoff
//               backoff <── event, backoff due ───┴── nothing happened ──> unschedulable
//
// The queue reads no clock: every call that needs the time gets it. It starts no thread: whoever owns it calls the two
// flushes, at next_flush_at() or about every second. Embedders who want a blocking, thread-safe queue find one in
// blocking_queue.h. Not thread safe. Given the same calls it does the same, always.
//
// It follows the rules of one kube-scheduler release, by default the newest one that Berth knows: see rules.h and
// docs/releases.md.
//
// Calls that make no sense (adding a pod twice, done() for a pod that is not in flight, anything on a closed queue)
// return an Error that says so and change nothing.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/pod.h"
#include "berth/base/error.h"
#include "berth/base/function_ref.h"
#include "berth/base/object_pool.h"
#include "berth/queue/backoff.h"
#include "berth/queue/cluster_event.h"
#include "berth/queue/hints.h"
#include "berth/queue/in_flight.h"
#include "berth/queue/metrics.h"
#include "berth/queue/nominator.h"
#include "berth/queue/pre_enqueue.h"
#include "berth/queue/queue_sort.h"
#include "berth/queue/queued_pod.h"
#include "berth/queue/queueing_hint.h"
#include "berth/queue/quirks.h"
#include "berth/queue/release.h"
#include "berth/queue/rules.h"
#include "berth/queue/unschedulable_pods.h"

namespace berth::queue {

// The labels of a namespace; null if it is unknown.
using FindNamespaceLabels = std::function<const api::Labels*(Symbol name_space)>;

struct QueueOptions {
  // Whose rules apply. Options that a release does not have are without effect there.
  Release compatibility = Release::kV1_36;

  Duration initial_backoff = Duration::seconds(1);
  Duration maximum_backoff = Duration::seconds(10);
  // How long a pod stays unschedulable before it is tried again without any event.
  Duration maximum_in_unschedulable = Duration::minutes(5);

  // kube-scheduler's feature gates of the same names.
  bool pop_from_backoff = true;   // SchedulerPopFromBackoffQ
  bool queueing_hints = true;     // SchedulerQueueingHints
  bool generic_workload = false;  // GenericWorkload

  QueueSort queue_sort;          // empty: priority, then time
  std::vector<Symbol> profiles;  // the scheduler names that this queue serves
  std::vector<HintRegistration> hints;
  std::vector<PreEnqueueCheck> pre_enqueue;  // asked in this order, the one that gates a pod first

  // Looked into before a pod is nominated. Empty: every pod exists.
  FindPod find_pod;
  FindNamespaceLabels find_namespace_labels;

  // Bounds what is kept while a pod is in flight for long: see in_flight.h.
  std::size_t max_in_flight_events = 8192;

  QueueMetrics* metrics = nullptr;  // must outlive the queue; null: nothing is counted
  Quirks quirks;
};

// A pod that was popped, owned by the attempt. Gives its memory back to the queue, which must outlive it.
class SchedulingQueue;
struct ReturnToQueue {
  SchedulingQueue* queue = nullptr;
  void operator()(QueuedPod* pod) const;
};
using PoppedPod = std::unique_ptr<QueuedPod, ReturnToQueue>;

// What would wake a pod, and when it is tried at the latest.
struct WakeSet {
  struct Trigger {
    ClusterEvent event;
    Symbol plugin;
  };
  Place place = Place::kNone;
  std::vector<Trigger> triggers;  // for unschedulable pods
  Symbol gating_plugin;           // whose events alone make the queue look again, if the pod is gated
  Instant backoff_ends_at;        // for pods in backoff: tried by then at the latest
  Instant forced_try_at;          // for unschedulable pods: tried after this instant without any event
};

// Filters the pods that an event may wake.
using PreCheck = FunctionRef<bool(const api::Pod&)>;

struct NominatedPod {
  Nominator::Nomination nomination;
  api::PodPtr pod;  // null if the queue does not have it
};

class SchedulingQueue {
 public:
  explicit SchedulingQueue(QueueOptions options);
  ~SchedulingQueue();
  SchedulingQueue(const SchedulingQueue&) = delete;
  SchedulingQueue& operator=(const SchedulingQueue&) = delete;

  // --- Pods come, change and go -----------------------------------------------------------------------------------

  // A pod without a node has appeared.
  Result<void> add(api::PodPtr pod, Instant now);
  // It has changed. A pod that the queue does not know is added. Requires: both are versions of a pod of one name.
  Result<void> update(const api::PodPtr& old_pod, api::PodPtr new_pod, Instant now);
  // It is gone, or has got a node. Ends its nomination too. A pod in flight stays so until done().
  Result<void> remove(const api::Pod& pod);

  // --- Trying pods ------------------------------------------------------------------------------------------------

  // The next pod to try, now in flight; null if there is nothing to try. If nothing is active, a rejected pod is taken
  // out of backoff early.
  PoppedPod pop(Instant now);
  // This pod, wherever it waits; null if it is unknown, gated, or in flight already.
  PoppedPod pop_specific(const api::Pod& pod, Instant now);
  // The pod's attempt is over (bound, or given up).
  Result<void> done(std::string_view uid);
  // The pod's attempt failed. Before, set popped->pod to its newest version and its rejectors to the plugins that
  // rejected it (none: it failed with an error). Ends its flight in any case. `scheduling_cycle` is the cycle of the
  // failure.
  Result<void> add_unschedulable_if_not_present(PoppedPod popped, std::int64_t scheduling_cycle, Instant now);

  // --- Waking pods ------------------------------------------------------------------------------------------------

  // Makes these pods active, whatever they wait for (but not those that are gated).
  Result<void> activate(std::span<const api::PodPtr> pods, Instant now);
  // Tries an unschedulable pod again after its backoff, whatever it waits for (but not while it is gated).
  Result<void> reconsider(const api::Pod& pod, Symbol label, Instant now);
  // Something happened. Wakes the pods for which a plugin that rejected them says so.
  Result<void> move_all(const ClusterEvent& event, EventObjects objects, Instant now,
                        std::optional<PreCheck> pre_check = std::nullopt);
  // A pod got a node, or one that has a node changed: wakes pods that may want to be near it. Older releases use these
  // instead of hints.
  Result<void> assigned_pod_added(api::PodPtr pod, Instant now);
  Result<void> assigned_pod_updated(api::PodPtr old_pod, api::PodPtr new_pod, const ClusterEvent& event, Instant now);

  // To be called about every second, and about every 30 seconds.
  Result<void> flush_backoff_completed(Instant now);
  Result<void> flush_unschedulable_leftover(Instant now);
  // The next instant at which one of the flushes would move a pod; unset if there is none to move.
  Instant next_flush_at() const;

  // --- Nominations ------------------------------------------------------------------------------------------------

  void nominate(const api::Pod& pod, const Nominating& nominating) { nominator_.add(pod, nominating); }
  void update_nominated(const api::Pod& old_pod, const api::Pod& new_pod) { nominator_.update(old_pod, new_pod); }
  void remove_nomination(const api::Pod& pod) { nominator_.remove(pod.metadata.uid); }
  // Calls fn(const Nominator::Nomination&, const api::PodPtr&) for each pod that is nominated to the node, in the order
  // of nomination; the pod is null if the queue does not have it.
  using NominatedPodFn = FunctionRef<void(const Nominator::Nomination&, const api::PodPtr&)>;
  void for_each_nominated(Symbol node_name, NominatedPodFn fn) const;
  std::vector<NominatedPod> nominated_pods_for_node(Symbol node_name) const;
  const Nominator& nominator() const { return nominator_; }

  // --- Looking --------------------------------------------------------------------------------------------------

  const Rules& rules() const { return rules_; }
  // Null if no pod of that name is in a place. Valid until the next call that changes the queue.
  const QueuedPod* get(Symbol name_space, std::string_view name) const;
  std::size_t count(Place place) const;
  // Whether pop() would find a pod.
  bool has_pod_to_pop() const { return !active_.empty() || (options_.pop_from_backoff && backoff_.has_rejected()); }
  // All pods of a place, in order of their names.
  std::vector<const QueuedPod*> pods_in(Place place) const;
  // All pods that are in a place, and "activeQ:1; backoffQ:0; unschedulablePods:2".
  std::vector<api::PodPtr> pending_pods(std::string* summary = nullptr) const;
  const InFlight& in_flight() const { return *in_flight_; }
  // What v1.17 keeps about failures by the names of pods; empty under other rules.
  const BackoffRecords& backoff_records() const { return backoff_records_; }
  // How many pods have been popped.
  std::int64_t scheduling_cycle() const { return scheduling_cycle_; }
  // The scheduling cycle at the last event that was of interest to anybody.
  std::int64_t move_request_cycle() const { return move_request_cycle_; }
  // When the pod's backoff ends or ended; unset if it has none.
  Instant backoff_ends_at(const QueuedPod& pod) const;
  // Nothing if the pod is not in a place.
  std::optional<WakeSet> wake_set(Symbol name_space, std::string_view name) const;

  PluginSet plugin_set(std::span<const Symbol> names);
  Symbol plugin_name(PluginId plugin) const { return plugin_names_.name(plugin); }

  // Nothing more is accepted; what is active can still be popped. All flights end (if the release's rules say so).
  Result<void> close();
  bool is_closed() const { return closed_; }

 private:
  friend struct ReturnToQueue;

  struct NameKey {
    Symbol name_space;
    std::string_view name;
    std::uint32_t hash;
  };
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(const QueuedPod* pod) const { return pod->name_hash; }
    std::size_t operator()(const NameKey& key) const { return key.hash; }
  };
  struct NameEqual {
    using is_transparent = void;
    bool operator()(const QueuedPod* a, const QueuedPod* b) const { return a == b; }
    bool operator()(const QueuedPod* pod, const NameKey& key) const;
    bool operator()(const NameKey& key, const QueuedPod* pod) const { return (*this)(pod, key); }
  };
  static NameKey key_of(Symbol name_space, std::string_view name);
  static NameKey key_of(const api::Pod& pod) { return key_of(pod.metadata.name_space, pod.metadata.name); }
  static bool has_its_name(const QueuedPod& pod) { return pod.name_hash != 0; }
  QueuedPod* find(const NameKey& key) const;
  // The entry of the pod's name, if that is another one.
  QueuedPod* find_other(const QueuedPod& pod) const;

  Result<void> check_open(std::string_view operation) const;
  bool runs_pre_enqueue_before_backoff() const { return options_.pop_from_backoff; }
  static bool is_in_backoff(const QueuedPod& pod) {
    return pod.place == Place::kBackoff || pod.place == Place::kErrorBackoff;
  }

  QueuedPod* make(api::PodPtr pod, Instant now);
  // Takes the pod out of the table and destroys it. Requires: in no place.
  void discard(QueuedPod& pod);

  void run_pre_enqueue(QueuedPod& pod);
  bool admits(const PreEnqueueCheck& check, PluginId plugin, QueuedPod& pod);

  // A pod that the queue did not know becomes active, or is gated; its nomination is noted.
  void enter(QueuedPod& fresh, Symbol label, Instant now);

  // Each returns whether the pod arrived; if not, it is unschedulable because a PreEnqueue plugin gates it, or
  // destroyed (see Quirks::add_over_queued_pod).
  bool move_to_active(QueuedPod& pod, Symbol label, bool from_backoff, Instant now);
  bool move_to_backoff(QueuedPod& pod, Symbol label, Instant now);
  // Puts the pod into the unschedulable pool or brings its entry there up to date. An empty label is not counted.
  void move_to_unschedulable(QueuedPod& pod, bool was_gated, Symbol label);
  void leave_unschedulable(QueuedPod& pod, bool counts_as_gated);
  Place requeue(QueuedPod& pod, QueueingStrategy strategy, Symbol label, Instant now);
  void leave_backoff(QueuedPod& pod);
  // Makes `pod` the entry of its name. Requires: there is none.
  void take_name(QueuedPod& pod, const NameKey& key);
  // The same, in the place of `other` if there is one. Nothing to do if `pod` has its name already.
  void take_name_from(QueuedPod* other, QueuedPod& pod);

  // What the hints say about an event, for one pod.
  QueueingStrategy decide(const QueuedPod& pod, const HintTable::Match& match, const EventObjects& objects);
  HintAnswer ask(const HintTable::Entry& entry, const QueuedPod& pod, const HintTable::Match& match,
                 const EventObjects& objects);
  // ... about all events since the pod was popped.
  QueueingStrategy decide_by_events_in_flight(const QueuedPod& pod);
  // `scheduling_cycle` is the cycle of the failure.
  QueueingStrategy decide_after_failure(const QueuedPod& pod, std::int64_t scheduling_cycle);

  struct Wake {
    QueuedPod* pod;
    QueueingStrategy strategy;
  };
  // Appends the pods of a group that the event wakes.
  void collect_wakes(const UnschedulableGroup& group, const HintTable::Match& match, const EventObjects& objects,
                     const QueuedPod* own, std::optional<PreCheck> pre_check);
  void move_wakes(const HintTable::Match& match, const EventObjects& objects, bool record_in_flight, Instant now);
  void move_if_of_interest(const std::vector<QueuedPod*>& candidates, const ClusterEvent& event,
                           const EventObjects& objects, bool record_in_flight, Instant now);
  void collect_near(const api::Pod& assigned, std::vector<QueuedPod*>& into) const;
  bool is_gate_indifferent(PluginId gating_plugin, const HintTable::Match& match) const;

  bool activate_one(const api::Pod& pod, Instant now);
  bool move_to_in_flight(QueuedPod& pod);
  // False if it was not in flight.
  bool end_flight(std::string_view uid);
  PoppedPod hand_out(QueuedPod& pod);
  void replace_object(QueuedPod& pod, const api::Pod& old_pod, const api::PodPtr& new_pod);
  // The pod has a new object: what becomes of it in its place, if that is asked of the hints, and if it is not.
  void requeue_by_hints(QueuedPod& pod, const std::vector<ClusterEvent>& events, const EventObjects& objects,
                        Instant now);
  void requeue_updated(QueuedPod& pod, const api::Pod& old_pod, Instant now);
  void count_rejectors(const QueuedPod& pod, int delta);

  const Rules& rules_;
  QueueOptions options_;
  const bool tracks_flights_;
  const bool updates_are_events_;
  const Symbol pod_add_label_;
  const Symbol pod_update_label_;
  QueueMetrics no_metrics_;
  QueueMetrics& metrics_;
  PluginNames plugin_names_;
  HintTable hints_;
  struct PreEnqueueOfProfile {
    Symbol profile;
    std::vector<std::pair<PluginId, const PreEnqueueCheck*>> checks;
  };
  std::vector<PreEnqueueOfProfile> pre_enqueue_;

  ObjectPool<QueuedPod> pods_;
  absl::flat_hash_set<QueuedPod*, NameHash, NameEqual> by_name_;
  ActiveOrder order_;
  IntrusiveHeap<QueuedPod, ActiveOrder, &QueuedPod::heap_position> active_;
  BackoffRecords backoff_records_;
  BackoffQueue backoff_;
  UnschedulablePods unschedulable_;
  std::unique_ptr<InFlight> in_flight_;
  std::set<std::string, std::less<>> updated_in_flight_;  // UIDs, where such an update is not an event
  Nominator nominator_;

  std::vector<Wake> wakes_;  // scratch space of the walks
  std::int64_t scheduling_cycle_ = 0;
  std::int64_t move_request_cycle_ = -1;
  bool closed_ = false;
};

}  // namespace berth::queue
