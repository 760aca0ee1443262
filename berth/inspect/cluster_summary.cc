#include "berth/inspect/cluster_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "berth/api/kinds.h"
#include "berth/api/pod_requests.h"
#include "berth/api/pod_workload.h"

namespace berth::api {

template <>
const Schema& schema_of<inspect::ResourceSummary>() {
  using R = inspect::ResourceSummary;
  static const Schema schema("ResourceSummary", {
                                                    field<&R::name>("name", 0, kAlways),
                                                    field<&R::allocatable>("allocatable", 0, kAlways),
                                                    field<&R::requested>("requested", 0, kAlways),
                                                });
  return schema;
}

template <>
const Schema& schema_of<inspect::PoolSummary>() {
  using P = inspect::PoolSummary;
  static const Schema schema("PoolSummary", {
                                                field<&P::name>("name", 0, kAlways),
                                                field<&P::label>("label", 0),
                                                field<&P::nodes>("nodes", 0, kAlways),
                                                field<&P::ready>("ready", 0, kAlways),
                                                field<&P::cordoned>("cordoned", 0, kAlways),
                                                field<&P::tainted>("tainted", 0, kAlways),
                                                field<&P::pods>("pods", 0, kAlways),
                                                field<&P::resources>("resources", 0),
                                            });
  return schema;
}

template <>
const Schema& schema_of<inspect::PhaseSummary>() {
  using P = inspect::PhaseSummary;
  static const Schema schema("PhaseSummary", {
                                                 field<&P::phase>("name", 0, kAlways),
                                                 field<&P::pods>("count", 0, kAlways),
                                             });
  return schema;
}

template <>
const Schema& schema_of<inspect::ClassSummary>() {
  using C = inspect::ClassSummary;
  static const Schema schema("ClassSummary", {
                                                 field<&C::name_space>("namespace", 0, kAlways),
                                                 field<&C::owner>("owner", 0, kAlways),
                                                 field<&C::pods>("pods", 0, kAlways),
                                                 field<&C::pending>("pending", 0, kAlways),
                                                 field<&C::priority>("priority", 0, kAlways),
                                                 field<&C::requests>("requests", 0),
                                             });
  return schema;
}

template <>
const Schema& schema_of<inspect::PendingSummary>() {
  using P = inspect::PendingSummary;
  static const Schema schema("PendingSummary", {
                                                   field<&P::pod>("pod", 0, kAlways),
                                                   field<&P::waits_for>("waitsFor", 0),
                                               });
  return schema;
}

template <>
const Schema& schema_of<inspect::ClusterSummary>() {
  using C = inspect::ClusterSummary;
  static const Schema schema("ClusterSummary", {
                                                   field<&C::nodes>("nodes", 0, kAlways),
                                                   field<&C::pods>("pods", 0, kAlways),
                                                   field<&C::pools>("pools", 0),
                                                   field<&C::phases>("phases", 0),
                                                   field<&C::classes>("classes", 0),
                                                   field<&C::pending>("pending", 0),
                                                   field<&C::dangling>("dangling", 0),
                                                   field<&C::other>("otherObjects", 0),
                                               });
  return schema;
}

}  // namespace berth::api

namespace berth::inspect {

namespace {

// What the common installers and clouds call a pool. The first that a node has names its pool.
constexpr std::array<std::string_view, 7> kPoolLabels = {
    "karpenter.sh/nodepool",           "cloud.google.com/gke-nodepool", "eks.amazonaws.com/nodegroup",
    "kubernetes.azure.com/agentpool",  "node.kubernetes.io/pool",       "pool",
    "node.kubernetes.io/instance-type"};

struct PoolName {
  Symbol label;
  std::string name;
};

PoolName pool_of(const api::Node& node) {
  for (const std::string_view label : kPoolLabels) {
    if (const Symbol* value = node.metadata.labels->find(Symbol(label))) return {Symbol(label), value->str()};
  }
  return {Symbol(), "(no pool label)"};
}

// A node that says nothing about it, in a manifest by hand, is taken to be ready.
bool is_ready(const api::Node& node) {
  const api::NodeCondition* ready = api::find_condition(node, Symbol("Ready"));
  return ready == nullptr || ready->status == "True";
}

bool keeps_pods_away(const api::Node& node) {
  return std::ranges::any_of(node.spec.taints, [](const api::Taint& taint) {
    return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
  });
}

// Whether a pod is one of those that every node has of its own. Each names its node, in its affinity or its name; but
// for that they are the same.
bool is_of_its_node(const api::Pod& pod) {
  const api::OwnerReference* owner = api::controller_of(pod.metadata);
  return owner != nullptr && (owner->kind == "DaemonSet" || owner->kind == "Node");
}

// Static pods are owned by their node and named after it.
std::string owner_of(const api::Pod& pod) {
  const auto workload = api::workload_of(pod);
  if (!workload) return "pod " + pod.metadata.name;
  if (workload->kind == "Node" && pod.metadata.name.ends_with("-" + workload->name)) {
    return "static pod " + pod.metadata.name.substr(0, pod.metadata.name.size() - workload->name.size() - 1);
  }
  return workload->kind.str() + " " + workload->name;
}

std::string waits_for(const api::Pod& pod) {
  if (!pod.spec->scheduling_gates.empty()) {
    std::string gates = "scheduling gates:";
    for (const api::PodSchedulingGate& gate : pod.spec->scheduling_gates) gates += " " + gate.name.str();
    return gates;
  }
  const api::PodCondition* scheduled = api::find_condition(pod, Symbol("PodScheduled"));
  return scheduled != nullptr ? scheduled->message : "";
}

class Summary {
 public:
  ClusterSummary of(const std::vector<api::AnyObject>& objects) {
    std::map<std::string, std::int64_t> other;
    for (const api::AnyObject& object : objects) {
      if (const api::NodePtr node = object.as<api::Node>()) add_node(*node);
    }
    for (const api::AnyObject& object : objects) {
      if (const api::PodPtr pod = object.as<api::Pod>()) {
        add_pod(*pod);
      } else if (object.as<api::Node>() == nullptr) {
        ++other[std::string(object.kind().kind)];
      }
    }
    for (auto& [name, pool] : pools_) result_.pools.push_back(finish(pool));
    for (const auto& [phase, pods] : phases_) result_.phases.push_back({phase, pods});
    for (auto& [key, row] : classes_) result_.classes.push_back(std::move(row));
    for (const auto& [kind, count] : other) result_.other.push_back({kind, count});
    std::ranges::sort(result_.phases, {}, [](const PhaseSummary& row) { return std::tuple(-row.pods, row.phase); });
    std::ranges::sort(result_.classes, {},
                      [](const ClassSummary& row) { return std::tuple(-row.pods, row.name_space, row.owner); });
    std::ranges::sort(result_.pending, {}, &PendingSummary::pod);
    std::ranges::sort(result_.dangling);
    return std::move(result_);
  }

 private:
  struct Pool {
    PoolSummary summary;
    api::ResourceList allocatable;
    api::ResourceList requested;
  };

  void add_node(const api::Node& node) {
    ++result_.nodes;
    const PoolName name = pool_of(node);
    Pool& pool = pools_[name.name];
    pool.summary.name = name.name;
    pool.summary.label = name.label;
    ++pool.summary.nodes;
    pool.summary.ready += is_ready(node) ? 1 : 0;
    pool.summary.cordoned += node.spec.unschedulable ? 1 : 0;
    pool.summary.tainted += keeps_pods_away(node) ? 1 : 0;
    for (const auto& [resource, quantity] : node.status.allocatable) pool.allocatable[resource] += quantity;
    pool_of_node_[node.metadata.name] = &pool;
  }

  void add_pod(const api::Pod& pod) {
    ++result_.pods;
    ++phases_[pod.status.phase.empty() ? "(no phase)" : pod.status.phase.str()];
    const api::ResourceList requests = api::pod_requests(*pod.spec, pod.status, {.use_status = true});
    add_to_class(pod, requests);
    if (api::is_terminal(pod)) return;
    if (pod.spec.node_name.empty()) {
      result_.pending.push_back({api::full_name(pod.metadata), waits_for(pod)});
      return;
    }
    const auto found = pool_of_node_.find(pod.spec.node_name.str());
    if (found == pool_of_node_.end()) {
      result_.dangling.push_back(api::full_name(pod.metadata) + " on " + pod.spec.node_name.str());
      return;
    }
    ++found->second->summary.pods;
    for (const auto& [resource, quantity] : requests) found->second->requested[resource] += quantity;
  }

  void add_to_class(const api::Pod& pod, const api::ResourceList& requests) {
    const std::string owner = owner_of(pod);
    std::string asked;
    for (const auto& [resource, quantity] : requests) asked += fmt::format("{}={} ", resource.text(), quantity.str());
    const void* pod_template = is_of_its_node(pod) ? nullptr : pod.spec.shared.identity();
    ClassSummary& row = classes_[{pod.metadata.name_space.str(), owner, asked, pod_template}];
    row.name_space = pod.metadata.name_space.str();
    row.owner = owner;
    row.priority = api::priority_of(pod);
    if (row.pods == 0) row.requests = requests;
    ++row.pods;
    row.pending += pod.spec.node_name.empty() && !api::is_terminal(pod) ? 1 : 0;
  }

  static PoolSummary finish(Pool& pool) {
    static const Symbol cpu("cpu"), memory("memory"), pods("pods");
    pool.requested[pods] = api::Quantity::from_units(pool.summary.pods);
    const auto add = [&pool](Symbol resource) {
      const api::Quantity* offered = pool.allocatable.find(resource);
      const api::Quantity* asked = pool.requested.find(resource);
      pool.summary.resources.push_back(
          {resource, offered != nullptr ? *offered : api::Quantity(), asked != nullptr ? *asked : api::Quantity()});
    };
    for (const Symbol resource : {cpu, memory, pods}) add(resource);
    for (const auto& [resource, quantity] : pool.allocatable) {
      if (resource != cpu && resource != memory && resource != pods && !quantity.is_zero()) add(resource);
    }
    return std::move(pool.summary);
  }

  ClusterSummary result_;
  std::map<std::string, Pool> pools_;
  std::map<std::string, Pool*> pool_of_node_;
  std::map<std::string, std::int64_t> phases_;
  // By namespace, owner, requests and template: a Deployment in the middle of a rollout has two.
  std::map<std::tuple<std::string, std::string, std::string, const void*>, ClassSummary> classes_;
};

}  // namespace

ClusterSummary summarize(const std::vector<api::AnyObject>& objects) {
  return Summary().of(objects);
}

}  // namespace berth::inspect
