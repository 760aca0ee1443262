// What is different between two states of one simulated cluster: which pods are on another node, which have lost or
// got a place, how full the nodes are.
//
// A controller replaces a pod that leaves by one of another name. Such pairs count as one pod that moves: pods of one
// workload that are gone and pods of it that are new are paired, those of the same name first, then in the order in
// which they were made. Pods of DaemonSets do not move: they go and come with their nodes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "berth/api/schema.h"
#include "berth/explain/cluster.h"
#include "berth/report/summary.h"
#include "berth/sim/world.h"
#include "berth/whatif/change.h"

namespace berth::whatif {

// A pod that has not ended.
struct PodRecord {
  std::string name;      // "namespace/name"
  std::string workload;  // "namespace/Deployment/web", or its own name
  std::string node;      // empty: pending
  Instant created_at;
};
struct Snapshot {
  Instant at;
  std::map<std::string, PodRecord> pods;  // by UID
  std::int64_t nodes = 0;
  std::vector<report::Utilisation> utilisation;
};
Snapshot snapshot_of(const sim::World& world, explain::Cluster& cluster);

struct MovedPod {
  std::string pod;
  std::string now;  // the name of the pod that replaces it; empty if it has the same
  std::string workload;
  std::string from;
  std::string to;
  bool preempted = false;  // it had to make room for another pod
};
struct PlacedPod {
  std::string pod;
  std::string workload;
  std::string node;
};
// That is gone and that nothing replaces.
struct GonePod {
  std::string pod;
  std::string workload;
  std::string node;  // empty: it was pending
  std::string why;
};
// That should have left a node and has not, or only by force.
struct HeldPod {
  std::string pod;
  std::string node;
  std::string why;
};
// Pods that are pending now, for the same reason.
struct PendingNow {
  Symbol state;  // "lost": had a place before; "new": was not there; "still": was pending before
  std::vector<std::string> pods;
  std::vector<std::string> were_on;  // of lost ones, by pod
  std::string sentence;
};
struct Preempting {
  std::string pod;
  std::string node;
  std::string victims;  // names
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

struct Difference {
  std::vector<std::string> changes;  // what was done
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
  std::vector<UtilisationChange> utilisation;
  double virtual_seconds = 0;  // that it took
  std::vector<std::string> notes;
};

// `held` and `changes` are not filled in.
Difference difference_of(const Snapshot& before, const Snapshot& after, const sim::World& world,
                         explain::Cluster& cluster_after, const report::Settings& settings);

// Pods on the nodes that are to be empty, with what holds them: budgets for disruptions.
std::vector<HeldPod> held_pods(const Plan& plan, const sim::World& world);

struct DifferenceText {
  bool all = false;  // every pod, however many; otherwise workloads stand for many pods
};
std::string to_text(const Difference& difference, const DifferenceText& options = {});

}  // namespace berth::whatif

namespace berth::api {
template <>
const Schema& schema_of<whatif::Difference>();
}
