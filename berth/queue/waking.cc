#include <algorithm>
#include <utility>

#include "berth/queue/scheduling_queue.h"

// What events do to unschedulable pods: which of them a cluster event, a flush or an explicit call wakes.

namespace berth::queue {

HintAnswer SchedulingQueue::ask(const HintTable::Entry& entry, const QueuedPod& pod, const HintTable::Match& match,
                                const EventObjects& objects) {
  metrics_.hint_begins();
  const HintAnswer answer = entry.hint ? entry.hint(*pod.pod, objects) : HintAnswer::kQueue;
  metrics_.hint_ends(plugin_names_.name(entry.plugin), match.label, answer);
  return answer;
}

QueueingStrategy SchedulingQueue::decide(const QueuedPod& pod, const HintTable::Match& match,
                                         const EventObjects& objects) {
  if (pod.rejectors().empty()) return QueueingStrategy::kAfterBackoff;
  if (match.is_wildcard) return rules_.events.on_wildcard(pod, objects);
  if (!hints_.has_profile(pod.profile())) return QueueingStrategy::kAfterBackoff;
  const HintTable::Match::Profile* profile = match.profile(pod.profile());
  if (profile == nullptr) return QueueingStrategy::kSkip;
  QueueingStrategy strategy = QueueingStrategy::kSkip;
  for (const HintTable::Entry* entry : profile->entries) {
    if (!pod.rejectors().contains(entry->plugin)) continue;
    const HintAnswer answer = ask(*entry, pod, match, objects);
    if (answer == HintAnswer::kSkip) continue;
    if (rules_.events.skips_backoff(pod, entry->plugin, answer)) return QueueingStrategy::kImmediately;
    strategy = QueueingStrategy::kAfterBackoff;
    if (!rules_.events.may_skip_backoff(pod)) break;
  }
  return strategy;
}

bool SchedulingQueue::is_gate_indifferent(PluginId gating_plugin, const HintTable::Match& match) const {
  return gating_plugin != kNoPlugin && !rules_.events.reaches_gated(gating_plugin, match);
}

void SchedulingQueue::collect_wakes(const UnschedulableGroup& group, const HintTable::Match& match,
                                    const EventObjects& objects, const QueuedPod* own,
                                    std::optional<PreCheck> pre_check) {
  if (is_gate_indifferent(group.gating_plugin, match)) return;
  const PluginSet rejectors = group.rejectors();
  bool one_answer_per_class = true;
  const bool asks_hints = !rejectors.empty() && !match.is_wildcard && hints_.has_profile(group.profile);
  if (asks_hints) {
    const HintTable::Match::Profile* profile = match.profile(group.profile);
    if (profile == nullptr || !profile->plugins.intersects(rejectors)) return;
    one_answer_per_class = std::ranges::none_of(profile->entries, [rejectors](const HintTable::Entry* entry) {
      return entry->scope == HintScope::kPod && rejectors.contains(entry->plugin);
    });
  }
  for (const UnschedulableClass* pods = group.first; pods != nullptr; pods = pods->after) {
    std::optional<QueueingStrategy> of_class;
    for (QueuedPod* pod = pods->first; pod != nullptr; pod = pod->after_in_class) {
      QueueingStrategy strategy;
      if (one_answer_per_class && pod != own) {
        if (!of_class) of_class = decide(*pod, match, objects);
        strategy = *of_class;
        // No pod of this class differs but the pod that the event is about.
        if (strategy == QueueingStrategy::kSkip && (own == nullptr || own->unschedulable_class != pods)) break;
      } else {
        strategy = decide(*pod, match, objects);
      }
      if (strategy != QueueingStrategy::kSkip && (!pre_check || (*pre_check)(*pod->pod)))
        wakes_.push_back({pod, strategy});
    }
  }
}

void SchedulingQueue::move_wakes(const HintTable::Match& match, const EventObjects& objects, bool record_in_flight,
                                 Instant now) {
  for (const Wake& wake : wakes_) {
    leave_unschedulable(*wake.pod, wake.pod->is_gated());
    requeue(*wake.pod, wake.strategy, match.label, now);
  }
  wakes_.clear();
  move_request_cycle_ = scheduling_cycle_;
  if (record_in_flight && options_.queueing_hints && !in_flight_->empty()) in_flight_->record(match, objects);
}

Result<void> SchedulingQueue::move_all(const ClusterEvent& event, EventObjects objects, Instant now,
                                       std::optional<PreCheck> pre_check) {
  if (auto open = check_open("move_all"); !open) return open;
  const HintTable::Match& match = hints_.match(event);
  if (!rules_.events.is_move(match)) return {};
  const QueuedPod* own = nullptr;
  for (const api::AnyObject* object : {&objects.old_object, &objects.new_object}) {
    if (const auto pod = *object ? object->as<api::Pod>() : nullptr; pod != nullptr) own = find(key_of(*pod));
  }
  for (const auto& group : unschedulable_.groups()) collect_wakes(*group, match, objects, own, pre_check);
  move_wakes(match, objects, true, now);
  return {};
}

void SchedulingQueue::move_if_of_interest(const std::vector<QueuedPod*>& candidates, const ClusterEvent& event,
                                          const EventObjects& objects, bool record_in_flight, Instant now) {
  const HintTable::Match& match = hints_.match(event);
  if (!rules_.events.is_move(match)) return;
  const bool skips_indifferent_gates = !match.is_wildcard || options_.quirks.leftover_flush_skips_gated;
  for (QueuedPod* pod : candidates) {
    if (skips_indifferent_gates && is_gate_indifferent(pod->gating_plugin, match)) continue;
    if (const QueueingStrategy strategy = decide(*pod, match, objects); strategy != QueueingStrategy::kSkip)
      wakes_.push_back({pod, strategy});
  }
  move_wakes(match, objects, record_in_flight, now);
}

Result<void> SchedulingQueue::reconsider(const api::Pod& pod, Symbol label, Instant now) {
  if (auto open = check_open("reconsider"); !open) return open;
  QueuedPod* found = find(key_of(pod));
  if (found == nullptr || found->place != Place::kUnschedulable || found->uid() != pod.metadata.uid) return {};
  leave_unschedulable(*found, found->is_gated());
  requeue(*found, QueueingStrategy::kAfterBackoff, label, now);
  return {};
}

void SchedulingQueue::collect_near(const api::Pod& assigned, std::vector<QueuedPod*>& into) const {
  static const Symbol pod_topology_spread("PodTopologySpread");
  const api::Labels* namespace_labels =
      options_.find_namespace_labels ? options_.find_namespace_labels(assigned.metadata.name_space) : nullptr;
  for (const auto& group : unschedulable_.groups()) {
    bool rejected_by_spread = false;
    group->unschedulable_plugins.for_each(
        [&](PluginId plugin) { rejected_by_spread |= plugin_names_.name(plugin) == pod_topology_spread; });
    for (const UnschedulableClass* pods = group->first; pods != nullptr; pods = pods->after) {
      const api::Pod& any = *pods->first->pod;
      if (!rules_.events.is_woken_by_assigned(any, rejected_by_spread, assigned, namespace_labels)) continue;
      for (QueuedPod* pod = pods->first; pod != nullptr; pod = pod->after_in_class) into.push_back(pod);
    }
  }
}

Result<void> SchedulingQueue::assigned_pod_added(api::PodPtr pod, Instant now) {
  if (auto open = check_open("assigned_pod_added"); !open) return open;
  std::vector<QueuedPod*> candidates;
  collect_near(*pod, candidates);
  move_if_of_interest(candidates, assigned_pod_add(), {{}, api::AnyObject(pod)}, true, now);
  return {};
}

Result<void> SchedulingQueue::assigned_pod_updated(api::PodPtr old_pod, api::PodPtr new_pod, const ClusterEvent& event,
                                                   Instant now) {
  if (auto open = check_open("assigned_pod_updated"); !open) return open;
  // Fewer requests may make room for any pod, not only for those that want to be near.
  if (matches(ClusterEvent(resource::kPod, action::kUpdatePodScaleDown), event)) {
    return move_all(event, {api::AnyObject(old_pod), api::AnyObject(new_pod)}, now);
  }
  std::vector<QueuedPod*> candidates;
  collect_near(*new_pod, candidates);
  move_if_of_interest(candidates, event, {api::AnyObject(old_pod), api::AnyObject(new_pod)}, true, now);
  return {};
}

Result<void> SchedulingQueue::flush_unschedulable_leftover(Instant now) {
  if (auto open = check_open("flush_unschedulable_leftover"); !open) return open;
  std::vector<QueuedPod*> leftover;
  unschedulable_.collect_waiting_longer(options_.maximum_in_unschedulable, now, leftover);
  if (leftover.empty()) return {};
  const bool right = !options_.quirks.leftover_flush_skips_gated && !options_.quirks.gated_leftover_is_flushed_again;
  for (QueuedPod* pod : leftover) {
    pod->was_flushed = true;
    if (right) pod->waits_since = now;  // one that is still gated waits anew
  }
  move_if_of_interest(leftover, unschedulable_timeout(), {}, options_.quirks.leftover_flush_wakes_in_flight, now);
  if (right) {
    for (QueuedPod* pod : leftover) pod->was_flushed = pod->place != Place::kUnschedulable;
  }
  return {};
}

bool SchedulingQueue::activate_one(const api::Pod& pod, Instant now) {
  static const Symbol label = force_activate().label();
  QueuedPod* found = find(key_of(pod));
  if (found == nullptr || found->place == Place::kActive) return false;
  const bool from_backoff = is_in_backoff(*found);
  if (from_backoff) leave_backoff(*found);
  if (!move_to_active(*found, label, from_backoff, now)) return false;
  rules_.nominations.on_activate(nominator_, *found);
  return true;
}

Result<void> SchedulingQueue::activate(std::span<const api::PodPtr> pods, Instant now) {
  if (auto open = check_open("activate"); !open) return open;
  if (rules_.activation == Activation::kUnsupported) {
    return fail(fmt::format("activate: {} has no such call", to_string(options_.compatibility)));
  }
  for (const api::PodPtr& pod : pods) {
    if (activate_one(*pod, now) || rules_.activation == Activation::kQueuedPods) continue;
    if (options_.queueing_hints && in_flight_->contains(pod->metadata.uid)) {
      in_flight_->record(hints_.match(force_activate()), {{}, api::AnyObject(pod)});
    }
    move_request_cycle_ = scheduling_cycle_;
  }
  return {};
}

std::optional<WakeSet> SchedulingQueue::wake_set(Symbol name_space, std::string_view name) const {
  const QueuedPod* pod = get(name_space, name);
  if (pod == nullptr) return std::nullopt;
  WakeSet set;
  set.place = pod->place;
  if (is_in_backoff(*pod)) set.backoff_ends_at = backoff_ends_at(*pod);
  if (pod->place != Place::kUnschedulable) return set;
  if (pod->is_gated()) set.gating_plugin = plugin_names_.name(pod->gating_plugin);
  const bool times_out = !pod->is_gated() || !options_.quirks.leftover_flush_skips_gated;
  if (times_out) set.forced_try_at = pod->waits_since + options_.maximum_in_unschedulable;
  if (!hints_.has_profile(pod->profile())) {  // every event wakes it
    set.triggers.push_back({ClusterEvent(resource::kAny, action::kAll), Symbol()});
    return set;
  }
  for (const HintTable::Entry& entry : hints_.entries(pod->profile())) {
    if (pod->rejectors().contains(entry.plugin)) {
      set.triggers.push_back({entry.event, plugin_names_.name(entry.plugin)});
    }
  }
  return set;
}

}  // namespace berth::queue
