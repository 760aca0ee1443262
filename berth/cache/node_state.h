// A node as plugins see it: the object, what its pods take up, and the pods.
//
// A plain value. The node table owns one per row; a dry run (preemption, nominated pods, explain's what-if) copies one,
// adds and removes pods on the copy and asks the plugins about that. What belongs to the whole cluster (topology
// domains, image counts) is found by `row`.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "berth/api/compiled_pod.h"
#include "berth/api/node.h"
#include "berth/api/pod.h"
#include "berth/api/pod_requests.h"
#include "berth/cache/pod_class.h"

namespace berth::cache {

struct PlacedPod {
  api::PodPtr pod;
  std::shared_ptr<const api::CompiledPod> compiled;
  PodClass* pod_class = nullptr;  // null on copies made for dry runs, for pods that are not placed there
};

struct NodeState {
  Symbol name;
  RowId row = kNoRow;
  // Null while pods are known to be on a node that is not, or no more, known itself.
  api::NodePtr node;

  api::ResourceVector allocatable;
  api::ResourceVector requested;
  std::int64_t non_zero_milli_cpu = 0;
  std::int64_t non_zero_memory = 0;

  // In the order in which they came; removing one puts the last in its place.
  std::vector<PlacedPod> pods;
  // With repetitions, where pods of one port (or one claim) are there at once.
  std::vector<api::HostPort> used_ports;

  const api::Labels& labels() const { return *node->metadata.labels; }

  void set_node(api::NodePtr new_node);
  void add_pod(PlacedPod pod);
  // Finds the pod by UID. Returns it, or one without a pod if it is not here.
  PlacedPod remove_pod(std::string_view uid);
};

}  // namespace berth::cache
