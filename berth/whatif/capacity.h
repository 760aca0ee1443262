// How many more pods of one kind a cluster can take: pods like the given one are placed one after the other, by the
// plugins of the scheduler's configuration, until no node can take the next.
//
// Each pod goes where the scheduler would put it, on the cluster as the ones before it have left it; so the answer is
// that of a scheduler without other work, and not the sum of what fits on each node. Pods that are pending already are
// not placed first; those that were promised a node keep what they were promised.
//
// A pure function of its arguments: the seed stands for the scheduler's choice between equal nodes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/base/error.h"
#include "berth/explain/cluster.h"
#include "berth/explain/explanation.h"
#include "berth/explain/probe.h"
#include "berth/report/pod_sentence.h"
#include "berth/text/page.h"

namespace berth::whatif {

// The pod of the manifest as a new one (explain/probe.h): a node that it names and gates that it waits behind are left
// out, which `notes` says.
struct NewPods {
  explain::Probe probe;
  std::vector<std::string> notes;
};
Result<NewPods> new_pods(std::span<const api::AnyObject> manifest, std::span<const api::AnyObject> dump);

struct CapacityOptions {
  std::int64_t limit = 0;   // place at most so many; 0: as many as fit
  bool preemption = false;  // evict pods of a lower priority, as the scheduler does
  std::uint64_t seed = 1;
};

struct NodeCapacity {
  std::string node;
  std::string pool;  // empty if no label names it
  std::int64_t instances = 0;
};

// Why it ended, in one word.
namespace stop {
inline constexpr std::string_view kLimitReached = "LimitReached";
inline constexpr std::string_view kUnschedulable = "Unschedulable";
inline constexpr std::string_view kError = "Error";
inline constexpr std::string_view kForbidden = "Forbidden";  // the API server would not create the next one
}  // namespace stop

struct Capacity {
  std::string pod;       // "default/web"
  std::string requests;  // "500m cpu and 1Gi memory"; empty if it asks for nothing
  std::int64_t nodes = 0;
  std::int64_t instances = 0;
  Symbol stop;
  std::string message;                     // what kube-scheduler would write into the next pod's condition
  std::string sentence;                    // the same for people
  std::vector<NodeCapacity> placement;     // every node that got one, in the natural order of names
  std::vector<std::string> victims;        // that had to go, with `preemption`
  std::vector<explain::NodeGroup> groups;  // why nodes cannot take the next one; the nearest to taking it first
  std::vector<std::string> notes;
};

// With the pools of the nodes, in the natural order of names.
std::vector<NodeCapacity> placement_of(const explain::Cluster& cluster,
                                       const std::map<std::string, std::int64_t>& per_node);

// The cluster is changed: the placed pods stay in it. The error: the API server would not even create the first pod, a
// profile that cannot be built, or no profile of the name that the pod asks for.
Result<Capacity> capacity_of(explain::Cluster& cluster, NewPods& pods, const report::Settings& settings,
                             const CapacityOptions& options = {});

struct CapacityText {
  bool all_nodes = false;  // a row for each, however many; otherwise pools stand for many nodes
  text::Style style = {};
};
// The table of what each node got, by pool if there are many.
void add_placement(std::span<const NodeCapacity> placement, const CapacityText& options, text::Page& page);
// What comes at the end of an answer.
void add_victims_and_notes(std::span<const std::string> victims, std::span<const std::string> notes,
                           const CapacityText& options, text::Page& page);
std::string to_text(const Capacity& capacity, const CapacityText& options = {});

}  // namespace berth::whatif

namespace berth::api {
template <>
const Schema& schema_of<whatif::Capacity>();
}
