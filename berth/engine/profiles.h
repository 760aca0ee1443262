// The profiles of the configuration, built from the plugins that are registered, each with its equivalence cache.
//
// Not thread safe. Requires: built once, before anything else is asked.
#pragma once

#include <memory>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/symbol.h"
#include "berth/engine/scheduler.h"
#include "berth/framework/equivalence_cache.h"
#include "berth/framework/profile.h"
#include "berth/framework/registry.h"
#include "berth/plugins/default_preemption.h"
#include "berth/queue/scheduling_queue.h"

namespace berth::engine {

struct ProfileInUse {
  std::unique_ptr<framework::Profile> profile;
  std::unique_ptr<framework::EquivalenceCache> memory;
};

class Profiles {
 public:
  // Adds what the queue has to know of the plugins (hints, PreEnqueue, QueueSort, profile names) to `queue_options`.
  // All references outlive the profiles.
  Result<void> build(const Options& options, const plugins::PreemptionsUnderWay& under_way,
                     const framework::ClusterView& view, queue::QueueOptions& queue_options);

  // Null if no profile has that name.
  ProfileInUse* find(Symbol scheduler_name);

 private:
  framework::PluginRegistry registry_;
  std::vector<ProfileInUse> profiles_;
};

}  // namespace berth::engine
