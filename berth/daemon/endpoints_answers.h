// What Berth's own endpoints answer, as values whose schema gives their JSON form. docs/http-api.md describes them;
// they are an interface: fields are added and never change their meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/node.h"
#include "berth/api/schema.h"
#include "berth/explain/explanation.h"

namespace berth::daemon {

// An event that wakes the pod, and the plugin that registered for it.
struct WakeTrigger {
  Symbol event;  // "NodeAdd"
  Symbol plugin;
};

// A pod's place in the queue.
struct QueueEntry {
  std::string pod;  // "namespace/name"
  std::int64_t priority = 0;
  std::int64_t attempts = 0;
  Instant since;  // when it came, or when its last try failed
  Instant first_tried_at;
  Instant backoff_ends_at;  // in backoff: tried by then at the latest
  Instant forced_try_at;    // unschedulable: tried after this even if nothing happens
  Symbol gated_by;          // the plugin that keeps it from being tried
  std::vector<Symbol> rejected_by;
};

struct RejectionAnswer {
  Symbol plugin;
  std::string reason;
  std::int64_t nodes = 0;
};
struct AttemptAnswer {
  std::int64_t number = 0;
  Instant began_at;
  Instant ended_at;
  Symbol woken_by;
  std::string result;  // "placed", "unschedulable", ...
  std::int64_t nodes_evaluated = 0;
  std::int64_t nodes_feasible = 0;
  Symbol node;
  std::vector<RejectionAnswer> rejections;
  std::vector<Symbol> rejecting_plugins;
  std::vector<std::string> victims;
  std::string message;
};

// GET /berth/v1/pods/NAMESPACE/NAME
struct PodAnswer {
  std::string pod;
  std::string uid;
  Symbol scheduler;
  std::string place;  // engine::PodPlace: "unschedulable"
  Symbol node;
  Symbol nominated_node;
  std::string sentence;
  std::string text;                 // the whole answer for people
  std::optional<QueueEntry> queue;  // if it is there
  std::vector<WakeTrigger> wake_set;
  std::vector<explain::WakeUp> wake_ups;  // the same in words, per plugin that rejected it
  std::vector<AttemptAnswer> attempts;    // oldest first; the scheduler remembers the last few
  std::optional<explain::Explanation> explanation;
};

// GET /berth/v1/queue
struct QueueCounts {
  std::int64_t active = 0;
  std::int64_t backoff = 0;
  std::int64_t error_backoff = 0;
  std::int64_t unschedulable = 0;
  std::int64_t gated = 0;
  std::int64_t in_flight = 0;
  std::int64_t binding = 0;
};
struct QueueAnswer {
  QueueCounts counts;
  std::int64_t limit = 0;
  std::vector<QueueEntry> active;         // next to be tried first
  std::vector<QueueEntry> backoff;        // earliest end first; both kinds
  std::vector<QueueEntry> unschedulable;  // longest waiting first
  std::vector<QueueEntry> gated;
};

// GET /berth/v1/nodes/NAME
struct PlacedPodAnswer {
  std::string pod;
  std::int64_t priority = 0;
  FlatMap<std::string> requests;
  bool assumed = false;  // decided by this scheduler and not yet confirmed by the API server
};
struct NodeAnswer {
  std::string node;
  bool unschedulable = false;
  std::vector<api::Taint> taints;
  FlatMap<std::string> allocatable;
  FlatMap<std::string> requested;
  std::vector<PlacedPodAnswer> pods;            // by name
  std::vector<PlacedPodAnswer> nominated_pods;  // that were promised room here
};

}  // namespace berth::daemon

namespace berth::api {
template <>
const Schema& schema_of<daemon::PodAnswer>();
template <>
const Schema& schema_of<daemon::QueueAnswer>();
template <>
const Schema& schema_of<daemon::NodeAnswer>();
}  // namespace berth::api
