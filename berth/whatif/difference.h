// What is different between two states of one simulated cluster: which pods are on another node, which have lost or
// got a place, how full the nodes are; why, and whether that is good (verdicts.h).
//
// A controller replaces a pod that leaves by one of another name. Such pairs count as one pod that moves: pods of one
// workload that are gone and pods of it that are new are paired, those of the same name first, then in the order in
// which they were made. Pods of DaemonSets do not move: they go and come with their nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "berth/api/schema.h"
#include "berth/explain/cluster.h"
#include "berth/report/summary.h"
#include "berth/sim/world.h"
#include "berth/text/page.h"
#include "berth/whatif/autoscaling.h"
#include "berth/whatif/causes.h"
#include "berth/whatif/change.h"

namespace berth::whatif {

// A pod that has not ended.
struct PodRecord {
  std::string uid;
  std::string name;      // "namespace/name"
  std::string workload;  // "namespace/Deployment/web", or its own name
  std::string node;      // empty: pending
  Instant created_at;
  bool belongs_to_its_node = false;  // no drain moves it
};
struct Snapshot {
  Instant at;
  std::size_t history_events = 0;         // how many the history had
  std::map<std::string, PodRecord> pods;  // by UID
  std::int64_t nodes = 0;
  std::vector<report::Utilisation> utilisation;
};
Snapshot snapshot_of(const sim::World& world, explain::Cluster& cluster);
// Without the nodes and what they have.
Snapshot pods_of(const sim::World& world);

// A pod that was there and one that is there now, or only one of them.
struct PodPair {
  const PodRecord* before = nullptr;
  const PodRecord* after = nullptr;
  bool is_same = false;  // one and the same pod
  bool preempted = false;
};
// The pairs refer to the snapshots.
std::vector<PodPair> pairs_of(const Snapshot& before, const Snapshot& after, const sim::World& world);

struct MovedPod {
  std::string pod;
  std::string now;  // the name of the pod that replaces it; empty if it has the same
  std::string workload;
  std::string from;
  std::string to;
  bool preempted = false;  // it had to make room for another pod
  Cause cause;
};
struct PlacedPod {
  std::string pod;
  std::string workload;
  std::string node;
  Cause cause;  // of one that is new
};
// That is gone and that nothing replaces.
struct GonePod {
  std::string pod;
  std::string workload;
  std::string node;  // empty: it was pending
  std::string why;   // nothing replaces it
  Cause cause;       // of its leaving
};
// That should have left a node and has not, or only by force.
struct HeldPod {
  std::string pod;
  std::string node;
  std::string why;
  std::vector<std::string> budgets;
};
// Pods that are pending now, for the same reason.
struct PendingNow {
  Symbol state;  // "lost": had a place before; "new": was not there; "still": was pending before
  std::vector<std::string> pods;
  std::vector<std::string> were_on;  // of lost ones, by pod
  std::vector<Cause> causes;         // of lost and new ones, by pod
  std::string sentence;
};
struct Preempting {
  std::string pod;
  std::string node;
  std::vector<std::string> victims;
  Cause cause;  // of the preemptor's coming
};
struct UtilisationChange {
  Symbol resource;
  std::int64_t requested_before = 0;
  std::int64_t requested_after = 0;
  std::int64_t allocatable_before = 0;
  std::int64_t allocatable_after = 0;
  double before = 0;  // shares of 1
  double after = 0;
};

// What one of the changes came to, or what else is good or bad news.
struct Verdict {
  Symbol kind;          // "drain", "removal", "rollout", "apply", "scale", "nodes", "preemption", "pods", "rest"
  std::string subject;  // "n-1", "shop/web"
  bool ok = true;
  std::string sentence;
  std::int64_t wanted = 0;           // pods that it is about
  std::int64_t placed = 0;           // of these, pods that have a place
  std::vector<std::string> pods;     // that make it bad news
  std::vector<std::string> budgets;  // that hold them
};

// What became of the unchanged dump until it was at rest.
struct Settling {
  std::vector<PlacedPod> placed;   // were pending in the dump
  std::vector<PlacedPod> created;  // workloads of the dump wanted more pods than it has
  std::vector<MovedPod> moved;
  std::vector<GonePod> gone;
  std::vector<Preempting> preemptions;
  std::vector<PendingNow> pending;  // without a place since then; not those that were pending in the dump
  std::vector<std::string> stuck;   // rollouts, a sentence each

  bool empty() const {
    return placed.empty() && created.empty() && moved.empty() && gone.empty() && preemptions.empty() &&
           pending.empty() && stuck.empty();
  }
};

struct Difference {
  std::vector<std::string> changes;  // what was done
  bool ok = true;                    // all verdicts are
  std::vector<Verdict> verdicts;
  Settling settling;
  std::int64_t nodes_before = 0;
  std::int64_t nodes_after = 0;
  std::int64_t pods_before = 0;
  std::int64_t pods_after = 0;
  std::int64_t pending_before = 0;
  std::int64_t pending_after = 0;
  std::int64_t unmoved = 0;  // pods that are where they were
  std::vector<MovedPod> moved;
  std::vector<PendingNow> pending;
  std::vector<PlacedPod> got_a_place;  // were pending before
  std::vector<PlacedPod> added;        // were not there before, and are on a node
  std::vector<GonePod> gone;
  std::vector<HeldPod> held;
  std::vector<Preempting> preemptions;
  std::vector<AutoscaledGroup> autoscaler;  // the groups that it resizes
  std::vector<UtilisationChange> utilisation;
  double virtual_seconds = 0;  // that it took
  std::vector<std::string> notes;
};

// `pending` is report::pending_of() the world after. `changes`, `verdicts`, `settling` and `held` are not filled in.
Difference difference_of(const Snapshot& before, const Snapshot& after, std::span<const PodPair> pairs,
                         const sim::World& world, const Plan& plan, std::span<const report::PendingPods> pending);
// The same in what it has to say of the time before the changes.
Settling settling_of(const Snapshot& dump, const Snapshot& before, const sim::World& world,
                     std::span<const report::PendingPods> pending);

struct DifferenceText {
  bool all = false;  // every pod, however many; otherwise workloads stand for many pods
  text::Style style = {};
};
std::string to_text(const Difference& difference, const DifferenceText& options = {});

}  // namespace berth::whatif

namespace berth::api {
template <>
const Schema& schema_of<whatif::Difference>();
}
