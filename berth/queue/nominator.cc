#include "berth/queue/nominator.h"

#include <algorithm>

#include "berth/queue/rules.h"

namespace berth::queue {

bool Nominator::can_be_nominated(const api::Pod& pod) const {
  return !find_pod_ || rules_.can_be_nominated(find_pod_(pod.metadata.name_space, pod.metadata.name).get());
}

void Nominator::add(const api::Pod& pod, const Nominating& nominating, const QueuedPod* queued) {
  remove(pod.metadata.uid);
  Symbol node_name = nominating.node_name;
  if (nominating.mode == Nominating::Mode::kKeep) {
    node_name = pod.status.nominated_node_name;
    if (node_name.empty()) return;
  }
  if (node_name.empty() && !quirks_.cleared_nomination_stays) return;
  if (!can_be_nominated(pod)) return;
  ++version_;
  node_by_uid_[pod.metadata.uid] = node_name;
  std::vector<Nomination>& of_node = by_node_[node_name];
  // Only possible if one was left behind: see Quirks::replacement_keeps_nomination.
  if (std::ranges::find(of_node, pod.metadata.uid, &Nomination::uid) != of_node.end()) return;
  Nomination nomination{pod.metadata.name_space, pod.metadata.name, pod.metadata.uid};
  rules_.keep_pod(nomination, pod, queued);
  of_node.push_back(std::move(nomination));
}

void Nominator::update(const api::Pod& old_pod, const api::Pod& new_pod, const QueuedPod* queued) {
  Nominating nominating;
  // A nomination that only this process knows of (its status patch is under way) must survive an update of the pod that
  // does not carry it yet.
  if (old_pod.status.nominated_node_name.empty() && new_pod.status.nominated_node_name.empty()) {
    if (const auto found = node_by_uid_.find(old_pod.metadata.uid); found != node_by_uid_.end()) {
      nominating = {.mode = Nominating::Mode::kOverride, .node_name = found->second};
    }
  }
  remove(old_pod.metadata.uid);
  add(new_pod, nominating, queued);
}

bool Nominator::remove(std::string_view uid) {
  if (node_by_uid_.empty()) return false;  // as it mostly is
  const auto found = node_by_uid_.find(uid);
  if (found == node_by_uid_.end()) return false;
  ++version_;
  if (const auto node = by_node_.find(found->second); node != by_node_.end()) {
    const auto nomination = std::ranges::find(node->second, uid, &Nomination::uid);
    if (nomination != node->second.end()) node->second.erase(nomination);
    if (node->second.empty()) by_node_.erase(node);
  }
  node_by_uid_.erase(found);
  return true;
}

void Nominator::on_change(const QueuedPod& queued, const api::PodPtr& new_pod) {
  if (!rules_.follows_queued_pod) return;
  const bool is_replaced = queued.pod->metadata.uid != new_pod->metadata.uid;
  if (is_replaced && !quirks_.replacement_keeps_nomination) return;  // update() will find and replace it
  for (auto& [node, nominations] : by_node_) {
    for (Nomination& nomination : nominations) {
      if (nomination.queued != &queued) continue;
      ++version_;
      nomination.pod = new_pod;
      nomination.uid = new_pod->metadata.uid;
    }
  }
}

void Nominator::on_leaving(const QueuedPod& queued) {
  if (!rules_.follows_queued_pod) return;
  for (auto& [node, nominations] : by_node_) {
    for (Nomination& nomination : nominations) {
      if (nomination.queued == &queued) nomination.queued = nullptr;
    }
  }
}

void Nominator::on_return(const QueuedPod& queued) {
  if (node_by_uid_.contains(queued.uid())) ++version_;
}

const std::vector<Nominator::Nomination>& Nominator::for_node(Symbol node_name) const {
  static const std::vector<Nomination> none;
  const auto found = by_node_.find(node_name);
  return found == by_node_.end() ? none : found->second;
}

Symbol Nominator::node_of(std::string_view uid) const {
  const auto found = node_by_uid_.find(uid);
  return found == node_by_uid_.end() ? Symbol() : found->second;
}

void Nominator::for_each_node(FunctionRef<void(Symbol)> fn) const {
  for (const auto& [node, nominations] : by_node_) {
    if (!node.empty()) fn(node);
  }
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
