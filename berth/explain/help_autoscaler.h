// Whether an autoscaler can add the node that a pod needs: for each group of nodes that one resizes, the nodes that it
// could add are tried out with the profile's own plugins, zone by zone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/explain/cluster.h"
#include "berth/explain/evaluation.h"
#include "berth/explain/explanation.h"
#include "berth/explain/help_search.h"

namespace berth::explain {

// Why no autoscaler looks at the pod, whatever its groups; nothing if they do, or if there is none.
std::optional<std::string> ignored_by_autoscalers(Cluster& cluster, const api::Pod& pod, bool preempts);

// What each group says to the pod, those that can help first; nothing if there are no groups. A suggestion goes to the
// search: the first group that helps or, if none does, a maximum or a limit to raise.
std::vector<Autoscaling> ask_autoscalers(HelpSearch& search);

}  // namespace berth::explain
