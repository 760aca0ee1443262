#include "berth/cache/node_state.h"

#include <algorithm>
#include <utility>

namespace berth::cache {

void NodeState::set_node(api::NodePtr new_node) {
  node = std::move(new_node);
  allocatable = node ? api::ResourceVector(node->status.allocatable) : api::ResourceVector();
}

void NodeState::add_pod(PlacedPod placed) {
  const api::PodUsage usage = api::usage_of(*placed.pod, *placed.compiled);
  requested += usage.requested;
  non_zero_milli_cpu += usage.non_zero_milli_cpu;
  non_zero_memory += usage.non_zero_memory;
  used_ports.insert(used_ports.end(), placed.compiled->host_ports.begin(), placed.compiled->host_ports.end());
  pods.push_back(std::move(placed));
}

PlacedPod NodeState::remove_pod(std::string_view uid) {
  const auto it = std::find_if(pods.begin(), pods.end(),
                               [uid](const PlacedPod& placed) { return placed.pod->metadata.uid == uid; });
  if (it == pods.end()) return {};
  std::swap(*it, pods.back());
  PlacedPod removed = std::move(pods.back());
  pods.pop_back();

  const api::PodUsage usage = api::usage_of(*removed.pod, *removed.compiled);
  requested -= usage.requested;
  non_zero_milli_cpu -= usage.non_zero_milli_cpu;
  non_zero_memory -= usage.non_zero_memory;
  for (const api::HostPort& port : removed.compiled->host_ports) {
    used_ports.erase(std::find(used_ports.begin(), used_ports.end(), port));
  }
  return removed;
}

}  // namespace berth::cache
