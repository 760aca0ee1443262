// A cluster at a glance: what `berth inspect` says about a pile of objects.
//
// The summary is a value with a schema of its own, so that its JSON form is written by the same codec as everything
// else; render.h gives the form for people. Nothing here decides anything: it adds up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/api/object.h"
#include "berth/api/schema.h"

namespace berth::inspect {

// One resource of a pool: what its nodes offer and what their pods ask for.
struct ResourceSummary {
  Symbol name;
  api::Quantity allocatable;
  api::Quantity requested;
  bool operator==(const ResourceSummary&) const = default;
};

struct PoolSummary {
  std::string name;
  Symbol label;  // the label that names the pool; empty if nodes have none
  std::int64_t nodes = 0;
  std::int64_t ready = 0;
  std::int64_t cordoned = 0;
  std::int64_t tainted = 0;                // nodes with a NoSchedule or NoExecute taint
  std::int64_t pods = 0;                   // that run there or are about to
  std::vector<ResourceSummary> resources;  // cpu, memory and pods first, then by name
};

struct PhaseSummary {
  std::string phase;
  std::int64_t pods = 0;
};

// Pods that the scheduler cannot tell apart: one namespace, one template.
struct ClassSummary {
  std::string name_space;
  std::string owner;  // "Deployment web", or the pod's own name
  std::int64_t pods = 0;
  std::int64_t pending = 0;  // without a node
  std::int32_t priority = 0;
  api::ResourceList requests;  // of one pod
};

struct PendingSummary {
  std::string pod;
  std::string waits_for;  // the scheduler's own words, from the PodScheduled condition; or its gates
};

struct ClusterSummary {
  std::int64_t nodes = 0;
  std::int64_t pods = 0;
  std::vector<PoolSummary> pools;       // by name
  std::vector<PhaseSummary> phases;     // most pods first
  std::vector<ClassSummary> classes;    // most pods first
  std::vector<PendingSummary> pending;  // by name
  std::vector<std::string> dangling;    // pods on nodes that are not there: "ns/pod on node-7"
  std::vector<PhaseSummary> other;      // how many objects of which other kind were read
};

ClusterSummary summarize(const std::vector<api::AnyObject>& objects);

}  // namespace berth::inspect

namespace berth::api {
template <>
const Schema& schema_of<inspect::ClusterSummary>();
}
