// How many sets of several pods a cluster can take: 3 of one and 1 of another, say, which belong together.
//
// The pods of a set are placed one after the other in the order given, then those of the next set, until a pod of a set
// has no place. Each kind of pod is also placed alone, on the cluster as it is, so that the one that is in short supply
// shows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "berth/api/object.h"
#include "berth/api/schema.h"
#include "berth/base/error.h"
#include "berth/report/pod_sentence.h"
#include "berth/text/page.h"
#include "berth/whatif/capacity.h"

namespace berth::whatif {

struct PodOfSet {
  std::vector<api::AnyObject> manifest;  // as for new_pods()
  std::int64_t count = 1;                // in each set
};

struct SetMember {
  std::string pod;       // "default/web"
  std::string requests;  // "500m cpu and 1Gi memory"; empty if it asks for nothing
  std::int64_t count = 0;
  std::int64_t alone = 0;  // how many fit if only it is placed
};

struct SetCapacity {
  std::vector<SetMember> pods;
  std::int64_t nodes = 0;
  std::int64_t sets = 0;
  Symbol stop;                             // as of Capacity
  std::string stopped_at;                  // the pod of the next set that has no place
  std::string message;                     // what kube-scheduler would write into its condition
  std::string sentence;                    // the same for people
  std::vector<NodeCapacity> placement;     // pods of whole sets, by node
  std::vector<std::string> victims;        // that had to go, with `preemption`
  std::vector<explain::NodeGroup> groups;  // why nodes cannot take it
  std::vector<std::string> notes;
};

// `options.limit` is one of sets. The error: as of capacity_of().
Result<SetCapacity> capacity_of_sets(std::span<const api::AnyObject> dump, std::span<const PodOfSet> pods,
                                     const report::Settings& settings, const CapacityOptions& options = {});

std::string to_text(const SetCapacity& capacity, const CapacityText& options = {});

}  // namespace berth::whatif

namespace berth::api {
template <>
const Schema& schema_of<whatif::SetCapacity>();
}
