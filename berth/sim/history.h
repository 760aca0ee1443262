// What happened in a simulation, for expectations, reports and traces: a timeline per pod, and one line per event.
//
// The world writes it, everybody else reads. HistoryEvent and events are kept up to a limit, timelines and counts
// always; a history that was cut says so.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/pod.h"
#include "berth/base/hash.h"
#include "berth/base/symbol.h"
#include "berth/base/time.h"
#include "berth/engine/observer.h"

namespace berth::sim {

using TimelineId = std::uint32_t;
inline constexpr TimelineId kNoTimeline = UINT32_MAX;
inline constexpr std::size_t kNoCause = SIZE_MAX;

// Who made a pod leave its node.
enum class Departure : std::uint8_t {
  kNone,        // nobody, or a user who deleted it
  kPreempted,   // the scheduler, for another pod
  kDrained,     // a drain of its node
  kTainted,     // a taint of its node
  kNodeGone,    // its node is gone
  kController,  // its workload does not want it any more
};

// One pod, by UID: a pod that is made anew under the same name has a timeline of its own.
struct PodTimeline {
  std::string uid;
  std::string name;   // "namespace/name"
  std::string group;  // what made it: "Deployment/web", or its own name
  Instant created_at;
  Instant bound_at;  // as the API server has it; unset if never; when it came, if it came with a node
  Instant gone_at;   // ended, or deleted and gone
  Symbol node;
  std::int32_t priority = 0;
  std::int32_t attempts = 0;
  std::int32_t wake_ups = 0;           // moved out of unschedulable by an event
  std::int32_t wasted = 0;             // ... and the try after it was rejected again
  Symbol woken_by;                     // the last of these events
  bool rescued_by_flush = false;       // the leftover timeout moved it, not an event
  bool preempted = false;              // evicted for another pod
  TimelineId preemptor = kNoTimeline;  // the last pod that chose it as a victim
  Departure departure = Departure::kNone;
  bool succeeded = false;  // ran to its end
};

struct HistoryEvent {
  enum class Kind : std::uint8_t {
    kCreated,
    kDeleted,   // gone from the API server
    kEnded,     // ran to its end
    kMoved,     // into a place of the queue; `text` is the place: "active", "backoff", "unschedulable", "gated"
    kRejected,  // an attempt failed; `text` is the message
    kErred,     // an attempt failed with an error
    kPlaced,    // an attempt chose `node`
    kBound,
    kBindingFailed,
    kPreempts,         // `text` names the victims
    kEvicted,          // the pod is a victim
    kEvictionBlocked,  // a drain would evict the pod, and `text` does not let it go
    kDrained,          // the last pod of a drain has been evicted from `node`; `text` says how many there were
    kRollout,          // of a Deployment; `label` is "started", "progress", "complete" or "stuck", `text` the sentence
    kNodeAdded,
    kNodeChanged,  // `text` says what
    kNodeRemoved,
    kClusterEvent,  // the queue was told; `label`
    kSchedulerDown,
    kSchedulerUp,
    kFault,         // a statement of the scenario; `text`
    kStatement,     // anything else that the scenario did
    kLostWakeUp,    // found by the checker
    kFailedCreate,  // a controller could not create its pods; `text` says which one, and why
    kAutoscaler,    // adds or removes nodes, or does not; `text`
  };
  Instant at;
  Kind kind = Kind::kCreated;
  TimelineId pod = kNoTimeline;
  Symbol node;
  Symbol label;                  // of an event, or why a pod moved
  std::size_t cause = kNoCause;  // the event that led to it, if known: an event to a move, a move to an attempt
  std::string text;
};

// An event of events.k8s.io as a user would see it.
struct PublishedEvent {
  Instant at;
  TimelineId pod = kNoTimeline;
  std::string about;  // of an event that is not about a pod: "ReplicaSet default/web-5d4f8"
  Symbol type;
  Symbol reason;
  std::string note;
};

struct Counts {
  std::uint64_t attempts = 0;
  std::uint64_t rejected = 0;
  std::uint64_t errors = 0;
  std::uint64_t bound = 0;
  std::uint64_t binding_failures = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t evicted = 0;
  std::uint64_t wake_ups = 0;  // pods moved out of unschedulable by an event
  std::uint64_t wasted_wake_ups = 0;
  std::uint64_t flushed = 0;  // by the leftover timeout
  std::uint64_t lost_wake_ups = 0;
  std::uint64_t restarts = 0;
  std::map<std::string, std::uint64_t> wake_ups_by_label;
};

class History final : public engine::Observer {
 public:
  explicit History(std::size_t max_events = 2'000'000) : max_events_(max_events) {}

  const std::deque<PodTimeline>& pod_timelines() const { return pod_timelines_; }
  const std::deque<HistoryEvent>& history_events() const { return history_events_; }
  const std::deque<PublishedEvent>& events() const { return events_; }
  const Counts& counts() const { return counts_; }
  bool was_cut() const { return was_cut_; }
  // The newest timeline of that name ("namespace/name"); null if there is none.
  const PodTimeline* pod_timeline(std::string_view name) const;
  const PodTimeline* timeline_of_uid(std::string_view uid) const;

  // --- Written by the world ------------------------------------------------------------------------------------------
  TimelineId created(const api::Pod& pod, std::string group, Instant now);
  void pod_gone(const api::Pod& pod, bool ran_to_its_end, Instant now);
  void bound_in_api(const api::Pod& pod, Instant now);
  void evicted(const api::Pod& pod, Instant now);
  // To be told before the pod is deleted. The first who says it counts.
  void leaves(const api::Pod& pod, Departure departure);
  void eviction_blocked(const api::Pod& pod, std::string by, Instant now);
  void rollout(Symbol what, std::string text, Instant now);
  void published(const api::Pod& pod, Symbol type, Symbol reason, std::string note, Instant now);
  // A controller could not create its pods; `text` says so, `message` is the API server's.
  void creation_failed(std::string_view kind, const api::ObjectMeta& owner, std::string text, std::string_view message,
                       Instant now);
  void note(HistoryEvent::Kind kind, Instant now, std::string text, Symbol node = {}, TimelineId pod = kNoTimeline);
  // Found by a checker: the pod fits on `node`, and nobody will try it.
  void lost_wake_up(const api::Pod& pod, Symbol node, std::string text, Instant now) {
    note(HistoryEvent::Kind::kLostWakeUp, now, std::move(text), node, find(pod));
  }
  // Who hears of cluster events too, also of those that moved nobody and are not kept; null: nobody. It takes itself
  // out before it goes.
  void set_event_listener(engine::Observer* listener) { event_listener_ = listener; }

  // --- engine::Observer ----------------------------------------------------------------------------------------------
  void event_happened(const queue::ClusterEvent& event, Instant now) override;
  void pod_moved(const queue::QueuedPod& pod, queue::QueueName queue, Symbol label, Instant now) override;
  void attempt_ended(const api::Pod& pod, const engine::AttemptRecord& record, Instant now) override;
  void pod_bound(const api::Pod& pod, Symbol node, Instant now) override;
  void binding_failed(const api::Pod& pod, Symbol node, std::string_view why, Instant now) override;
  void preemption_began(const api::Pod& preemptor, Symbol node, const std::vector<api::PodPtr>& victims,
                        Instant now) override;

 private:
  // Per pod: what its next event is a consequence of.
  struct Tracking {
    std::size_t last_move = kNoCause;  // to where it is tried from
    std::size_t last_attempt = kNoCause;
    Symbol place;           // of the queue; empty: none
    bool is_woken = false;  // since its last try
    bool is_deleted = false;
  };
  // Told by the queue, and not kept before it moves somebody.
  struct LastEvent {
    Instant at;
    queue::ClusterEvent event;
    std::size_t history_event = kNoCause;
  };

  std::size_t add(HistoryEvent history_event);
  TimelineId find(const api::Pod& pod) const;
  // kNoCause if the event did not bring the move about.
  std::size_t cause_of_move(Symbol label, Instant now);
  void count_wake_up(TimelineId id, Symbol label);

  std::size_t max_events_;
  bool was_cut_ = false;
  std::deque<PodTimeline> pod_timelines_;
  std::deque<HistoryEvent> history_events_;
  std::deque<PublishedEvent> events_;
  Counts counts_;
  absl::flat_hash_map<std::string_view, TimelineId, TextHash, std::equal_to<>> by_name_;  // the timelines' own names
  absl::flat_hash_map<std::string_view, TimelineId, TextHash, std::equal_to<>> by_uid_;
  std::deque<Tracking> tracking_;  // by timeline
  LastEvent last_event_;
  engine::Observer* event_listener_ = nullptr;
};

}  // namespace berth::sim
