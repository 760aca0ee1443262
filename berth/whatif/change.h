// What is to be different about a cluster, and how that is done to a simulated one.
//
// A Changes value says it in the user's words. plan() finds the nodes and objects that are meant, before anything runs;
// carry_out() does it in steps, each when the cluster has come to rest after the one before: first what adds (nodes,
// objects, scaling), then what takes away.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/base/error.h"
#include "berth/explain/cluster.h"
#include "berth/sim/world.h"

namespace berth::whatif {

// Nodes like an existing one: of that name, or of a pool of that name.
struct NodesToAdd {
  std::string like;
  std::int64_t count = 0;
  api::NodePtr model;  // from a file, in place of `like`
};
struct Scaling {
  std::string kind;        // "deployment"
  std::string name_space;  // empty: the one namespace that has it
  std::string name;
  std::int32_t replicas = 0;

  // Of one whose kind and namespace are known: "shop/Deployment/web", and "scale Deployment shop/web to 5".
  std::string workload() const;
  std::string words() const;
};
struct Changes {
  std::vector<NodesToAdd> add_nodes;
  std::vector<api::AnyObject> apply;
  std::vector<Scaling> scale;
  // Nodes by name, by the name of their pool, or by a pattern with `*`.
  std::vector<std::string> drain;
  std::vector<std::string> remove;

  bool empty() const { return add_nodes.empty() && apply.empty() && scale.empty() && drain.empty() && remove.empty(); }
};

// "shop/Deployment/web", or "shop/debug" of a pod: what PodRecord::workload is for the pods of the object.
std::string workload_key(const api::AnyObject& object);

// "KIND/NAME=N" or "KIND/NAMESPACE/NAME=N"
Result<Scaling> parse_scaling(std::string_view text);
// "TEMPLATE=N"; the model is not looked up.
Result<NodesToAdd> parse_nodes_to_add(std::string_view text);

// At most so many nodes are added in one go: a typing error should not fill the memory.
inline constexpr std::int64_t kMaxNodesToAdd = 100'000;

// Nodes that one --drain or --remove means.
struct LeavingNodes {
  std::string subject;  // "n-1", "the pool gpu", "web-*"
  std::string words;    // what is done, as in Plan::words
  std::vector<std::string> nodes;
  bool removes = false;

  std::string_view noun() const { return removes ? "removal" : "drain"; }
};

struct Plan {
  std::vector<api::AnyObject> create;  // nodes, with the CSINodes and the daemons' pods that come with them
  std::vector<std::string> new_nodes;  // names
  std::vector<api::AnyObject> apply;
  std::vector<Scaling> scale;
  std::vector<std::string> drain;   // names of nodes
  std::vector<std::string> remove;  // names of nodes
  std::vector<std::string> words;   // what is done, each: "drain n-1 and n-2"
  std::vector<LeavingNodes> leaving;
  // Those of `words` that say what is applied and which nodes are added; empty if nothing is.
  std::string apply_words;
  std::string add_words;

  const LeavingNodes* find_leaving(const std::string& node) const;
  // Whether the workload ("shop/Deployment/web") or single pod ("shop/debug") is among the applied objects.
  bool applies(std::string_view workload) const;
  bool leaves(const std::string& node) const;  // it is drained or removed
};
// `cluster` is that of the dump, `dump` its objects.
Result<Plan> plan(const Changes& changes, const explain::Cluster& cluster, std::span<const api::AnyObject> dump);

// `settle` is called after each step and lets the world come to rest. `before_removal` is called when the nodes that
// are to be removed have been drained: pods that are still there leave by force.
Result<void> carry_out(const Plan& plan, sim::World& world, const std::function<void()>& settle,
                       const std::function<void()>& before_removal);

}  // namespace berth::whatif
