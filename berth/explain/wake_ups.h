// Which events make the scheduler look at a pod again, in words: what its rejecting plugins registered for, narrowed to
// what their queueing hints let through for this pod. "a pod with app=redis in namespace default is bound", not "a pod
// is added".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/api/compiled_pod.h"
#include "berth/api/pod.h"
#include "berth/explain/cluster.h"
#include "berth/explain/diagnosis.h"
#include "berth/explain/explanation.h"
#include "berth/framework/profile.h"

namespace berth::explain {

// What is known of the nodes that rejected the pod; empty where nothing is.
struct WakeDetails {
  std::string shortage;               // "nearest: n-1, lacks 300m cpu"
  std::vector<std::string> cordoned;  // nodes
  std::vector<std::string> taints;    // that the pod does not tolerate
  std::vector<std::string> avoiders;  // pods whose anti-affinity keeps it away
  bool knows_avoiders = false;
};
WakeDetails wake_details(const Cluster& cluster, const Evaluation& evaluation, const Diagnosis& diagnosis);

// Sorted by plugin. A plugin that registered for nothing is asked again after every event. What can do nothing for the
// pod because it asks for none of it (device classes) is left out of the sentence.
std::vector<WakeUp> wake_ups(const framework::Profile& profile, std::span<const Symbol> rejecting_plugins,
                             const api::Pod& pod, const api::CompiledPod& compiled, const WakeDetails& details = {});

}  // namespace berth::explain
