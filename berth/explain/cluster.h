// A cluster as it stands in a dump: what the scheduler's plugins would see if they ran now.
//
// Pods that have a node are placed, those that have ended are not, and pending ones with a nomination hold what they
// were promised. Objects may come in any order; of two with the same name the last counts. What hand-written manifests
// leave out is filled in: the namespace is "default", and the UID is the pod's name.
//
// The members are there to be changed: explain tries things out (a node more, a pod less) and puts them back, with the
// functions below. Not thread safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/api/object.h"
#include "berth/autoscaler/node_group.h"
#include "berth/base/error.h"
#include "berth/cache/cluster_objects.h"
#include "berth/cache/scheduler_cache.h"
#include "berth/explain/events.h"
#include "berth/explain/words.h"
#include "berth/framework/attempt.h"

namespace berth::explain {

struct Cluster {
  cache::SchedulerCache cache;
  cache::ClusterObjects objects;
  framework::NominatedPods nominated;
  ObjectEvents events;
  // All pods of the dump by "namespace/name".
  std::map<std::string, api::PodPtr, std::less<>> pods;
  // What no plugin reads, by kind, namespace and name: Deployments, DaemonSets, Jobs, node pools.
  std::map<std::tuple<std::string_view, std::string, std::string>, api::AnyObject> others;
  // Pods on nodes that are not in the dump, by name.
  std::vector<std::string> dangling;

  explicit Cluster(std::span<const api::AnyObject> dump);

  framework::ClusterView view() const { return {cache.nodes(), objects}; }

  // "namespace/name", or a name alone if it is in namespace "default" or in one namespace only. The error suggests a
  // name that was probably meant.
  Result<api::PodPtr> find_pod(std::string_view name) const;

  // Null if there is none; for kinds that are among the others.
  template <typename T>
  std::shared_ptr<const T> find_other(Symbol name_space, std::string_view name) const {
    const auto it = others.find({api::kind_of<T>().kind, name_space.str(), std::string(name)});
    return it == others.end() ? nullptr : it->second.template as<T>();
  }
  // Calls fn(const T&) in order of names.
  template <typename T, typename Fn>
  void for_each_other(Fn&& fn) const {
    const std::string_view kind = api::kind_of<T>().kind;
    for (auto it = others.lower_bound({kind, "", ""}); it != others.end() && std::get<0>(it->first) == kind; ++it) {
      if (const auto typed = it->second.template as<T>()) fn(*typed);
    }
  }

  // The groups of nodes that an autoscaler resizes, as far as the dump tells; worked out when first asked for.
  const std::vector<autoscaler::NodeGroup>& node_groups();

  // The rows of known nodes, in the natural order of their names.
  std::vector<cache::RowId> rows_by_name() const;
  std::string name_of(cache::RowId row) const { return cache.nodes().at(row).name.str(); }

 private:
  std::optional<std::vector<autoscaler::NodeGroup>> node_groups_;
  struct OrderedRow {
    cache::RowId row;
    Symbol name;
  };
  mutable std::vector<OrderedRow> ordered_;  // as rows_by_name() gave them last
};

// A pod with everything that the scheduler needs set: see above.
api::PodPtr with_identity(api::PodPtr pod);

// Calls fn() while the cluster is different, and returns what it returns.
template <typename Fn>
auto with_node(Cluster& cluster, const api::NodePtr& node, Fn&& fn) {
  const cache::RowId row = cluster.cache.nodes().row_of(Symbol(node->metadata.name));
  const api::NodePtr old = row == cache::kNoRow ? nullptr : cluster.cache.nodes().at(row).node;
  cluster.cache.set_node(node);
  auto result = fn();
  if (old != nullptr) {
    cluster.cache.set_node(old);
  } else {
    (void)cluster.cache.remove_node(*node);
  }
  return result;
}
// Requires: they are placed.
template <typename Fn>
auto without_pods(Cluster& cluster, std::span<const api::PodPtr> pods, Fn&& fn) {
  for (const api::PodPtr& pod : pods) (void)cluster.cache.remove(*pod);
  auto result = fn();
  for (const api::PodPtr& pod : pods) (void)cluster.cache.add(pod);
  return result;
}
// Requires: each names a node.
template <typename Fn>
auto with_pods(Cluster& cluster, std::span<const api::PodPtr> pods, Fn&& fn) {
  for (const api::PodPtr& pod : pods) (void)cluster.cache.add(pod);
  auto result = fn();
  for (const api::PodPtr& pod : pods) (void)cluster.cache.remove(*pod);
  return result;
}

}  // namespace berth::explain
