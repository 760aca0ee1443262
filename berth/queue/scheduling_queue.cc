#include "berth/queue/scheduling_queue.h"

#include <algorithm>
#include <utility>

#include "berth/base/check.h"
#include "berth/base/hash.h"
#include "berth/queue/counted_in_flight.h"
#include "berth/queue/object_diff.h"
#include "berth/queue/ordered_in_flight.h"

// How pods come, go, are popped and come back. What events do to them is in waking.cc.

namespace berth::queue {

namespace {

// What metrics call the reasons for which a pod arrives in a place, besides events and what Rules says.
struct Labels {
  Symbol attempt_failure{"ScheduleAttemptFailure"};
  Symbol backoff_complete{"BackoffComplete"};
  Symbol pop_from_backoff{"PopFromBackoffQ"};
  Symbol force_activate{"ForceActivate"};
};
const Labels& labels() {
  static const Labels all;
  return all;
}

std::string_view describe(Place place) {
  switch (place) {
    case Place::kNone: return "no queue";
    case Place::kActive: return "the active queue";
    case Place::kBackoff:
    case Place::kErrorBackoff: return "the backoff queue";
    case Place::kUnschedulable: return "unschedulable queue";
  }
  return "";
}

QueueOptions restricted(QueueOptions options) {
  rules_for(options.compatibility).restrict_options(options);
  return options;
}

std::unique_ptr<InFlight> make_in_flight(const QueueOptions& options, QueueMetrics& metrics) {
  if (options.quirks.in_flight_events_get_lost) return std::make_unique<CountedInFlight>();
  return std::make_unique<OrderedInFlight>(options.max_in_flight_events, metrics);
}

}  // namespace

void ReturnToQueue::operator()(QueuedPod* pod) const {
  queue->pods_.destroy(pod);
}

bool SchedulingQueue::NameEqual::operator()(const QueuedPod* pod, const NameKey& key) const {
  // The hash first: it is beside the pod's other state, its name is two pointers away.
  return pod->name_hash == key.hash && pod->pod->metadata.name_space == key.name_space &&
         pod->pod->metadata.name == key.name;
}

SchedulingQueue::SchedulingQueue(QueueOptions options)
    : rules_(rules_for(options.compatibility)),
      options_(restricted(std::move(options))),
      tracks_flights_(options_.queueing_hints || !options_.quirks.update_requeues_pod_in_flight),
      updates_are_events_(options_.queueing_hints && rules_.updates_are_events),
      pod_add_label_(rules_.pod_add_label),
      pod_update_label_(rules_.pod_update_label),
      metrics_(options_.metrics != nullptr ? *options_.metrics : no_metrics_),
      hints_(options_.profiles, std::move(options_.hints), plugin_names_, rules_.events.matching),
      order_(options_.queue_sort),
      active_(order_),
      backoff_(BackoffPolicy{.initial = options_.initial_backoff,
                             .maximum = options_.maximum_backoff,
                             .windows = options_.pop_from_backoff,
                             .rules = &rules_.backoff,
                             .records = &backoff_records_},
               order_),
      in_flight_(make_in_flight(options_, metrics_)),
      nominator_(options_.find_pod, rules_.nominations, options_.quirks) {
  for (const PreEnqueueCheck& check : options_.pre_enqueue) {
    auto at = std::ranges::find(pre_enqueue_, check.profile, &PreEnqueueOfProfile::profile);
    if (at == pre_enqueue_.end()) at = pre_enqueue_.insert(at, PreEnqueueOfProfile{check.profile, {}});
    at->checks.emplace_back(plugin_names_.id(check.plugin), &check);
  }
}

SchedulingQueue::~SchedulingQueue() {
  for (QueuedPod* pod : by_name_) pods_.destroy(pod);
}

Result<void> SchedulingQueue::check_open(std::string_view operation) const {
  if (!closed_ || options_.quirks.works_when_closed) return {};
  return fail(fmt::format("{}: the scheduling queue is closed", operation));
}

// --- The table of names --------------------------------------------------------------------------------------------

SchedulingQueue::NameKey SchedulingQueue::key_of(Symbol name_space, std::string_view name) {
  // Never 0, which stands for "not in the table". The lowest bits are the set's tags, so those are left as they are.
  return {name_space, name, static_cast<std::uint32_t>(hash_bytes(name, name_space.id())) | 1u << 31};
}

QueuedPod* SchedulingQueue::find(const NameKey& key) const {
  const auto found = by_name_.find(key);
  return found == by_name_.end() ? nullptr : *found;
}

QueuedPod* SchedulingQueue::find_other(const QueuedPod& pod) const {
  return has_its_name(pod) ? nullptr : find(key_of(*pod.pod));
}

const QueuedPod* SchedulingQueue::get(Symbol name_space, std::string_view name) const {
  const QueuedPod* found = find(key_of(name_space, name));
  return found != nullptr && found->place != Place::kNone ? found : nullptr;
}

QueuedPod* SchedulingQueue::make(api::PodPtr pod, Instant now) {
  QueuedPod* made = pods_.make();
  made->pod = std::move(pod);
  made->timestamp = made->waits_since = now;
  made->initial_attempt_timestamp = rules_.first_attempt_counts_from(now);
  return made;
}

void SchedulingQueue::discard(QueuedPod& pod) {
  BERTH_CHECK(pod.place == Place::kNone, "{} is in {}", api::full_name(pod.pod->metadata), describe(pod.place));
  if (has_its_name(pod)) by_name_.erase(&pod);
  nominator_.on_leaving(pod);
  pods_.destroy(&pod);
}

void SchedulingQueue::take_name(QueuedPod& pod, const NameKey& key) {
  pod.name_hash = key.hash;
  by_name_.insert(&pod);
}

void SchedulingQueue::take_name_from(QueuedPod* other, QueuedPod& pod) {
  if (other != nullptr) discard(*other);
  if (!has_its_name(pod)) take_name(pod, key_of(*pod.pod));
}

// --- From place to place -------------------------------------------------------------------------------------------

bool SchedulingQueue::admits(const PreEnqueueCheck& check, PluginId plugin, QueuedPod& pod) {
  metrics_.pre_enqueue_begins();
  const bool admitted = check.admits(*pod.pod);
  metrics_.pre_enqueue_ends(check.plugin, pod.profile(), admitted);
  if (admitted) return true;
  if (!pod.rejectors().contains(plugin) || options_.quirks.gate_counts_every_rejection) {
    metrics_.add_unschedulable(check.plugin, pod.profile(), 1);
  }
  pod.unschedulable_plugins.insert(plugin);
  pod.gating_plugin = plugin;
  return false;
}

void SchedulingQueue::run_pre_enqueue(QueuedPod& pod) {
  const auto found = std::ranges::find(pre_enqueue_, pod.profile(), &PreEnqueueOfProfile::profile);
  if (found != pre_enqueue_.end()) {
    const PluginId first = rules_.first_pre_enqueue(pod);
    metrics_.gating_begins();
    const bool is_admitted = std::ranges::all_of(found->checks,
                                                 [&](const auto& each) {
                                                   return each.first != first || admits(*each.second, each.first, pod);
                                                 }) &&
                             std::ranges::all_of(found->checks, [&](const auto& each) {
                               return each.first == first || admits(*each.second, each.first, pod);
                             });
    metrics_.gating_ends(pod.profile(), is_admitted);
    if (!is_admitted) return;
  }
  pod.gating_plugin = kNoPlugin;
}

void SchedulingQueue::leave_backoff(QueuedPod& pod) {
  backoff_.erase(pod);
  metrics_.add_pending(QueueName::kBackoff, -1);
}

bool SchedulingQueue::move_to_active(QueuedPod& pod, Symbol label, bool from_backoff, Instant now) {
  const bool was_gated = pod.is_gated();
  if (!(from_backoff && runs_pre_enqueue_before_backoff())) run_pre_enqueue(pod);

  QueuedPod* other = find_other(pod);
  if (pod.is_gated()) {
    if (other != nullptr && (other->place == Place::kActive || is_in_backoff(*other))) {
      discard(pod);
      return false;
    }
    move_to_unschedulable(pod, was_gated, rules_.gated_label(label));
    return false;
  }

  if (!pod.initial_attempt_timestamp.is_set()) pod.initial_attempt_timestamp = now;
  QueuedPod& resident = other != nullptr ? *other : pod;
  if (resident.place == Place::kUnschedulable) leave_unschedulable(resident, was_gated);
  if (is_in_backoff(resident)) leave_backoff(resident);
  if (other != nullptr && other->place == Place::kActive) {
    active_.replace(*other, pod);
    other->place = Place::kNone;
  } else {
    active_.push(pod);
    metrics_.add_pending(QueueName::kActive, 1);
  }
  pod.place = Place::kActive;
  take_name_from(other, pod);
  if (!label.empty()) metrics_.count_incoming(QueueName::kActive, label, pod);
  return true;
}

bool SchedulingQueue::move_to_backoff(QueuedPod& pod, Symbol label, Instant) {
  const bool was_gated = pod.is_gated();
  if (runs_pre_enqueue_before_backoff()) {
    run_pre_enqueue(pod);
    if (pod.is_gated()) {
      move_to_unschedulable(pod, was_gated, label);
      return false;
    }
  }
  if (pod.place == Place::kUnschedulable) leave_unschedulable(pod, was_gated);
  backoff_.push(pod);
  take_name_from(nullptr, pod);
  metrics_.add_pending(QueueName::kBackoff, 1);
  if (!label.empty()) metrics_.count_incoming(QueueName::kBackoff, label, pod);
  return true;
}

void SchedulingQueue::move_to_unschedulable(QueuedPod& pod, bool was_gated, Symbol label) {
  QueuedPod* other = find_other(pod);
  const bool is_update = other != nullptr || pod.place == Place::kUnschedulable;
  const auto gauge = [](bool gated) { return gated ? QueueName::kGated : QueueName::kUnschedulable; };
  if (!is_update) {
    metrics_.add_pending(gauge(pod.is_gated()), 1);
    if (!label.empty()) metrics_.count_incoming(QueueName::kUnschedulable, label, pod);
  } else if (was_gated != pod.is_gated() && !options_.quirks.gated_gauge_drifts) {
    metrics_.add_pending(gauge(was_gated), -1);
    metrics_.add_pending(gauge(pod.is_gated()), 1);
  }
  if (other != nullptr) {
    unschedulable_.unlink(*other);
    other->place = Place::kNone;
  }
  if (pod.place == Place::kUnschedulable) unschedulable_.unlink(pod);
  unschedulable_.link(pod);
  pod.place = Place::kUnschedulable;
  take_name_from(other, pod);
}

void SchedulingQueue::leave_unschedulable(QueuedPod& pod, bool counts_as_gated) {
  unschedulable_.unlink(pod);
  pod.place = Place::kNone;
  metrics_.add_pending(counts_as_gated ? QueueName::kGated : QueueName::kUnschedulable, -1);
}

Place SchedulingQueue::requeue(QueuedPod& pod, QueueingStrategy strategy, Symbol label, Instant now) {
  if (strategy == QueueingStrategy::kSkip) {
    move_to_unschedulable(pod, pod.is_gated(), label);
    return Place::kUnschedulable;
  }
  if (strategy == QueueingStrategy::kAfterBackoff && backoff_.policy().is_backing_off(pod, now)) {
    return move_to_backoff(pod, label, now) ? Place::kBackoff : Place::kUnschedulable;
  }
  if (!move_to_active(pod, label, false, now)) return Place::kUnschedulable;
  rules_.nominations.on_active(nominator_, pod, label);
  return Place::kActive;
}

void SchedulingQueue::count_rejectors(const QueuedPod& pod, int delta) {
  pod.rejectors().for_each(
      [&](PluginId plugin) { metrics_.add_unschedulable(plugin_names_.name(plugin), pod.profile(), delta); });
}

// --- Pods come, change and go --------------------------------------------------------------------------------------

Result<void> SchedulingQueue::add(api::PodPtr pod, Instant now) {
  if (auto open = check_open("add"); !open) return open;
  const NameKey key = key_of(*pod);
  if (!options_.quirks.add_over_queued_pod) {
    if (const QueuedPod* existing = find(key); existing != nullptr) {
      if (existing->uid() == pod->metadata.uid) {
        return fail(
            fmt::format("add: pod {} is already in {}", api::full_name(pod->metadata), describe(existing->place)));
      }
      // A successor: the end of its predecessor was not seen.
      const api::PodPtr predecessor = existing->pod;
      if (auto removed = remove(*predecessor); !removed) return removed;
    } else if (tracks_flights_ && in_flight_->contains(pod->metadata.uid)) {
      return fail(fmt::format("add: pod {} is already in flight", api::full_name(pod->metadata)));
    }
  }
  QueuedPod& fresh = *make(std::move(pod), now);
  if (!options_.quirks.add_over_queued_pod) take_name(fresh, key);
  enter(fresh, pod_add_label_, now);
  return {};
}

void SchedulingQueue::enter(QueuedPod& fresh, Symbol label, Instant now) {
  const api::Pod& object = *fresh.pod;
  // move_to_active() may destroy an entry that comes over another one of its name.
  const api::PodPtr keeps_object = has_its_name(fresh) ? nullptr : fresh.pod;
  const bool arrived = move_to_active(fresh, label, false, now);
  if (arrived || !options_.quirks.gated_add_is_not_nominated) nominator_.add(object, {}, arrived ? &fresh : nullptr);
}

Result<void> SchedulingQueue::update(const api::PodPtr& old_pod, api::PodPtr new_pod, Instant now) {
  if (auto open = check_open("update"); !open) return open;
  if (old_pod->metadata.name != new_pod->metadata.name ||
      old_pod->metadata.name_space != new_pod->metadata.name_space) {
    return fail(fmt::format("update: {} and {} are two pods, not two versions of one",
                            api::full_name(old_pod->metadata), api::full_name(new_pod->metadata)));
  }
  std::vector<ClusterEvent> events;
  if (updates_are_events_) events = pod_update_events(*old_pod, *new_pod);
  if (tracks_flights_ && in_flight_->contains(new_pod->metadata.uid)) {
    if (updates_are_events_) {
      for (const ClusterEvent& event : events) {
        in_flight_->record(hints_.match(event), {api::AnyObject(old_pod), api::AnyObject(new_pod)});
      }
      if (!options_.quirks.in_flight_update_keeps_nomination) nominator_.update(*old_pod, *new_pod);
      return {};
    }
    if (!options_.quirks.update_requeues_pod_in_flight) {
      updated_in_flight_.insert(new_pod->metadata.uid);
      nominator_.update(*old_pod, *new_pod);
      return {};
    }
  }

  const NameKey key = key_of(*new_pod);
  QueuedPod* pod = find(key);
  if (pod == nullptr) {
    QueuedPod& fresh = *make(std::move(new_pod), now);
    take_name(fresh, key);
    enter(fresh, pod_update_label_, now);
    return {};
  }
  replace_object(*pod, *old_pod, new_pod);
  if (pod->place == Place::kActive) {
    active_.update(*pod);
    return {};
  }
  if (pod->place == Place::kUnschedulable) move_to_unschedulable(*pod, pod->is_gated(), Symbol());
  if (updates_are_events_ && pod->place == Place::kUnschedulable) {
    requeue_by_hints(*pod, events, {api::AnyObject(old_pod), api::AnyObject(new_pod)}, now);
  } else {
    requeue_updated(*pod, *old_pod, now);
  }
  return {};
}

void SchedulingQueue::requeue_by_hints(QueuedPod& pod, const std::vector<ClusterEvent>& events,
                                       const EventObjects& objects, Instant now) {
  for (const ClusterEvent& event : events) {
    const HintTable::Match& match = hints_.match(event);
    if (is_in_backoff(pod)) leave_backoff(pod);  // by an earlier event: see Quirks::update_goes_on_after_backoff
    const Place place = requeue(pod, decide(pod, match, objects), match.label, now);
    if (place == Place::kActive) break;
    if (place == Place::kBackoff && (options_.pop_from_backoff || !options_.quirks.update_goes_on_after_backoff)) break;
  }
}

void SchedulingQueue::replace_object(QueuedPod& pod, const api::Pod& old_pod, const api::PodPtr& new_pod) {
  nominator_.on_change(pod, new_pod);
  pod.pod = new_pod;
  nominator_.update(old_pod, *new_pod, &pod);
}

void SchedulingQueue::requeue_updated(QueuedPod& pod, const api::Pod& old_pod, Instant now) {
  if (is_in_backoff(pod)) {
    if (rules_.update_in_backoff == QueueingStrategy::kSkip) return backoff_.update(pod);
    leave_backoff(pod);
    move_to_active(pod, Symbol(), true, now);
    return;
  }
  if (!differs_for_scheduling(old_pod, *pod.pod, rules_.change)) return;
  if (rules_.update_in_unschedulable == QueueingStrategy::kImmediately) backoff_.policy().forget(*pod.pod);
  requeue(pod, rules_.update_in_unschedulable, pod_update_label_, now);
}

Result<void> SchedulingQueue::remove(const api::Pod& pod) {
  if (auto open = check_open("remove"); !open) return open;
  const bool was_nominated = nominator_.remove(pod.metadata.uid);
  QueuedPod* found = find(key_of(pod));
  const bool is_active = found != nullptr && found->place == Place::kActive;
  if (!is_active || !options_.quirks.delete_keeps_backoff_record) backoff_.policy().forget(pod);
  if (found == nullptr) {
    if (was_nominated || in_flight_->contains(pod.metadata.uid)) return {};
    return fail("remove: the pod is not in the queue");
  }
  const bool counts_rejectors = found->place == Place::kUnschedulable
                                    ? !options_.quirks.delete_leaks_parked_gauge
                                    : !options_.quirks.delete_leaks_unschedulable_gauge;
  switch (found->place) {
    case Place::kActive:
      active_.erase(*found);
      metrics_.add_pending(QueueName::kActive, -1);
      break;
    case Place::kBackoff:
    case Place::kErrorBackoff: leave_backoff(*found); break;
    case Place::kUnschedulable: leave_unschedulable(*found, found->is_gated()); break;
    case Place::kNone: break;
  }
  found->place = Place::kNone;
  if (counts_rejectors) count_rejectors(*found, -1);
  discard(*found);
  return {};
}

// --- Trying pods ---------------------------------------------------------------------------------------------------

bool SchedulingQueue::move_to_in_flight(QueuedPod& pod) {
  pod.attempts += 1;
  if (tracks_flights_ && !in_flight_->begin(pod.pod)) return false;
  scheduling_cycle_ += 1;
  count_rejectors(pod, -1);
  return true;
}

bool SchedulingQueue::end_flight(std::string_view uid) {
  if (const auto updated = updated_in_flight_.find(uid); updated != updated_in_flight_.end()) {
    updated_in_flight_.erase(updated);
  }
  return in_flight_->end(uid);
}

PoppedPod SchedulingQueue::hand_out(QueuedPod& pod) {
  by_name_.erase(&pod);
  pod.name_hash = 0;
  nominator_.on_leaving(pod);
  return PoppedPod(&pod, ReturnToQueue{this});
}

PoppedPod SchedulingQueue::pop(Instant) {
  while (true) {
    QueuedPod* pod = nullptr;
    if (!active_.empty()) {
      pod = &active_.pop();
      pod->place = Place::kNone;
      metrics_.add_pending(QueueName::kActive, -1);
    } else if (options_.pop_from_backoff && backoff_.has_rejected()) {
      pod = &backoff_.pop_rejected();
      metrics_.add_pending(QueueName::kBackoff, -1);
      metrics_.count_incoming(QueueName::kActive, labels().pop_from_backoff, *pod);
    } else {
      return PoppedPod(nullptr, ReturnToQueue{this});
    }
    if (move_to_in_flight(*pod)) return hand_out(*pod);
    // A pod with this UID is in flight already: the one in the queue is a double.
    discard(*pod);
  }
}

PoppedPod SchedulingQueue::pop_specific(const api::Pod& pod, Instant now) {
  if (check_open("pop_specific")) activate_one(pod, now);
  QueuedPod* found = find(key_of(pod));
  if (found == nullptr || found->place != Place::kActive) return PoppedPod(nullptr, ReturnToQueue{this});
  active_.erase(*found);
  found->place = Place::kNone;
  metrics_.add_pending(QueueName::kActive, -1);
  if (move_to_in_flight(*found)) return hand_out(*found);
  discard(*found);
  return PoppedPod(nullptr, ReturnToQueue{this});
}

Result<void> SchedulingQueue::done(std::string_view uid) {
  if (!tracks_flights_ || end_flight(uid)) return {};
  return fail(fmt::format("done: no pod with UID {} is in flight", uid));
}

Result<void> SchedulingQueue::add_unschedulable_if_not_present(PoppedPod popped, std::int64_t scheduling_cycle,
                                                               Instant now) {
  const api::PodPtr object = popped->pod;
  const std::string_view uid = object->metadata.uid;
  if (auto open = check_open("add_unschedulable_if_not_present"); !open) {
    end_flight(uid);
    return open;
  }
  const NameKey key = key_of(*object);
  if (const QueuedPod* existing = find(key); existing != nullptr) {
    end_flight(uid);
    return fail(rules_.already_present(existing->place, api::full_name(popped->pod->metadata)));
  }

  QueuedPod& pod = *popped.release();
  take_name(pod, key);
  nominator_.on_return(pod);
  const bool failed_with_error = pod.rejectors().empty();
  if (failed_with_error) {
    pod.consecutive_errors += 1;
  } else {
    pod.unschedulable_count += 1;
    pod.consecutive_errors = 0;
  }
  pod.timestamp = pod.waits_since = now;
  pod.was_flushed = false;
  backoff_.policy().on_failure(pod, now);
  count_rejectors(pod, 1);

  const QueueingStrategy strategy = decide_after_failure(pod, scheduling_cycle);
  if (options_.queueing_hints) {
    requeue(pod, strategy, labels().attempt_failure, now);
  } else if (strategy == QueueingStrategy::kSkip) {
    move_to_unschedulable(pod, pod.is_gated(), labels().attempt_failure);
  } else {
    move_to_backoff(pod, labels().attempt_failure, now);
  }
  rules_.nominations.on_return(nominator_, pod);
  end_flight(uid);
  return {};
}

QueueingStrategy SchedulingQueue::decide_after_failure(const QueuedPod& pod, std::int64_t scheduling_cycle) {
  if (updated_in_flight_.contains(pod.uid())) return QueueingStrategy::kAfterBackoff;
  const bool is_group_member = options_.generic_workload && pod.pod->spec->scheduling_group.has_value();
  if (is_group_member && options_.queueing_hints) return QueueingStrategy::kAfterBackoff;
  const bool has_moved =
      options_.queueing_hints ? in_flight_->event_count() > 0 : move_request_cycle_ >= scheduling_cycle;
  if (pod.rejectors().empty()) return rules_.after_error(has_moved);
  if (options_.queueing_hints) return decide_by_events_in_flight(pod);
  return has_moved ? QueueingStrategy::kAfterBackoff : QueueingStrategy::kSkip;
}

QueueingStrategy SchedulingQueue::decide_by_events_in_flight(const QueuedPod& pod) {
  if (!in_flight_->contains(pod.uid()) || in_flight_->missed_events(pod.uid())) return QueueingStrategy::kAfterBackoff;
  const bool may_skip_backoff = rules_.events.may_skip_backoff(pod);
  QueueingStrategy strategy = QueueingStrategy::kSkip;
  in_flight_->for_each_event_since(pod.uid(), [&](const InFlight::Event& event) {
    const QueueingStrategy by_event = decide(pod, *event.match, event.objects);
    if (by_event == QueueingStrategy::kSkip) return true;
    strategy = by_event;
    return by_event == QueueingStrategy::kAfterBackoff && may_skip_backoff;
  });
  return strategy;
}

// --- Flushes -------------------------------------------------------------------------------------------------------

Result<void> SchedulingQueue::flush_backoff_completed(Instant now) {
  if (auto open = check_open("flush_backoff_completed"); !open) return open;
  std::vector<QueuedPod*> completed;
  while (QueuedPod* pod = backoff_.pop_completed(now)) {
    metrics_.add_pending(QueueName::kBackoff, -1);
    completed.push_back(pod);
  }
  for (QueuedPod* pod : completed) move_to_active(*pod, labels().backoff_complete, true, now);
  return {};
}

Instant SchedulingQueue::next_flush_at() const {
  // A pod leaves backoff at the first flush after its window, and the pool after strictly more than the limit.
  Instant next = backoff_.next_completion();
  if (next.is_set()) next = next + backoff_.policy().leaves_after_end();
  if (const Instant since = unschedulable_.longest_waits_since(); since.is_set()) {
    const Instant forced = since + options_.maximum_in_unschedulable + Duration::nanoseconds(1);
    if (!next.is_set() || forced < next) next = forced;
  }
  return next;
}

// --- Looking -------------------------------------------------------------------------------------------------------

void SchedulingQueue::for_each_nominated(Symbol node_name, NominatedPodFn fn) const {
  for (const Nominator::Nomination& nomination : nominator_.for_node(node_name)) {
    api::PodPtr pod = nomination.pod;
    if (pod == nullptr) {
      const QueuedPod* queued = find(key_of(nomination.name_space, nomination.name));
      if (queued != nullptr) pod = queued->pod;
    }
    if (pod == nullptr && !options_.quirks.nominated_in_flight_is_a_stub) pod = in_flight_->find(nomination.uid);
    fn(nomination, pod);
  }
}

std::vector<NominatedPod> SchedulingQueue::nominated_pods_for_node(Symbol node_name) const {
  std::vector<NominatedPod> result;
  for_each_nominated(node_name, [&](const Nominator::Nomination& nomination, const api::PodPtr& pod) {
    result.push_back({nomination, pod});
  });
  return result;
}

std::size_t SchedulingQueue::count(Place place) const {
  switch (place) {
    case Place::kActive: return active_.size();
    case Place::kBackoff: return backoff_.rejected_count();
    case Place::kErrorBackoff: return backoff_.size() - backoff_.rejected_count();
    case Place::kUnschedulable: return unschedulable_.size();
    case Place::kNone: return 0;
  }
  return 0;
}

std::vector<const QueuedPod*> SchedulingQueue::pods_in(Place place) const {
  std::vector<const QueuedPod*> pods;
  for (const QueuedPod* pod : by_name_) {
    if (pod->place == place) pods.push_back(pod);
  }
  std::ranges::sort(pods, [](const QueuedPod* a, const QueuedPod* b) {
    const api::ObjectMeta &left = a->pod->metadata, &right = b->pod->metadata;
    if (left.name_space != right.name_space) return left.name_space.text() < right.name_space.text();
    return left.name < right.name;
  });
  return pods;
}

std::vector<api::PodPtr> SchedulingQueue::pending_pods(std::string* summary) const {
  std::vector<api::PodPtr> pods;
  for (const Place place : {Place::kActive, Place::kBackoff, Place::kErrorBackoff, Place::kUnschedulable}) {
    for (const QueuedPod* pod : pods_in(place)) pods.push_back(pod->pod);
  }
  if (summary != nullptr) {
    *summary = fmt::format("activeQ:{}; backoffQ:{}; unschedulablePods:{}", active_.size(), backoff_.size(),
                           unschedulable_.size());
  }
  return pods;
}

Instant SchedulingQueue::backoff_ends_at(const QueuedPod& pod) const {
  QueuedPod copy = pod;
  return backoff_.policy().ends_at(copy);
}

PluginSet SchedulingQueue::plugin_set(std::span<const Symbol> names) {
  PluginSet set;
  for (const Symbol name : names) set.insert(plugin_names_.id(name));
  return set;
}

Result<void> SchedulingQueue::close() {
  if (closed_) return fail("close: the scheduling queue is closed already");
  rules_.on_close(*in_flight_);
  closed_ = true;
  return {};
}

}  // namespace berth::queue
