#include "berth/api/daemon_pods.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "berth/api/taint.h"

namespace berth::api {

namespace {

struct Tolerated {
  std::string_view key;
  std::string_view effect;
};
constexpr std::array kTolerated = {
    Tolerated{"node.kubernetes.io/not-ready", "NoExecute"},
    Tolerated{"node.kubernetes.io/unreachable", "NoExecute"},
    Tolerated{"node.kubernetes.io/disk-pressure", "NoSchedule"},
    Tolerated{"node.kubernetes.io/memory-pressure", "NoSchedule"},
    Tolerated{"node.kubernetes.io/pid-pressure", "NoSchedule"},
    Tolerated{"node.kubernetes.io/unschedulable", "NoSchedule"},
};
constexpr Tolerated kOnHostNetwork{"node.kubernetes.io/network-unavailable", "NoSchedule"};

}  // namespace

std::vector<Toleration> daemon_tolerations(const PodTemplate& spec) {
  std::vector<Toleration> all = spec.tolerations;
  const auto add = [&](const Tolerated& each) {
    const Toleration toleration{.key = Symbol(each.key),
                                .op = Symbol("Exists"),
                                .value = {},
                                .effect = Symbol(each.effect),
                                .toleration_seconds = {}};
    if (std::ranges::find(all, toleration) == all.end()) all.push_back(toleration);
  };
  for (const Tolerated& each : kTolerated) add(each);
  if (spec.host_network) add(kOnHostNetwork);
  return all;
}

PodTemplate daemon_template(const PodTemplate& spec, Symbol node) {
  PodTemplate own = spec;
  own.tolerations = daemon_tolerations(spec);
  if (!own.affinity) own.affinity.emplace();
  if (!own.affinity->node_affinity) own.affinity->node_affinity.emplace();
  NodeSelectorTerm term;
  term.match_fields.push_back({.key = Symbol("metadata.name"), .op = Symbol("In"), .values = {node}});
  own.affinity->node_affinity->required = NodeSelector{{std::move(term)}};
  return own;
}

bool is_for_node(const RequiredNodeAffinity& affinity, const std::vector<Toleration>& daemon_tolerations,
                 const Node& node) {
  if (!affinity.matches(node.metadata.name, *node.metadata.labels)) return false;
  return find_untolerated_taint(node.spec.taints, daemon_tolerations) == nullptr;
}

}  // namespace berth::api
