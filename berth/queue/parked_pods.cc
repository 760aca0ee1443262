#include "berth/queue/parked_pods.h"

#include <algorithm>
#include <bit>

#include "berth/base/check.h"
#include "berth/base/hash.h"

namespace berth::queue {

namespace {

// Doubly linked lists of classes in a group and of pods in a class.
template <typename Owner, typename Item>
void append(Owner& owner, Item& item, Item* Item::*before, Item* Item::*after) {
  item.*before = owner.last;
  item.*after = nullptr;
  (owner.last != nullptr ? owner.last->*after : owner.first) = &item;
  owner.last = &item;
}

template <typename Owner, typename Item>
void remove(Owner& owner, Item& item, Item* Item::*before, Item* Item::*after) {
  (item.*before != nullptr ? (item.*before)->*after : owner.first) = item.*after;
  (item.*after != nullptr ? (item.*after)->*before : owner.last) = item.*before;
  item.*before = item.*after = nullptr;
}

}  // namespace

std::size_t ParkedPods::KeyHash::operator()(const PodClassKey& key) const {
  std::uint64_t hash = key.name_space.id();
  for (const void* part : {key.spec, key.labels, key.claim_statuses, static_cast<const void*>(key.group)}) {
    hash = hash_combine(hash, std::bit_cast<std::uintptr_t>(part));
  }
  return hash;
}

ParkedGroup& ParkedPods::group_for(const QueuedPod& pod) {
  for (const auto& group : groups_) {
    if (group->profile == pod.profile() && group->unschedulable_plugins == pod.unschedulable_plugins &&
        group->pending_plugins == pod.pending_plugins && group->gating_plugin == pod.gating_plugin) {
      return *group;
    }
  }
  groups_.push_back(std::make_unique<ParkedGroup>(ParkedGroup{.profile = pod.profile(),
                                                              .unschedulable_plugins = pod.unschedulable_plugins,
                                                              .pending_plugins = pod.pending_plugins,
                                                              .gating_plugin = pod.gating_plugin}));
  return *groups_.back();
}

void ParkedPods::link(QueuedPod& pod) {
  BERTH_CHECK(pod.parked_in == nullptr, "{} is parked already", api::full_name(pod.pod->metadata));
  ParkedGroup& group = group_for(pod);
  const api::Pod& object = *pod.pod;
  const PodClassKey key{.name_space = object.metadata.name_space,
                        .spec = object.spec.shared.identity(),
                        .labels = object.metadata.labels.identity(),
                        .claim_statuses = object.status.resource_claim_statuses.identity(),
                        .group = &group};
  const auto [at, is_new] = classes_.try_emplace(key, nullptr);
  if (is_new) {
    at->second = class_pool_.make(ParkedClass{.key = key, .group = &group});
    append(group, *at->second, &ParkedClass::before, &ParkedClass::after);
  }
  append(*at->second, pod, &QueuedPod::parked_before, &QueuedPod::parked_after);
  pod.parked_in = at->second;
  by_waiting_time_.push(pod);
}

void ParkedPods::unlink(QueuedPod& pod) {
  BERTH_CHECK(pod.parked_in != nullptr, "{} is not parked", api::full_name(pod.pod->metadata));
  by_waiting_time_.erase(pod);
  ParkedClass& pods = *pod.parked_in;
  remove(pods, pod, &QueuedPod::parked_before, &QueuedPod::parked_after);
  pod.parked_in = nullptr;
  if (pods.first != nullptr) return;

  ParkedGroup& group = *pods.group;
  remove(group, pods, &ParkedClass::before, &ParkedClass::after);
  classes_.erase(pods.key);
  class_pool_.destroy(&pods);
  if (group.first != nullptr) return;
  std::erase_if(groups_, [&group](const auto& candidate) { return candidate.get() == &group; });
}

void ParkedPods::collect_waiting_longer(Duration limit, Instant now, std::vector<QueuedPod*>& into) const {
  const std::size_t first = into.size();
  by_waiting_time_.for_each_while([&](QueuedPod& pod) {
    if (now - pod.waits_since <= limit) return false;
    into.push_back(&pod);
    return true;
  });
  std::stable_sort(into.begin() + static_cast<std::ptrdiff_t>(first), into.end(),
                   [](const QueuedPod* a, const QueuedPod* b) { return a->waits_since < b->waits_since; });
}

Instant ParkedPods::longest_waits_since() const {
  return by_waiting_time_.empty() ? Instant() : by_waiting_time_.top().waits_since;
}

}  // namespace berth::queue
