// A cluster of the benchmark with the default profile, and the calls that a measurement is made of: decide where a pod
// goes and assume it there; take the assumed pods off again.
//
// Sampling is off: every node is filtered, every feasible node scored. Of the best nodes the one with the lowest number
// is taken, which lets the outcome be compared with kube-scheduler's.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "bench/decide/cluster.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/scheduler_cache.h"
#include "berth/config/load.h"
#include "berth/framework/attempt.h"
#include "berth/framework/pod_to_place.h"
#include "berth/framework/profile.h"
#include "berth/framework/registry.h"

namespace berth::bench {

class Decider {
 public:
  Decider();
  virtual ~Decider() = default;

  cache::SchedulerCache& cache() { return cache_; }

  enum class OnRejection : std::uint8_t { kBeSilent, kTellWhy };
  // With or without a node for it, the outcome goes into order().
  void decide(const api::PodPtr& pod, OnRejection on_rejection = OnRejection::kBeSilent);
  void take_off();

  // A hash of all outcomes since it was last begun anew: names of nodes, and for pods that got none the message, or
  // "none" if it was not to be told.
  std::uint64_t order() const { return order_; }
  void begin_order() { order_ = 0; }

  // How often all plugins were asked about all nodes.
  virtual std::uint64_t full_evaluations() const = 0;

 protected:
  // What choose() found. Without a row, the other two say why.
  struct Choice {
    cache::RowId row = cache::kNoRow;
    const framework::PreFilterResult* pre_filter = nullptr;
    const framework::FilterResult* filtered = nullptr;
  };
  // What the choice refers to stays valid until the next one.
  virtual Choice choose(const framework::PodToPlace& pod) = 0;

  const framework::Profile& profile() const { return *profile_; }
  framework::ClusterView view() const { return {cache_.nodes(), objects_}; }
  const framework::NominatedPods& nominated() const { return nominated_; }

 private:
  void note(std::string_view outcome);

  cache::SchedulerCache cache_;
  cache::ClusterObjects objects_;
  // What the profile's plugins are built from has to stay.
  config::FeatureGates gates_;
  config::LoadedConfig configuration_;
  framework::PluginRegistry registry_;
  framework::NominatedPods nominated_;
  std::unique_ptr<framework::Profile> profile_;
  std::vector<api::PodPtr> assumed_;
  std::uint64_t order_ = 0;
};

enum class Way : std::uint8_t {
  kPlain,       // asks about every node anew for every pod: berth/framework/attempt.h
  kRemembered,  // berth/framework/equivalence_cache.h
};
std::unique_ptr<Decider> make_decider(Way way);

// A cluster of that many nodes with pods of one kind on them.
std::unique_ptr<Decider> make_cluster(Way way, std::size_t nodes, const PodMaker& pods);

}  // namespace berth::bench
