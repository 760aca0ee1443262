#include "berth/queue/unschedulable_pods.h"

#include <algorithm>
#include <bit>

#include "berth/base/check.h"
#include "berth/base/hash.h"

namespace berth::queue {

namespace {

void append(UnschedulableGroup& group, UnschedulableClass& pods) {
  pods.before = group.last;
  pods.after = nullptr;
  (group.last != nullptr ? group.last->after : group.first) = &pods;
  group.last = &pods;
}

void remove(UnschedulableGroup& group, UnschedulableClass& pods) {
  (pods.before != nullptr ? pods.before->after : group.first) = pods.after;
  (pods.after != nullptr ? pods.after->before : group.last) = pods.before;
}

void append(UnschedulableClass& pods, QueuedPod& pod) {
  pod.unschedulable_class = &pods;
  pod.after_in_class = nullptr;
  if (pods.first == nullptr) {
    pods.first = pod.before_in_class = &pod;
    return;
  }
  pod.before_in_class = pods.first->before_in_class;
  pod.before_in_class->after_in_class = &pod;
  pods.first->before_in_class = &pod;
}

void remove(UnschedulableClass& pods, QueuedPod& pod) {
  if (pods.first == &pod) {
    pods.first = pod.after_in_class;
  } else {
    pod.before_in_class->after_in_class = pod.after_in_class;
  }
  // Whoever stands behind gets the pod's predecessor; behind the last one stands the first one's.
  QueuedPod* behind = pod.after_in_class != nullptr ? pod.after_in_class : pods.first;
  if (behind != nullptr) behind->before_in_class = pod.before_in_class;
  pod.unschedulable_class = nullptr;
  pod.before_in_class = pod.after_in_class = nullptr;
}

}  // namespace

UnschedulablePods::ClassKey UnschedulablePods::key_of(const QueuedPod& pod, std::uint32_t group_number) {
  const api::Pod& object = *pod.pod;
  return {.name_space = object.metadata.name_space,
          .spec = object.spec.shared.identity(),
          .labels = object.metadata.labels.identity(),
          .claim_statuses = object.status.resource_claim_statuses.identity(),
          .group_number = group_number};
}

std::uint32_t UnschedulablePods::hash_of(const ClassKey& key) {
  std::uint64_t hash = hash_combine(key.name_space.id(), key.group_number);
  for (const void* part : {key.spec, key.labels, key.claim_statuses}) {
    hash = hash_combine(hash, std::bit_cast<std::uintptr_t>(part));
  }
  return static_cast<std::uint32_t>(hash);
}

UnschedulablePods::Groups::const_iterator UnschedulablePods::find_group(std::uint32_t number) const {
  return std::ranges::find(groups_, number, [](const auto& group) { return group->number; });
}

UnschedulableGroup& UnschedulablePods::group_for(const QueuedPod& pod) {
  for (const auto& group : groups_) {
    if (group->profile == pod.profile() && group->unschedulable_plugins == pod.unschedulable_plugins &&
        group->pending_plugins == pod.pending_plugins && group->gating_plugin == pod.gating_plugin) {
      return *group;
    }
  }
  do {
    ++last_group_number_;
  } while (find_group(last_group_number_) != groups_.end());
  groups_.push_back(
      std::make_unique<UnschedulableGroup>(UnschedulableGroup{.profile = pod.profile(),
                                                              .unschedulable_plugins = pod.unschedulable_plugins,
                                                              .pending_plugins = pod.pending_plugins,
                                                              .gating_plugin = pod.gating_plugin,
                                                              .number = last_group_number_}));
  return *groups_.back();
}

void UnschedulablePods::link(QueuedPod& pod) {
  BERTH_CHECK(pod.unschedulable_class == nullptr, "{} is unschedulable already", api::full_name(pod.pod->metadata));
  UnschedulableGroup& group = group_for(pod);
  const ClassKey key = key_of(pod, group.number);
  const ClassLookup lookup{key, hash_of(key)};
  const auto found = classes_.find(lookup);
  UnschedulableClass* pods = found != classes_.end() ? *found : nullptr;
  if (pods == nullptr) {
    pods = class_pool_.make(UnschedulableClass{.hash = lookup.hash, .group_number = group.number});
    append(group, *pods);
    append(*pods, pod);
    classes_.insert(pods);
  } else {
    append(*pods, pod);
  }
  by_waiting_time_.push(pod);
}

void UnschedulablePods::unlink(QueuedPod& pod) {
  BERTH_CHECK(pod.unschedulable_class != nullptr, "{} is not unschedulable", api::full_name(pod.pod->metadata));
  by_waiting_time_.erase(pod);
  UnschedulableClass& pods = *pod.unschedulable_class;
  remove(pods, pod);
  if (pods.first != nullptr) return;

  const auto at = find_group(pods.group_number);
  UnschedulableGroup& group = **at;
  remove(group, pods);
  classes_.erase(&pods);
  class_pool_.destroy(&pods);
  if (group.first == nullptr) groups_.erase(at);
}

void UnschedulablePods::collect_waiting_longer(Duration limit, Instant now, std::vector<QueuedPod*>& into) const {
  const std::size_t first = into.size();
  by_waiting_time_.for_each_while([&](QueuedPod& pod) {
    if (now - pod.waits_since <= limit) return false;
    into.push_back(&pod);
    return true;
  });
  const auto waited_longer = [](const QueuedPod* a, const QueuedPod* b) {
    if (a->waits_since != b->waits_since) return a->waits_since < b->waits_since;
    const api::ObjectMeta &left = a->pod->metadata, &right = b->pod->metadata;
    if (left.name_space != right.name_space) return left.name_space.text() < right.name_space.text();
    return left.name < right.name;
  };
  std::sort(into.begin() + static_cast<std::ptrdiff_t>(first), into.end(), waited_longer);
}

Instant UnschedulablePods::longest_waits_since() const {
  return by_waiting_time_.empty() ? Instant() : by_waiting_time_.top().waits_since;
}

}  // namespace berth::queue
