// Pods and nodes as they would be with one thing changed, for trying out what would help.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/node.h"
#include "berth/api/pod.h"
#include "berth/api/storage.h"
#include "berth/explain/cluster.h"
#include "berth/explain/facts.h"

namespace berth::explain {

// The pod with a changed template: change(api::PodTemplate&).
template <typename Change>
api::PodPtr changed_pod(const api::Pod& pod, Change&& change) {
  api::PodTemplate spec = *pod.spec.shared;
  change(spec);
  api::Pod changed = pod;
  changed.spec.shared = Interned<api::PodTemplate>(std::move(spec));
  return std::make_shared<const api::Pod>(std::move(changed));
}

// Lowers what the pod asks for to `target` in all, taking from the containers that ask for most.
void lower_request(api::PodTemplate& spec, Symbol resource, std::int64_t target);
// Takes the demand out, or exchanges its value.
void drop_demand(api::PodTemplate& spec, const Demand& demand);
void replace_demand(api::PodTemplate& spec, const Demand& demand, Symbol key, Symbol value);

// The same as a change that sets what each container asks for, by its name: for the template of the pod's owner.
std::function<void(api::PodTemplate&)> lower_requests_to(const api::PodTemplate& pod,
                                                         std::span<const std::pair<Symbol, std::int64_t>> targets);

void remove_cordon(api::Node& node);
void set_label(api::Node& node, Symbol key, Symbol value);

// A new node like an existing one, healthy and in use by nothing but what every node of its kind runs: the pods of its
// DaemonSets.
struct NewNode {
  api::NodePtr node;
  std::vector<api::PodPtr> pods;
  std::shared_ptr<const api::CsiNode> csi_node = {};  // as that of the existing node; null if it has none
};
NewNode new_node_like(const Cluster& cluster, const cache::NodeState& model, std::size_t number);

// Nodes of one kind: of the same pool, or with the same allocatable resources where no label names a pool.
struct Pool {
  std::string name;  // empty if no label names it
  std::vector<cache::RowId> rows;
  cache::RowId model = cache::kNoRow;  // a healthy one of them, if there is one
};
std::vector<Pool> pools_of(const Cluster& cluster);

}  // namespace berth::explain
