// What came of a simulation: a value with everything that the report says, computed from a world and its history. It
// has a schema of its own, so that its JSON form is written by the same codec as everything else (docs/simulate.md
// documents it); text.h gives the form for people.
//
// Times are seconds since the scenario's time 0. A pure function of the world: no clock, no chance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/schema.h"
#include "berth/report/pod_sentence.h"
#include "berth/sim/world.h"

namespace berth::report {

// Above this many nodes the placement table is by pool.
inline constexpr std::size_t kMaxNodeRows = 20;
// Lines of the timeline; more would not be read.
inline constexpr std::size_t kMaxTimelineLines = 60;

// Pods, each counted once: created = bound + pending + ended + gone.
struct PodCounts {
  std::int64_t created = 0;
  std::int64_t bound = 0;    // on a node now
  std::int64_t pending = 0;  // without a node now
  std::int64_t ended = 0;    // ran to their end
  std::int64_t gone = 0;     // deleted or failed, for whatever reason
  std::int64_t evicted = 0;  // how many were made to leave: by preemption, a drain, a lost node
};

struct SchedulerCounts {
  std::int64_t attempts = 0;
  std::int64_t rejected = 0;
  std::int64_t errors = 0;
  std::int64_t bindings = 0;
  std::int64_t binding_failures = 0;
  std::int64_t preemptions = 0;
  std::int64_t restarts = 0;
};

// One resource, in its own unit: cpu in thousandths, everything else in units.
struct ResourceUse {
  Symbol resource;
  std::int64_t requested = 0;
  std::int64_t allocatable = 0;
};

// A node, or a pool of nodes.
struct PlacementRow {
  std::string name;
  std::int64_t nodes = 0;  // 0: the row is a node
  std::int64_t pods = 0;
  std::vector<ResourceUse> resources;
  std::string note;  // "cordoned", "not ready"
};

// Shares are of 1.
struct Utilisation {
  ResourceUse total;
  double share = 0;
  double least = 0;  // over the nodes that have any of it
  double median = 0;
  double most = 0;
};

// How much of the free cpu lies on nodes where one pod does not fit, because they have too little cpu or memory left or
// no room for a pod more. That pod is the largest pending one or, if none waits, the median of those that are placed.
struct Fragmentation {
  std::string pod;             // the measure: "default/big" or "the median pod"
  std::int64_t milli_cpu = 0;  // what it asks for
  std::int64_t memory = 0;
  std::int64_t free_milli_cpu = 0;
  std::int64_t stranded_milli_cpu = 0;  // on nodes where it does not fit
  double share = 0;                     // of the free cpu
  std::int64_t nodes_that_fit = 0;
};

struct WaitingBucket {
  double below_seconds = 0;  // 0: no upper end
  std::int64_t pods = 0;
};
// From creation to binding, of the pods that were bound.
struct WaitingTimes {
  std::int64_t pods = 0;
  double p50_seconds = 0;
  double p90_seconds = 0;
  double p99_seconds = 0;
  double max_seconds = 0;
  std::string longest;  // the pod of the maximum
  std::vector<WaitingBucket> histogram;
};

// Pods that an event of one label moved out of unschedulable, and what came of it.
struct WakeUps {
  std::string label;
  std::int64_t pods = 0;
  std::int64_t useful = 0;  // the try after it found a node
  std::int64_t wasted = 0;  // it was rejected again
};
struct WakeUpCounts {
  std::int64_t pods = 0;
  std::int64_t wasted = 0;
  std::int64_t flushed = 0;  // moved by the leftover timeout, because no event came
  std::int64_t lost = 0;     // found by the checker: an event should have woken them and did not
  double tries_per_placement = 0;
  std::vector<WakeUps> by_label;  // most pods first
};

// Pods that wait for the same thing.
struct PendingPods {
  std::vector<std::string> pods;  // in order of name; the sentence is about the first
  std::string place;              // "active", "backoff", "unschedulable", "gated", ...
  double waits_seconds = 0;       // the one that waits longest
  std::int64_t attempts = 0;      // of the first
  std::int64_t ahead = 0;         // pods that are tried before the first, if it is active
  std::string sentence;
  std::string wakes;  // "a node is added or a pod on some node ends": what the scheduler looks at it again for
  double next_try_seconds = 0;  // when it is tried without any event; 0: unknown or never
};

// A workload whose controller is short of pods at the end, because the API server refuses them.
struct FailedCreation {
  std::string workload;    // "Deployment/web"
  std::string controller;  // "ReplicaSet/web-5d4f8", which may be the workload itself
  std::string name_space;
  std::int64_t wanted = 0;
  std::int64_t missing = 0;
  std::int64_t tries = 0;
  double since_seconds = 0;
  std::string message;   // the API server's
  std::string sentence;  // all of it
};
// A rollout of a Deployment that is not through.
struct UnfinishedRollout {
  std::string deployment;  // "default/api"
  std::int64_t wanted = 0;
  std::int64_t updated = 0;  // pods of the newest template
  std::int64_t ready = 0;    // of these
  std::int64_t old = 0;      // pods of other templates
  bool stuck = false;
  double no_progress_seconds = 0;
  std::vector<std::string> pods;  // new ones that are pending
  std::string reason;             // why the first of them is
  std::string sentence;
};
// A drain that has pods left to evict.
struct BlockedDrain {
  std::string node;
  std::int64_t pods = 0;  // that were to leave
  std::vector<std::string> held;
  std::vector<std::string> budgets;
  std::string sentence;
};

struct TimelineLine {
  double at_seconds = 0;
  double until_seconds = 0;  // of a group; 0: the same
  Symbol kind;               // "created", "rejected", "bound", "preemption", "node", ...: see docs/simulate.md
  std::string text;
};
struct Timeline {
  std::vector<TimelineLine> lines;
  std::int64_t left_out = 0;  // lines that were not important enough
};

// Something that a scenario expected and that is not so. Whoever runs the scenario fills these in.
struct FailedExpectation {
  std::string file;
  std::int64_t line = 0;  // 0: at the end
  double at_seconds = 0;
  std::string expected;
  std::string actual;
  std::string explanation;  // of the pod that it is about
};

// What the autoscaler did.
struct AutoscalerGroup {
  std::string name;
  std::int64_t nodes = 0;  // now
  std::int64_t most = 0;   // at any time
  std::int64_t added = 0;
  std::int64_t removed = 0;
};
struct AutoscalerSummary {
  std::int64_t added = 0;  // nodes
  std::int64_t removed = 0;
  double node_hours = 0;  // of the nodes of its groups
  std::vector<AutoscalerGroup> groups;
};

struct Summary {
  std::string name;  // of the scenario
  std::int64_t seed = 0;
  double virtual_seconds = 0;
  std::int64_t nodes = 0;
  PodCounts pods;
  SchedulerCounts scheduler;
  Timeline timeline;
  std::string placement_by;  // "node" or "pool"
  std::vector<PlacementRow> placement;
  std::vector<Utilisation> utilisation;
  std::optional<Fragmentation> fragmentation;
  std::optional<WaitingTimes> waiting;
  std::optional<WakeUpCounts> wake_ups;
  std::optional<AutoscalerSummary> autoscaler;
  std::vector<PendingPods> pending;
  std::vector<FailedCreation> failed_creations;
  std::vector<UnfinishedRollout> rollouts;
  std::vector<BlockedDrain> drains;
  std::vector<std::string> notes;  // what to bear in mind: a history that was cut
  std::int64_t expectations = 0;   // that were looked at
  std::vector<FailedExpectation> failures;
};

struct SummaryOptions {
  std::string name;
  std::uint64_t seed = 1;
  Settings settings;
  std::size_t max_timeline_lines = kMaxTimelineLines;
};

Summary summarize(const sim::World& world, const SummaryOptions& options);

}  // namespace berth::report

namespace berth::api {
template <>
const Schema& schema_of<report::Summary>();
}
