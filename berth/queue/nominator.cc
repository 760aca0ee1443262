#include "berth/queue/nominator.h"

#include <algorithm>

namespace berth::queue {

void Nominator::add(const api::Pod& pod, const Nominating& nominating) {
  remove(pod.metadata.uid);
  Symbol node_name = nominating.node_name;
  if (nominating.mode == Nominating::Mode::kKeep) {
    node_name = pod.status.nominated_node_name;
    if (node_name.empty()) return;
  }
  if (node_name.empty() && !keeps_cleared_) return;
  if (find_pod_) {
    const api::PodPtr known = find_pod_(pod.metadata.name_space, pod.metadata.name);
    if (known == nullptr || !known->spec.node_name.empty()) return;
  }
  node_by_uid_[pod.metadata.uid] = node_name;
  by_node_[node_name].push_back(Nomination{pod.metadata.name_space, pod.metadata.name, pod.metadata.uid});
}

void Nominator::update(const api::Pod& old_pod, const api::Pod& new_pod) {
  Nominating nominating;
  // A nomination that only this process knows of (its status patch is under way) must survive an update of the pod that
  // does not carry it yet.
  if (old_pod.status.nominated_node_name.empty() && new_pod.status.nominated_node_name.empty()) {
    if (const auto found = node_by_uid_.find(old_pod.metadata.uid); found != node_by_uid_.end()) {
      nominating = {.mode = Nominating::Mode::kOverride, .node_name = found->second};
    }
  }
  remove(old_pod.metadata.uid);
  add(new_pod, nominating);
}

bool Nominator::remove(std::string_view uid) {
  const auto found = node_by_uid_.find(std::string(uid));
  if (found == node_by_uid_.end()) return false;
  const auto node = by_node_.find(found->second);
  std::erase_if(node->second, [uid](const Nomination& nomination) { return nomination.uid == uid; });
  if (node->second.empty()) by_node_.erase(node);
  node_by_uid_.erase(found);
  return true;
}

const std::vector<Nominator::Nomination>& Nominator::for_node(Symbol node_name) const {
  static const std::vector<Nomination> none;
  const auto found = by_node_.find(node_name);
  return found == by_node_.end() ? none : found->second;
}

Symbol Nominator::node_of(std::string_view uid) const {
  const auto found = node_by_uid_.find(std::string(uid));
  return found == node_by_uid_.end() ? Symbol() : found->second;
}

void Nominator::for_each(const std::function<void(Symbol, const Nomination&)>& fn) const {
  std::vector<Symbol> nodes;
  for (const auto& [node, nominations] : by_node_) nodes.push_back(node);
  std::ranges::sort(nodes, SymbolTextLess{});
  for (const Symbol node : nodes) {
    for (const Nomination& nomination : by_node_.at(node)) fn(node, nomination);
  }
}

}  // namespace berth::queue
