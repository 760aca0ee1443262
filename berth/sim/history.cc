#include "berth/sim/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

#include "berth/api/meta.h"

namespace berth::sim {

namespace {

using Kind = HistoryEvent::Kind;

struct Labels {
  Symbol timeout{"UnschedulableTimeout"};
  std::array<Symbol, 4> no_events{Symbol("ScheduleAttemptFailure"), Symbol("BackoffComplete"),
                                  Symbol("PopFromBackoffQ"), Symbol("ForceActivate")};
};

const Labels& labels() {
  static const Labels all;
  return all;
}

// Whether the label of a move is that of something that happened in the cluster.
bool is_event(Symbol label) {
  for (const Symbol each : labels().no_events) {
    if (each == label) return false;
  }
  return label != labels().timeout && !label.empty();
}

struct Places {
  Symbol active{"active"};
  Symbol backoff{"backoff"};
  Symbol unschedulable{"unschedulable"};
  Symbol gated{"gated"};
};

const Places& places() {
  static const Places all;
  return all;
}

Symbol place_of(const queue::QueuedPod& pod, queue::QueueName queue) {
  switch (queue) {
    case queue::QueueName::kActive: return places().active;
    case queue::QueueName::kBackoff: return places().backoff;
    case queue::QueueName::kUnschedulable: return pod.is_gated() ? places().gated : places().unschedulable;
    case queue::QueueName::kGated: return places().gated;
  }
  return {};
}

}  // namespace

const PodTimeline* History::pod_timeline(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &pod_timelines_[it->second];
}

const PodTimeline* History::timeline_of_uid(std::string_view uid) const {
  const auto it = by_uid_.find(uid);
  return it == by_uid_.end() ? nullptr : &pod_timelines_[it->second];
}

TimelineId History::find(const api::Pod& pod) const {
  const auto it = by_uid_.find(pod.metadata.uid);
  return it == by_uid_.end() ? kNoTimeline : it->second;
}

std::size_t History::add(HistoryEvent history_event) {
  if (history_events_.size() >= max_events_) {
    was_cut_ = true;
    return kNoCause;
  }
  history_events_.push_back(std::move(history_event));
  return history_events_.size() - 1;
}

// --- Written by the world --------------------------------------------------------------------------------------------

TimelineId History::created(const api::Pod& pod, std::string group, Instant now) {
  const auto id = static_cast<TimelineId>(pod_timelines_.size());
  PodTimeline& pod_timeline = pod_timelines_.emplace_back();
  tracking_.emplace_back();
  pod_timeline.uid = pod.metadata.uid;
  pod_timeline.name = api::full_name(pod.metadata);
  pod_timeline.group = group.empty() ? pod_timeline.name : std::move(group);
  pod_timeline.created_at = now;
  pod_timeline.priority = api::priority_of(pod);
  if (!pod.spec.node_name.empty()) {
    pod_timeline.node = pod.spec.node_name;
    pod_timeline.bound_at = now;
  }
  by_name_[pod_timeline.name] = id;
  by_uid_[pod_timeline.uid] = id;
  add({.at = now,
       .kind = Kind::kCreated,
       .pod = id,
       .node = pod_timeline.node,
       .label = {},
       .cause = kNoCause,
       .text = {}});
  return id;
}

void History::pod_gone(const api::Pod& pod, bool ran_to_its_end, Instant now) {
  const TimelineId id = find(pod);
  if (id == kNoTimeline) return;
  PodTimeline& pod_timeline = pod_timelines_[id];
  const bool has_ended = ran_to_its_end || api::is_terminal(pod);
  if (has_ended && !pod_timeline.gone_at.is_set()) {
    pod_timeline.gone_at = now;
    pod_timeline.succeeded = ran_to_its_end;
    add({.at = now,
         .kind = Kind::kEnded,
         .pod = id,
         .node = pod.spec.node_name,
         .label = {},
         .cause = kNoCause,
         .text = pod.status.phase.str()});
    return;
  }
  if (tracking_[id].is_deleted) return;
  tracking_[id].is_deleted = true;
  if (!pod_timeline.gone_at.is_set()) pod_timeline.gone_at = now;
  add({.at = now,
       .kind = Kind::kDeleted,
       .pod = id,
       .node = pod.spec.node_name,
       .label = {},
       .cause = kNoCause,
       .text = {}});
}

void History::bound_in_api(const api::Pod& pod, Instant now) {
  const TimelineId id = find(pod);
  if (id == kNoTimeline) return;
  pod_timelines_[id].bound_at = now;
  pod_timelines_[id].node = pod.spec.node_name;
  ++counts_.bound;
  add({.at = now,
       .kind = Kind::kBound,
       .pod = id,
       .node = pod.spec.node_name,
       .label = {},
       .cause = tracking_[id].last_attempt,
       .text = {}});
}

void History::evicted(const api::Pod& pod, Instant now) {
  const TimelineId id = find(pod);
  if (id == kNoTimeline || pod_timelines_[id].preempted) return;
  pod_timelines_[id].preempted = true;
  leaves(pod, Departure::kPreempted);
  ++counts_.evicted;
  add({.at = now,
       .kind = Kind::kEvicted,
       .pod = id,
       .node = pod.spec.node_name,
       .label = {},
       .cause = kNoCause,
       .text = {}});
}

void History::leaves(const api::Pod& pod, Departure departure) {
  const TimelineId id = find(pod);
  if (id != kNoTimeline && pod_timelines_[id].departure == Departure::kNone) pod_timelines_[id].departure = departure;
}

void History::eviction_blocked(const api::Pod& pod, std::string by, Instant now) {
  note(Kind::kEvictionBlocked, now, std::move(by), pod.spec.node_name, find(pod));
}

void History::rollout(Symbol what, std::string text, Instant now) {
  add({.at = now,
       .kind = Kind::kRollout,
       .pod = kNoTimeline,
       .node = {},
       .label = what,
       .cause = kNoCause,
       .text = std::move(text)});
}

void History::published(const api::Pod& pod, Symbol type, Symbol reason, std::string note, Instant now) {
  if (events_.size() >= max_events_) {
    was_cut_ = true;
    return;
  }
  events_.push_back(
      {.at = now, .pod = find(pod), .about = {}, .type = type, .reason = reason, .note = std::move(note)});
}

void History::creation_failed(std::string_view kind, const api::ObjectMeta& owner, std::string text,
                              std::string_view message, Instant now) {
  note(Kind::kFailedCreate, now, std::move(text));
  if (events_.size() >= max_events_) {
    was_cut_ = true;
    return;
  }
  events_.push_back({.at = now,
                     .pod = kNoTimeline,
                     .about = fmt::format("{} {}", kind, api::full_name(owner)),
                     .type = Symbol("Warning"),
                     .reason = Symbol("FailedCreate"),
                     .note = fmt::format("Error creating: {}", message)});
}

void History::note(HistoryEvent::Kind kind, Instant now, std::string text, Symbol node, TimelineId pod) {
  if (kind == Kind::kSchedulerUp) ++counts_.restarts;
  if (kind == Kind::kLostWakeUp) ++counts_.lost_wake_ups;
  if (kind == Kind::kSchedulerDown) {
    for (Tracking& each : tracking_) each.place = {};  // the queue is gone with its scheduler
  }
  add({.at = now, .kind = kind, .pod = pod, .node = node, .label = {}, .cause = kNoCause, .text = std::move(text)});
}

// --- engine::Observer ------------------------------------------------------------------------------------------------

void History::event_happened(const queue::ClusterEvent& event, Instant now) {
  last_event_ = {.at = now, .event = event, .history_event = kNoCause};
  if (event_listener_ != nullptr) event_listener_->event_happened(event, now);
}

std::size_t History::cause_of_move(Symbol label, Instant now) {
  if (last_event_.at != now || last_event_.event.label() != label) return kNoCause;
  if (last_event_.history_event == kNoCause) {
    last_event_.history_event = add({.at = now,
                                     .kind = Kind::kClusterEvent,
                                     .pod = kNoTimeline,
                                     .node = {},
                                     .label = label,
                                     .cause = kNoCause,
                                     .text = {}});
  }
  return last_event_.history_event;
}

void History::count_wake_up(TimelineId id, Symbol label) {
  PodTimeline& pod_timeline = pod_timelines_[id];
  ++pod_timeline.wake_ups;
  pod_timeline.woken_by = label;
  tracking_[id].is_woken = true;
  ++counts_.wake_ups;
  ++counts_.wake_ups_by_label[label.str()];
}

void History::pod_moved(const queue::QueuedPod& pod, queue::QueueName queue, Symbol label, Instant now) {
  const TimelineId id = find(*pod.pod);
  if (id == kNoTimeline) return;
  Tracking& tracking = tracking_[id];
  const Symbol place = place_of(pod, queue);
  const bool leaves = tracking.place == places().unschedulable && place != places().unschedulable;
  const bool is_tried = place == places().active || place == places().backoff;
  if (leaves && is_tried && is_event(label)) count_wake_up(id, label);
  const bool was_held = leaves || tracking.place == places().gated;
  if (was_held && is_tried && label == labels().timeout) {
    pod_timelines_[id].rescued_by_flush = true;
    ++counts_.flushed;
  }
  tracking.place = place;
  const std::size_t cause = cause_of_move(label, now);
  const std::size_t move = add(
      {.at = now, .kind = Kind::kMoved, .pod = id, .node = {}, .label = label, .cause = cause, .text = place.str()});
  if (is_tried) tracking.last_move = move;
}

void History::attempt_ended(const api::Pod& pod, const engine::AttemptRecord& record, Instant now) {
  const TimelineId id = find(pod);
  if (id == kNoTimeline) return;
  Tracking& tracking = tracking_[id];
  const bool was_woken = std::exchange(tracking.is_woken, false);
  if (record.result == engine::AttemptResult::kSkipped) return;
  ++pod_timelines_[id].attempts;
  ++counts_.attempts;
  HistoryEvent history_event{.at = now,
                             .kind = Kind::kPlaced,
                             .pod = id,
                             .node = record.node,
                             .label = record.woken_by,
                             .cause = tracking.last_move,
                             .text = record.detail().message};
  switch (record.result) {
    case engine::AttemptResult::kPlaced:
    case engine::AttemptResult::kSkipped: break;
    case engine::AttemptResult::kUnschedulable:
      history_event.kind = Kind::kRejected;
      ++counts_.rejected;
      if (was_woken) {
        ++pod_timelines_[id].wasted;
        ++counts_.wasted_wake_ups;
      }
      break;
    case engine::AttemptResult::kError:
      history_event.kind = Kind::kErred;
      ++counts_.errors;
      break;
  }
  tracking.last_attempt = add(std::move(history_event));
}

void History::pod_bound(const api::Pod& /*pod*/, Symbol /*node*/, Instant /*now*/) {
  // What counts is what the API server has: bound_in_api().
}

void History::binding_failed(const api::Pod& pod, Symbol node, std::string_view why, Instant now) {
  const TimelineId id = find(pod);
  if (id == kNoTimeline) return;
  ++counts_.binding_failures;
  add({.at = now,
       .kind = Kind::kBindingFailed,
       .pod = id,
       .node = node,
       .label = {},
       .cause = tracking_[id].last_attempt,
       .text = std::string(why)});
}

void History::preemption_began(const api::Pod& preemptor, Symbol node, const std::vector<api::PodPtr>& victims,
                               Instant now) {
  const TimelineId id = find(preemptor);
  if (id == kNoTimeline) return;
  ++counts_.preemptions;
  std::vector<std::string> names;
  names.reserve(victims.size());
  for (const api::PodPtr& victim : victims) {
    names.push_back(api::full_name(victim->metadata));
    if (const TimelineId of_victim = find(*victim); of_victim != kNoTimeline) pod_timelines_[of_victim].preemptor = id;
  }
  add({.at = now,
       .kind = Kind::kPreempts,
       .pod = id,
       .node = node,
       .label = {},
       .cause = tracking_[id].last_move,
       .text = fmt::format("{}", fmt::join(names, ", "))});
}

}  // namespace berth::sim
