#include "berth/report/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/symbol.h"
#include "berth/report/trace_writer.h"
#include "berth/report/words.h"

namespace berth::report {

namespace {

using Kind = sim::HistoryEvent::Kind;

// Where a pod is, as far as the trace tells: the queues, and what comes after.
constexpr std::array<std::string_view, 6> kPlaces = {"active", "backoff", "unschedulable",
                                                     "gated",  "binding", "running"};
constexpr std::size_t kBinding = 4;
constexpr std::size_t kRunning = 5;
constexpr std::size_t kNowhere = kPlaces.size();

std::size_t place_named(std::string_view name) {
  for (std::size_t i = 0; i < kPlaces.size(); ++i) {
    if (kPlaces[i] == name) return i;
  }
  return kNowhere;
}
bool is_parked(std::size_t place) {
  return place != kNowhere && (kPlaces[place] == "unschedulable" || kPlaces[place] == "gated");
}

class Tracer {
 public:
  Tracer(const sim::History& history, const TraceOptions& options, std::ostream& out)
      : history_(history), options_(options), writer_(out, options.epoch), pods_(history.pod_timelines().size()) {}

  void write() {
    writer_.name_process(TraceProcess::kCluster, "cluster");
    writer_.name_track(TraceProcess::kCluster, kTimelineTrack, "nodes, scheduler, scenario");
    writer_.name_process(TraceProcess::kQueues, "queues (pods)");
    const std::size_t pods = pods_.size();
    writer_.name_process(TraceProcess::kPods, pods <= options_.max_pods
                                                  ? "pods"
                                                  : fmt::format("pods (the first {} of {})",
                                                                grouped(static_cast<std::int64_t>(options_.max_pods)),
                                                                grouped(static_cast<std::int64_t>(pods))));
    for (std::size_t i = 0; i < history_.history_events().size(); ++i) look_at(i, history_.history_events()[i]);
    write_counters();
    write_instant(std::max(now_, options_.end));
    for (auto& [label, track] : event_tracks_) track.finish(options_.end);
    for (Following& pod : pods_) {
      if (pod.track) pod.track->finish(options_.end);
    }
    writer_.close();
  }

 private:
  static constexpr std::uint64_t kTimelineTrack = 1;

  struct Following {
    std::optional<Track> track;
    std::size_t place = kNowhere;
    std::uint64_t arrow = 0;  // the one that leads to this pod's next step; 0: none
  };

  void look_at(std::size_t index, const sim::HistoryEvent& history_event) {
    if (history_event.at > now_) {
      write_counters();
      write_instant(history_event.at);
    }
    now_ = history_event.at;
    switch (history_event.kind) {
      case Kind::kNodeAdded: return tell("node " + history_event.node.str() + " added", history_event.at);
      case Kind::kNodeRemoved: return tell("node " + history_event.node.str() + " removed", history_event.at);
      case Kind::kNodeChanged:
        return tell(fmt::format("node {}: {}", history_event.node.text(), history_event.text), history_event.at);
      case Kind::kSchedulerDown: forget_queues(history_event.at); return tell("scheduler down", history_event.at);
      case Kind::kSchedulerUp: return tell("scheduler up", history_event.at);
      case Kind::kDrained:
        return tell(fmt::format("drain of {}: {}", history_event.node.text(), history_event.text), history_event.at);
      case Kind::kFault:
      case Kind::kRollout:
      case Kind::kStatement: return tell(history_event.text, history_event.at);
      case Kind::kClusterEvent:
        return event_track(history_event.label).mark(history_event.label.str(), history_event.text, history_event.at);
      default: break;
    }
    if (history_event.pod < pods_.size()) look_at_pod(index, history_event, pods_[history_event.pod]);
  }

  void look_at_pod(std::size_t index, const sim::HistoryEvent& history_event, Following& pod) {
    Track* track = track_of(history_event.pod);
    const auto mark = [&](std::string name, std::string note = {}) {
      if (track != nullptr) track->mark(std::move(name), std::move(note), history_event.at);
    };
    switch (history_event.kind) {
      case Kind::kMoved: return move(index, history_event, pod, track);
      case Kind::kRejected:
      case Kind::kErred:
        mark(history_event.kind == Kind::kErred ? "try: error" : "try: rejected", history_event.text);
        return lead_to(track, pod, 'f');
      case Kind::kPlaced:
        go(pod, track, kBinding, history_event.at);
        mark("try: " + history_event.node.str());
        if (pod.arrow == 0) {
          pod.arrow = index + 1;
          if (track != nullptr) track->arrow('s', pod.arrow);
          return;
        }
        return lead_to(track, pod, 't');
      case Kind::kBound:
        go(pod, track, kRunning, history_event.at);
        mark("bound to " + history_event.node.str());
        return lead_to(track, pod, 'f');
      case Kind::kBindingFailed:
        mark("binding failed", history_event.text);
        lead_to(track, pod, 'f');
        return go(pod, track, kNowhere, history_event.at);
      case Kind::kEnded:
      case Kind::kDeleted:
        mark(history_event.kind == Kind::kEnded ? "ended" : "deleted");
        return go(pod, track, kNowhere, history_event.at);
      case Kind::kCreated: return mark("created");
      case Kind::kPreempts: return mark("preempts", history_event.text);
      case Kind::kEvicted: return mark("evicted");
      case Kind::kEvictionBlocked: return mark("eviction blocked", "by " + history_event.text);
      case Kind::kLostWakeUp: return mark("lost wake-up", history_event.text);
      case Kind::kFailedCreate: return mark("failed create", history_event.text);
      default: return;
    }
  }

  void move(std::size_t index, const sim::HistoryEvent& history_event, Following& pod, Track* track) {
    const std::size_t to = place_named(history_event.text);
    const bool is_woken = is_parked(pod.place) && !is_parked(to);
    go(pod, track, to, history_event.at);
    if (!is_woken || track == nullptr) return;
    track->mark("woken by " + history_event.label.str(), {}, history_event.at);
    pod.arrow = index + 1;
    if (Track* event = event_track_of(history_event)) {
      event->arrow('s', pod.arrow);
      track->arrow('t', pod.arrow);
    } else {
      track->arrow('s', pod.arrow);
    }
  }

  // What happened in the instant that is over, on all tracks: an arrow has to begin before it goes on, also where all
  // of its points are of one time. So the events that wake pods come first, and then the pods.
  void write_instant(Instant next) {
    for (auto& [label, track] : event_tracks_) track.advance(next);
    for (const sim::TimelineId id : touched_) pods_[id].track->advance(next);
    touched_.clear();
  }

  // The track of the event that moved a pod, if its mark is the last one there and of this very time.
  Track* event_track_of(const sim::HistoryEvent& move) {
    if (move.cause == sim::kNoCause || move.cause >= history_.history_events().size()) return nullptr;
    const sim::HistoryEvent& event = history_.history_events()[move.cause];
    if (event.kind != Kind::kClusterEvent || event.at != move.at) return nullptr;
    return &event_track(event.label);
  }

  // The arrow under way reaches the last mark of the pod.
  static void lead_to(Track* track, Following& pod, char point) {
    if (pod.arrow == 0) return;
    if (track != nullptr) track->arrow(point, pod.arrow);
    if (point == 'f') pod.arrow = 0;
  }

  // A scheduler that is gone has no queues.
  void forget_queues(Instant at) {
    for (Following& pod : pods_) {
      if (pod.place < kBinding) go(pod, pod.track ? &*pod.track : nullptr, kNowhere, at);
      pod.arrow = 0;
    }
  }

  void go(Following& pod, Track* track, std::size_t place, Instant at) {
    if (pod.place != kNowhere) add_to_counter(pod.place, -1);
    if (place != kNowhere) add_to_counter(place, 1);
    pod.place = place;
    if (track != nullptr) track->enter(place == kNowhere ? std::string_view() : kPlaces[place], at);
  }

  void tell(const std::string& text, Instant at) { writer_.instant(TraceProcess::kCluster, kTimelineTrack, text, at); }

  Track* track_of(sim::TimelineId id) {
    if (id >= options_.max_pods) return nullptr;
    std::optional<Track>& track = pods_[id].track;
    if (touched_.empty() || touched_.back() != id) touched_.push_back(id);
    if (!track) {
      track.emplace(writer_, TraceProcess::kPods, std::uint64_t{id} + 1);
      writer_.name_track(TraceProcess::kPods, std::uint64_t{id} + 1, history_.pod_timelines()[id].name);
    }
    return &*track;
  }

  Track& event_track(Symbol label) {
    const auto it = event_tracks_.find(label);
    if (it != event_tracks_.end()) return it->second;
    const std::uint64_t number = kTimelineTrack + 1 + event_tracks_.size();
    writer_.name_track(TraceProcess::kCluster, number, label.text());
    return event_tracks_.emplace(label, Track(writer_, TraceProcess::kCluster, number)).first->second;
  }

  void add_to_counter(std::size_t place, int delta) {
    counters_[place].value += delta;
    counters_[place].is_new = true;
  }
  void write_counters() {
    for (std::size_t i = 0; i < counters_.size(); ++i) {
      if (!counters_[i].is_new) continue;
      writer_.counter(kPlaces[i], counters_[i].value, now_);
      counters_[i].is_new = false;
    }
  }

  struct Counter {
    std::int64_t value = 0;
    bool is_new = false;  // since it was written
  };

  const sim::History& history_;
  const TraceOptions& options_;
  TraceWriter writer_;
  std::vector<Following> pods_;  // by timeline
  std::map<Symbol, Track, SymbolTextLess> event_tracks_;
  std::array<Counter, kPlaces.size()> counters_;
  std::vector<sim::TimelineId> touched_;  // in this instant
  Instant now_;
};

}  // namespace

void write_trace(const sim::History& history, const TraceOptions& options, std::ostream& out) {
  Tracer(history, options, out).write();
}

}  // namespace berth::report
