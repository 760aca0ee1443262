#include "berth/explain/daemon_set.h"

#include <fmt/format.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/api/daemon_pods.h"
#include "berth/explain/explain.h"
#include "berth/explain/words.h"

namespace berth::explain {

namespace {

constexpr std::size_t kNodesNamed = 5;

// The nodes of the pods that the DaemonSet has.
std::set<std::string> nodes_with_pods(const Cluster& cluster, const api::DaemonSet& set, Symbol name_space) {
  static const Symbol daemon_set("DaemonSet");
  std::set<std::string> nodes;
  for (const auto& [name, pod] : cluster.pods) {
    const api::OwnerReference* owner = api::controller_of(pod->metadata);
    if (owner == nullptr || owner->kind != daemon_set || owner->name != set.metadata.name) continue;
    if (pod->metadata.name_space != name_space || pod->spec.node_name.empty() || api::is_terminal(*pod)) continue;
    nodes.insert(pod->spec.node_name.str());
  }
  return nodes;
}

api::PodPtr pod_for(const api::PodPtr& pod, const std::string& node) {
  auto own = std::make_shared<api::Pod>(*pod);
  own->spec.shared = Interned<api::PodTemplate>(api::daemon_template(*pod->spec.shared, Symbol(node)));
  return own;
}

}  // namespace

Result<Explanation> explain_daemon_set(Cluster& cluster, const api::DaemonSet& set, const api::PodPtr& pod,
                                       const config::LoadedConfig& config, const config::FeatureGates& gates) {
  const api::RequiredNodeAffinity affinity(*pod->spec.shared);
  const std::vector<api::Toleration> tolerations = api::daemon_tolerations(*pod->spec.shared);
  const std::set<std::string> have = nodes_with_pods(cluster, set, pod->metadata.name_space);
  std::vector<std::string> meant, lacking;
  for (const cache::RowId row : cluster.rows_by_name()) {
    const api::NodePtr& node = cluster.cache.nodes().at(row).node;
    if (node == nullptr || !api::is_for_node(affinity, tolerations, *node)) continue;
    meant.push_back(node->metadata.name);
    if (!have.contains(node->metadata.name)) lacking.push_back(node->metadata.name);
  }
  const std::string title = fmt::format("DaemonSet/{}", set.metadata.name);
  // One look at all nodes says which of them can take it; then one at the first that cannot.
  auto all = explain(cluster, pod, config, gates);
  if (!all) return fail(all.error());
  const bool fits_somewhere = all->answer == answer::kFits;
  if (!fits_somewhere && all->answer != answer::kUnschedulable && all->answer != answer::kPreempts) return all;
  std::set<std::string> rejecting;
  for (const NodeGroup& group : all->groups) rejecting.insert(group.nodes.begin(), group.nodes.end());
  std::vector<std::string> can, cannot;
  for (const std::string& node : lacking) {
    (fits_somewhere && !rejecting.contains(node) ? can : cannot).push_back(node);
  }
  Explanation result = *std::move(all);
  if (!cannot.empty()) {
    auto first = explain(cluster, pod_for(pod, cannot.front()), config, gates);
    if (!first) return fail(first.error());
    result = *std::move(first);
  }
  result.pod = api::full_name(pod->metadata);
  result.nodes = static_cast<std::int64_t>(cluster.cache.nodes().node_count());
  result.feasible_nodes = std::ssize(can);
  const std::string nodes_text = meant.size() == 1 ? "the 1 node" : fmt::format("the {} nodes", meant.size());
  if (meant.empty()) {
    result.answer = Symbol(answer::kUnschedulable);
    result.sentence = fmt::format(
        "{} would have no pod: its node selector, its affinity and the nodes' taints leave none of {} nodes.", title,
        result.nodes);
    return result;
  }
  std::string standing =
      have.empty() ? ""
                   : fmt::format("; {} it already", have.size() == 1 ? "1 has" : fmt::format("{} have", have.size()));
  if (cannot.empty()) {
    result.answer = Symbol(answer::kFits);
    result.sentence = lacking.empty()
                          ? fmt::format("{} has its pod on all {} that it is for.", title, nodes_text.substr(4))
                          : fmt::format("{}: {} of {} that it is for can take its pod: {}{}.", title, can.size(),
                                        nodes_text, listed(can, kNodesNamed), standing);
    return result;
  }
  result.sentence = fmt::format("{}: {} of {} that it is for cannot take its pod: {}{}. {}", title, cannot.size(),
                                nodes_text, listed(cannot, kNodesNamed), standing, result.sentence);
  return result;
}

}  // namespace berth::explain
