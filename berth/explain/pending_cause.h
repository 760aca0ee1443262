// The cause for which a pod is pending, in a few words: what pods of different workloads have in common, and what a
// list of all pending pods is grouped by.
#pragma once

#include <string>

#include "berth/api/pod.h"
#include "berth/explain/cluster.h"
#include "berth/explain/explanation.h"

namespace berth::explain {

struct Cause {
  Symbol answer;       // the explanation's
  std::string title;   // "not enough free cpu"
  Symbol plugin;       // whose verdict it is; empty if it is not a plugin's
  std::string reason;  // in kube-scheduler's words; empty if there are none
};

// Of pods that fit on no node it is what keeps them off most nodes, which the sentence about them names first.
Cause cause_of(const Explanation& explanation, const api::PodPtr& pod, Cluster& cluster);

// What the containers of a pod that has a node wait for, in the kubelet's words: "ImagePullBackOff". May be empty.
std::string waiting_reasons(const api::Pod& pod);

}  // namespace berth::explain
