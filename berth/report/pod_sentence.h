// Why a pod of a simulated world is pending, in the sentences of berth/explain: the cluster is taken from the world's
// API server as it is now, and the pod goes through the same plugins that the scheduler runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "berth/api/pod.h"
#include "berth/base/error.h"
#include "berth/config/feature_gates.h"
#include "berth/config/load.h"
#include "berth/explain/cluster.h"
#include "berth/explain/explanation.h"
#include "berth/sim/world.h"

namespace berth::report {

// What the world's scheduler runs with.
struct Settings {
  config::LoadedConfig config = config::default_config();
  config::FeatureGates gates;
};

// Everything that the API server has, as a dump of it would be.
std::unique_ptr<explain::Cluster> cluster_of(const sim::ApiServer& api);

// What is known of a pod's last try; empty if nothing is.
struct LastTry {
  Instant at;
  std::string message;
  bool was_rejected = false;
};
LastTry last_try_of(const sim::World& world, const api::Pod& pod);

// The sentence of an explanation, set right by what the scheduler itself found: explain knows kube-scheduler's plugins
// and the cluster as it is now; a scenario's own plugin, or a change since the last try, shows only there.
std::string sentence_of(const Result<explain::Explanation>& explanation, const LastTry& last, std::string_view pod,
                        Instant epoch);

// `pod_name` is "namespace/name". A pod that is not there gets a sentence that says so. Makes a cluster for each call:
// to ask about many pods, see pending.h.
std::string pod_sentence(const sim::World& world, std::string_view pod_name, const Settings& settings = {});

}  // namespace berth::report
