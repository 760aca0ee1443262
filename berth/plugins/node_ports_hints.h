// A pod that NodePorts rejected is woken by any new node, and when a pod goes that had one of its host ports.
#pragma once

#include <vector>

#include "berth/plugins/hint_support.h"

namespace berth::plugins {

struct NodePortsHintOptions {
  CompilePod compile;
};

HintAnswer node_ports_after_pod_delete(const api::Pod& pod, const EventObjects& objects,
                                       const NodePortsHintOptions& options);

std::vector<HintRegistration> node_ports_hints(Symbol profile, const NodePortsHintOptions& options);

}  // namespace berth::plugins
