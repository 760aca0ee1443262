// Places pods like a given one into a cluster, one at a time, where the scheduler would put each. For the answers about
// capacity of this folder.
//
// Several fillers may take turns on one cluster: each sees what the others have placed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "berth/base/rng.h"
#include "berth/explain/cluster.h"
#include "berth/explain/explanation.h"
#include "berth/explain/probe.h"
#include "berth/framework/equivalence_cache.h"
#include "berth/framework/profile.h"
#include "berth/whatif/capacity.h"

namespace berth::whatif {

class Filler {
 public:
  // All outlive it; the cluster is changed. `first` is the first pod that the probe has made. `number` tells the
  // instances of several fillers apart.
  Filler(explain::Cluster& cluster, explain::Probe& probe, api::PodPtr first, const framework::Profile& profile,
         const CapacityOptions& options, std::size_t number = 0);

  struct Outcome {
    Symbol node;                       // empty: there is none, and the rest says why
    api::PodPtr pod;                   // that was placed
    std::vector<std::string> victims;  // that had to go
    Symbol stop;
    std::string message;
    std::string headline;  // behind "The pod ": "fits on none of the 6 nodes: ..."; empty if nobody knows
    std::vector<explain::NodeGroup> groups;
  };
  Outcome place_next();

 private:
  // The error is the API server's.
  Result<api::PodPtr> make_instance();
  // Sets the node, or why there is none.
  void find_node(const framework::PodToPlace& next, Outcome& outcome);
  void explain_end(const framework::PodToPlace& next, Outcome& outcome);
  void place(const framework::PodToPlace& next, Outcome& outcome);

  explain::Cluster& cluster_;
  explain::Probe& probe_;
  api::PodPtr first_;  // unless it was taken
  const framework::Profile& profile_;
  const CapacityOptions& options_;
  std::size_t number_;
  framework::EquivalenceCache memory_;
  Rng rng_;
};

// The profile that the pod asks for. The error: there is none, or it cannot be built.
Result<std::unique_ptr<framework::Profile>> profile_for(const api::Pod& pod, const report::Settings& settings,
                                                        const cache::ClusterObjects& objects);

}  // namespace berth::whatif
