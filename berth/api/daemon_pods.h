// What the DaemonSet controller makes of its template: pods that tolerate what goes wrong with nodes, each for one
// node.
#pragma once

#include <vector>

#include "berth/api/node.h"
#include "berth/api/node_selector.h"
#include "berth/api/pod.h"

namespace berth::api {

// Those of the template, and those that the controller adds.
std::vector<Toleration> daemon_tolerations(const PodTemplate& spec);

// Only on that node: every term of the required affinity is replaced by one on the node's name, as upstream does.
PodTemplate daemon_template(const PodTemplate& spec, Symbol node);

// Whether the node is one that gets a pod; `affinity` is that of the template.
bool is_for_node(const RequiredNodeAffinity& affinity, const std::vector<Toleration>& daemon_tolerations,
                 const Node& node);

}  // namespace berth::api
