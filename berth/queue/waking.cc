#include <algorithm>
#include <utility>

#include "berth/queue/affinity_terms.h"
#include "berth/queue/scheduling_queue.h"

// What events do to parked pods: which of them a cluster event, a flush or an explicit call wakes.

namespace berth::queue {

HintAnswer SchedulingQueue::ask(const HintTable::Entry& entry, const QueuedPod& pod, const HintTable::Match& match,
                                const EventObjects& objects) {
  metrics_.hint_begins();
  const HintAnswer answer = entry.hint ? entry.hint(*pod.pod, objects) : HintAnswer::kQueue;
  metrics_.hint_ends(plugin_names_.name(entry.plugin), match.label, answer);
  return answer;
}

Retry SchedulingQueue::decide(const QueuedPod& pod, const HintTable::Match& match, const EventObjects& objects) {
  if (rules_.wakes == Wakes::kEverybody || pod.rejectors().empty()) return Retry::kAfterBackoff;
  if (match.is_wildcard) {
    if (!objects.new_object || !rules_.wildcard_is_for_its_object) return Retry::kAfterBackoff;
    const auto about = objects.new_object.as<api::Pod>();
    return about != nullptr && about->metadata.uid == pod.uid() ? Retry::kAfterBackoff : Retry::kNot;
  }
  if (!hints_.has_profile(pod.profile())) return Retry::kAfterBackoff;
  const HintTable::Match::Profile* profile = match.profile(pod.profile());
  if (profile == nullptr) return Retry::kNot;
  Retry retry = Retry::kNot;
  for (const HintTable::Entry* entry : profile->entries) {
    if (!pod.rejectors().contains(entry->plugin)) continue;
    const HintAnswer answer = ask(*entry, pod, match, objects);
    if (answer == HintAnswer::kSkip) continue;
    if (pod.pending_plugins.contains(entry->plugin)) return Retry::kImmediately;
    if (answer == HintAnswer::kQueueImmediately && rules_.hints_may_say_immediately) return Retry::kImmediately;
    retry = Retry::kAfterBackoff;
    if (pod.pending_plugins.empty() && !rules_.hints_may_say_immediately) break;
  }
  return retry;
}

bool SchedulingQueue::is_gate_indifferent(PluginId gating_plugin, const HintTable::Match& match) const {
  return rules_.gate_filters_events && gating_plugin != kNoPlugin &&
         !match.plugins_of_any_profile.contains(gating_plugin);
}

void SchedulingQueue::collect_wakes(const ParkedGroup& group, const HintTable::Match& match,
                                    const EventObjects& objects, const QueuedPod* own,
                                    std::optional<PreCheck> pre_check) {
  if (is_gate_indifferent(group.gating_plugin, match)) return;
  const PluginSet rejectors = group.rejectors();
  bool one_answer_per_class = true;
  const bool asks_hints = rules_.wakes == Wakes::kPodsOfItsListeners && !rejectors.empty() && !match.is_wildcard &&
                          hints_.has_profile(group.profile);
  if (asks_hints) {
    const HintTable::Match::Profile* profile = match.profile(group.profile);
    if (profile == nullptr || !profile->plugins.intersects(rejectors)) return;
    one_answer_per_class = std::ranges::none_of(profile->entries, [rejectors](const HintTable::Entry* entry) {
      return entry->scope == HintScope::kPod && rejectors.contains(entry->plugin);
    });
  }
  for (const ParkedClass* pods = group.first; pods != nullptr; pods = pods->after) {
    std::optional<Retry> of_class;
    for (QueuedPod* pod = pods->first; pod != nullptr; pod = pod->parked_after) {
      Retry retry;
      if (one_answer_per_class && pod != own) {
        if (!of_class) of_class = decide(*pod, match, objects);
        retry = *of_class;
        // Nobody else in this class differs but the pod that the event is about.
        if (retry == Retry::kNot && (own == nullptr || own->parked_in != pods)) break;
      } else {
        retry = decide(*pod, match, objects);
      }
      if (retry != Retry::kNot && (!pre_check || (*pre_check)(*pod->pod))) wakes_.push_back({pod, retry});
    }
  }
}

void SchedulingQueue::move_wakes(const HintTable::Match& match, const EventObjects& objects, bool record_in_flight,
                                 Instant now) {
  for (const Wake& wake : wakes_) {
    unpark(*wake.pod, wake.pod->is_gated());
    requeue(*wake.pod, wake.retry, match.label, now);
  }
  wakes_.clear();
  move_request_cycle_ = scheduling_cycle_;
  if (record_in_flight && options_.queueing_hints && !in_flight_->empty()) in_flight_->record(match, objects);
}

Result<void> SchedulingQueue::move_all(const ClusterEvent& event, EventObjects objects, Instant now,
                                       std::optional<PreCheck> pre_check) {
  if (auto open = check_open("move_all"); !open) return open;
  const HintTable::Match& match = hints_.match(event);
  if (!match.is_of_interest && rules_.ignores_unregistered_events) return {};
  const QueuedPod* own = nullptr;
  for (const api::AnyObject* object : {&objects.old_object, &objects.new_object}) {
    if (const auto pod = *object ? object->as<api::Pod>() : nullptr; pod != nullptr) own = find(key_of(*pod));
  }
  for (const auto& group : parked_.groups()) collect_wakes(*group, match, objects, own, pre_check);
  move_wakes(match, objects, true, now);
  return {};
}

void SchedulingQueue::move_if_of_interest(const std::vector<QueuedPod*>& candidates, const ClusterEvent& event,
                                          const EventObjects& objects, bool record_in_flight, Instant now) {
  const HintTable::Match& match = hints_.match(event);
  if (!match.is_of_interest && rules_.ignores_unregistered_events) return;
  const bool skips_indifferent_gates = !match.is_wildcard || options_.quirks.leftover_flush_skips_gated;
  for (QueuedPod* pod : candidates) {
    if (skips_indifferent_gates && is_gate_indifferent(pod->gating_plugin, match)) continue;
    if (const Retry retry = decide(*pod, match, objects); retry != Retry::kNot) wakes_.push_back({pod, retry});
  }
  move_wakes(match, objects, record_in_flight, now);
}

Result<void> SchedulingQueue::reconsider(const api::Pod& pod, Symbol label, Instant now) {
  if (auto open = check_open("reconsider"); !open) return open;
  QueuedPod* found = find(key_of(pod));
  if (found == nullptr || found->place != Place::kUnschedulable || found->uid() != pod.metadata.uid) return {};
  unpark(*found, found->is_gated());
  requeue(*found, Retry::kAfterBackoff, label, now);
  return {};
}

void SchedulingQueue::collect_near(const api::Pod& assigned, std::vector<QueuedPod*>& into) const {
  static const Symbol pod_topology_spread("PodTopologySpread");
  const api::Labels* namespace_labels =
      options_.find_namespace_labels ? options_.find_namespace_labels(assigned.metadata.name_space) : nullptr;
  for (const auto& group : parked_.groups()) {
    bool rejected_by_spread = false;
    if (rules_.spread_pods_want_to_be_near) {
      group->unschedulable_plugins.for_each(
          [&](PluginId plugin) { rejected_by_spread |= plugin_names_.name(plugin) == pod_topology_spread; });
    }
    for (const ParkedClass* pods = group->first; pods != nullptr; pods = pods->after) {
      const api::Pod& any = *pods->first->pod;
      const bool is_near = (rejected_by_spread && any.metadata.name_space == assigned.metadata.name_space) ||
                           has_required_affinity_to(any, assigned, namespace_labels, rules_.broken_term_voids_affinity);
      if (!is_near) continue;
      for (QueuedPod* pod = pods->first; pod != nullptr; pod = pod->parked_after) into.push_back(pod);
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
  parked_.collect_waiting_longer(options_.maximum_in_unschedulable, now, leftover);
  if (leftover.empty()) return {};
  const bool right = !options_.quirks.leftover_flush_skips_gated && !options_.quirks.gated_leftover_is_flushed_again;
  for (QueuedPod* pod : leftover) {
    pod->was_flushed = true;
    if (right) pod->waits_since = now;  // one that a gate still holds back waits anew
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
  if (rules_.activate_renominates) nominator_.add(*found->pod, {}, found);
  return true;
}

Result<void> SchedulingQueue::activate(std::span<const api::PodPtr> pods, Instant now) {
  if (auto open = check_open("activate"); !open) return open;
  if (!rules_.has_activate) {
    return fail(fmt::format("activate: {} has no such call", to_string(options_.compatibility)));
  }
  for (const api::PodPtr& pod : pods) {
    if (activate_one(*pod, now) || !rules_.activate_reaches_flights) continue;
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
  if (rules_.wakes == Wakes::kEverybody) {
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
