// The pod that an attempt is about, and the cluster as the plugins see it during the attempt.
#pragma once

#include <memory>

#include "berth/api/compiled_pod.h"
#include "berth/api/pod.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/node_table.h"

namespace berth::framework {

struct PodToPlace {
  api::PodPtr pod;
  std::shared_ptr<const api::CompiledPod> compiled;

  const api::Pod& operator*() const { return *pod; }
  const api::Pod* operator->() const { return pod.get(); }
};

// Nothing of it changes while an attempt runs. Both outlive every PodFilter and PodScorer made from it.
struct ClusterView {
  const cache::NodeTable& nodes;
  const cache::ClusterObjects& objects;
};

}  // namespace berth::framework
