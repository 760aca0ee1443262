#include "berth/cache/scheduler_cache.h"

#include <fmt/format.h>

#include <utility>

#include "berth/base/check.h"

namespace berth::cache {
namespace {

// "UID(NAMESPACE/NAME)", as kube-scheduler names a pod in these errors.
std::string described(const api::Pod& pod) {
  return fmt::format("{}({})", pod.metadata.uid, api::full_name(pod.metadata));
}

}  // namespace

void SchedulerCache::insert(api::PodPtr pod, bool is_assumed) {
  table_.add_pod(pod, compile(*pod));
  if (is_assumed) ++assumed_count_;
  std::string uid = pod->metadata.uid;
  pods_.emplace(std::move(uid), Entry{std::move(pod), is_assumed, {}});
}

void SchedulerCache::erase(const Entry& entry) {
  const api::PodPtr pod = entry.pod;
  end_assumption(entry);
  table_.remove_pod(*pod);
  pods_.erase(pod->metadata.uid);
}

void SchedulerCache::end_assumption(const Entry& entry) {
  if (entry.is_assumed) --assumed_count_;
  if (entry.deadline.is_set()) deadlines_.erase({entry.deadline, entry.pod->metadata.uid});
}

bool SchedulerCache::replace(Entry& entry, const api::PodPtr& pod) {
  if (entry.pod->spec.node_name != pod->spec.node_name) return false;
  if (!table_.replace_pod(entry.pod, pod, *compile(*pod))) return false;
  end_assumption(entry);
  entry = {pod, false, {}};
  return true;
}

Result<void> SchedulerCache::assume(api::PodPtr pod) {
  BERTH_CHECK(!pod->spec.node_name.empty(), "pod {} is assumed to be on no node", pod->metadata.name);
  if (pods_.contains(pod->metadata.uid)) {
    return fail(fmt::format("pod {} is in the cache, so can't be assumed", described(*pod)));
  }
  insert(std::move(pod), true);
  return {};
}

void SchedulerCache::finish_binding(const api::Pod& pod, Instant now) {
  const auto it = pods_.find(pod.metadata.uid);
  if (it == pods_.end() || !it->second.is_assumed || options_.assumed_pod_ttl == Duration()) return;
  Entry& entry = it->second;
  if (entry.deadline.is_set()) deadlines_.erase({entry.deadline, entry.pod->metadata.uid});
  entry.deadline = now + options_.assumed_pod_ttl;
  deadlines_.emplace(entry.deadline, entry.pod->metadata.uid);
}

Result<void> SchedulerCache::forget(const api::Pod& pod) {
  const auto it = pods_.find(pod.metadata.uid);
  if (it == pods_.end()) return {};
  if (it->second.pod->spec.node_name != pod.spec.node_name) {
    return fail(fmt::format("pod {} was assumed on {} but assigned to {}", described(pod), pod.spec.node_name.text(),
                            it->second.pod->spec.node_name.text()));
  }
  if (!it->second.is_assumed) {
    return fail(fmt::format("pod {} wasn't assumed so cannot be forgotten", described(pod)));
  }
  erase(it->second);
  return {};
}

Result<void> SchedulerCache::add(api::PodPtr pod) {
  const auto it = pods_.find(pod->metadata.uid);
  if (it != pods_.end()) {
    if (!it->second.is_assumed) return fail(fmt::format("pod {} was already in added state", described(*pod)));
    if (replace(it->second, pod)) return {};
    erase(it->second);
  }
  insert(std::move(pod), false);
  return {};
}

Result<void> SchedulerCache::update(const api::Pod& old_pod, api::PodPtr new_pod) {
  const auto it = pods_.find(old_pod.metadata.uid);
  if (it == pods_.end()) {
    return fail(fmt::format("pod {} is not added to scheduler cache, so cannot be updated", described(old_pod)));
  }
  if (it->second.is_assumed) return fail(fmt::format("assumed pod {} should not be updated", described(old_pod)));
  if (replace(it->second, new_pod)) return {};
  erase(it->second);
  insert(std::move(new_pod), false);
  return {};
}

Result<void> SchedulerCache::remove(const api::Pod& pod) {
  const auto it = pods_.find(pod.metadata.uid);
  if (it == pods_.end()) {
    return fail(fmt::format("pod {} is not found in scheduler cache, so cannot be removed from it", described(pod)));
  }
  erase(it->second);
  return {};
}

std::vector<api::PodPtr> SchedulerCache::expire(Instant now) {
  std::vector<api::PodPtr> expired;
  while (!deadlines_.empty() && deadlines_.begin()->first < now) {
    const Entry& entry = pods_.find(deadlines_.begin()->second)->second;
    expired.push_back(entry.pod);
    erase(entry);
  }
  return expired;
}

Instant SchedulerCache::next_expiry() const {
  // At its deadline a pod is still there.
  return deadlines_.empty() ? Instant() : deadlines_.begin()->first + Duration::nanoseconds(1);
}

bool SchedulerCache::is_assumed(std::string_view uid) const {
  const auto it = pods_.find(uid);
  return it != pods_.end() && it->second.is_assumed;
}

api::PodPtr SchedulerCache::find(std::string_view uid) const {
  const auto it = pods_.find(uid);
  return it == pods_.end() ? nullptr : it->second.pod;
}

Result<void> SchedulerCache::remove_node(const api::Node& node) {
  const Symbol name(node.metadata.name);
  const RowId row = table_.row_of(name);
  if (row == kNoRow || !table_.at(row).node) return fail(fmt::format("node {} is not found", node.metadata.name));
  table_.remove_node(name);
  return {};
}

}  // namespace berth::cache
