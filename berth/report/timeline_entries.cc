#include "berth/report/timeline_entries.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace berth::report {

namespace {

using Kind = sim::HistoryEvent::Kind;

struct EntryKey {
  Topic topic;
  std::uint32_t group;
  Symbol detail;
  bool operator==(const EntryKey&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const EntryKey& key) {
    return H::combine(std::move(h), static_cast<int>(key.topic), key.group, key.detail.id());
  }
};

// Entries that may still grow, by what they are about.
class Merger {
 public:
  explicit Merger(Duration gap) : gap_(gap) {}

  // Joins `entry` to an earlier one of its kind, or lets it stand. Entries come in order of `from`.
  void add(Entry entry) {
    const EntryKey key{entry.topic, entry.group, entry.detail};
    const auto [it, is_new] = open_.try_emplace(key, entries_.size());
    if (!is_new) {
      Entry& earlier = entries_[it->second];
      if (entry.from - earlier.to <= gap_) return join(earlier, std::move(entry));
      it->second = entries_.size();
    }
    entries_.push_back(std::move(entry));
  }
  std::vector<Entry> take() { return std::move(entries_); }

 private:
  static void join(Entry& into, Entry&& entry) {
    into.to = std::max(into.to, entry.to);
    into.count += entry.count;
    for (std::string& name : entry.names) {
      if (into.names.size() == kNamesOfEntry) break;
      if (std::ranges::find(into.names, name) == into.names.end()) into.names.push_back(std::move(name));
    }
    for (std::string& victim : entry.victims) {
      if (into.victims.size() < kNamesOfEntry) into.victims.push_back(std::move(victim));
    }
    if (into.node != entry.node) into.node = Symbol();
    into.victim_count += entry.victim_count;
    into.placed_already += entry.placed_already;
    into.bound_at_once += entry.bound_at_once;
    into.last_bound = std::max(into.last_bound, entry.last_bound);
    into.longest_wait = std::max(into.longest_wait, entry.longest_wait);
  }

  Duration gap_;
  std::vector<Entry> entries_;
  absl::flat_hash_map<EntryKey, std::size_t> open_;
};

std::string_view without_number(std::string_view name) {
  std::string_view stem = name;
  while (!stem.empty() && stem.back() >= '0' && stem.back() <= '9') stem.remove_suffix(1);
  while (stem.ends_with('-')) stem.remove_suffix(1);
  return stem.empty() || stem.ends_with('/') ? name : stem;
}

class Collector {
 public:
  Collector(const sim::History& history, Duration gap) : history_(history), merger_(gap) {
    pods_.resize(history.pod_timelines().size());
  }

  TimelineEntries collect() {
    for (const sim::HistoryEvent& history_event : history_.history_events()) look_at(history_event);
    return {std::move(groups_), merger_.take()};
  }

 private:
  // What is remembered of a pod on the way through the events.
  struct Following {
    std::uint32_t group = kNoGroup;
    bool was_rejected = false;
    bool is_parked = false;
    bool has_ended = false;
    Symbol woken_by;
  };

  void look_at(const sim::HistoryEvent& history_event) {
    switch (history_event.kind) {
      case Kind::kNodeAdded: return add_node(Topic::kNodesAdded, history_event);
      case Kind::kNodeRemoved: return add_node(Topic::kNodesRemoved, history_event);
      case Kind::kNodeChanged: return add_node(Topic::kNodeChanged, history_event);
      case Kind::kSchedulerDown:
        // The queue is gone with its scheduler.
        for (Following& pod : pods_) pod.is_parked = false;
        is_down_ = true;
        return add_text(Topic::kScheduler, history_event, "the scheduler went down");
      case Kind::kSchedulerUp:
        // The first start is no news.
        if (std::exchange(is_down_, false)) add_text(Topic::kScheduler, history_event, "the scheduler started again");
        return;
      case Kind::kFault: return add_text(Topic::kFault, history_event, history_event.text);
      case Kind::kStatement: return add_text(Topic::kStatement, history_event, history_event.text);
      case Kind::kAutoscaler: return add_text(Topic::kAutoscaler, history_event, history_event.text);
      case Kind::kFailedCreate: return add_text(Topic::kFailedCreate, history_event, history_event.text);
      case Kind::kRollout:
        return add_text(history_event.label == "stuck"      ? Topic::kRolloutStuck
                        : history_event.label == "progress" ? Topic::kRolloutProgress
                                                            : Topic::kRollout,
                        history_event, history_event.text);
      case Kind::kDrained:
        return add_text(Topic::kDrained, history_event,
                        "drain of " + history_event.node.str() + ": " + history_event.text);
      case Kind::kEvictionBlocked: return add_blocked(history_event);
      case Kind::kClusterEvent: return;
      default: break;
    }
    if (history_event.pod < pods_.size())
      look_at_pod(history_event, history_.pod_timelines()[history_event.pod], pods_[history_event.pod]);
  }

  void look_at_pod(const sim::HistoryEvent& history_event, const sim::PodTimeline& pod_timeline, Following& pod) {
    switch (history_event.kind) {
      case Kind::kCreated:
        // Another pod of the name of one that was evicted.
        victims_.erase(pod_timeline.name);
        return add_created(history_event, pod_timeline);
      case Kind::kDeleted:
        if (!pod.has_ended) add_pod(Topic::kDeleted, history_event, {});
        return;
      case Kind::kEnded: pod.has_ended = true; return add_pod(Topic::kEnded, history_event, Symbol(history_event.text));
      case Kind::kMoved: return follow_move(history_event, pod);
      case Kind::kRejected:
      case Kind::kErred: return add_rejection(history_event, pod);
      case Kind::kBound:
        if (pod.was_rejected) add_late_binding(history_event, pod_timeline, pod);
        return;
      case Kind::kBindingFailed: pod.was_rejected = true; return add_pod(Topic::kBindingFailed, history_event, {});
      case Kind::kPreempts: return add_preemption(history_event);
      case Kind::kEvicted:
        // The line of the preemption names its victims.
        if (!victims_.contains(pod_timeline.name)) add_pod(Topic::kEvicted, history_event, history_event.node);
        return;
      case Kind::kLostWakeUp: return add_pod(Topic::kLostWakeUp, history_event, {});
      default: return;
    }
  }

  void follow_move(const sim::HistoryEvent& history_event, Following& pod) {
    const bool is_parked = history_event.text == "unschedulable" || history_event.text == "gated";
    if (pod.is_parked && !is_parked) pod.woken_by = history_event.label;
    if (is_parked && !pod.is_parked) pod.woken_by = Symbol();
    pod.is_parked = is_parked;
  }

  void add_rejection(const sim::HistoryEvent& history_event, Following& pod) {
    if (!pod.was_rejected) {
      add_pod(history_event.kind == Kind::kRejected ? Topic::kRejected : Topic::kErred, history_event, {});
    } else if (!pod.woken_by.empty()) {
      add_pod(Topic::kWokenInVain, history_event, pod.woken_by);
    }
    pod.was_rejected = true;
    pod.woken_by = Symbol();
  }

  void add_created(const sim::HistoryEvent& history_event, const sim::PodTimeline& pod_timeline) {
    Entry entry = pod_entry(Topic::kCreated, history_event, {});
    if (pod_timeline.bound_at.is_set() && pod_timeline.attempts == 0) {
      entry.placed_already = 1;
      entry.node = pod_timeline.node;
    } else if (pod_timeline.bound_at.is_set() && pod_timeline.attempts == 1) {
      entry.bound_at_once = 1;
      entry.last_bound = pod_timeline.bound_at;
      entry.node = pod_timeline.node;
    }
    merger_.add(std::move(entry));
  }

  void add_late_binding(const sim::HistoryEvent& history_event, const sim::PodTimeline& pod_timeline,
                        const Following& pod) {
    Entry entry = pod_entry(Topic::kBoundAfterRejection, history_event, pod.woken_by);
    entry.longest_wait = history_event.at - pod_timeline.created_at;
    if (entry.node.empty()) entry.node = pod_timeline.node;
    merger_.add(std::move(entry));
  }

  void add_preemption(const sim::HistoryEvent& history_event) {
    Entry entry = pod_entry(Topic::kPreemption, history_event, {});
    for (std::string_view rest = history_event.text; !rest.empty();) {
      constexpr std::string_view kBetween = ", ";
      const std::size_t end = std::min(rest.find(kBetween), rest.size());
      const std::string victim(rest.substr(0, end));
      rest.remove_prefix(std::min(end + kBetween.size(), rest.size()));
      // While it ends, another pod may count on its room as well: it is one victim nevertheless.
      if (!victims_.insert(victim).second) continue;
      ++entry.victim_count;
      if (entry.victims.size() < kNamesOfEntry) entry.victims.push_back(victim);
    }
    merger_.add(std::move(entry));
  }

  void add_pod(Topic topic, const sim::HistoryEvent& history_event, Symbol detail) {
    merger_.add(pod_entry(topic, history_event, detail));
  }
  static Entry entry_at(Topic topic, const sim::HistoryEvent& history_event, std::uint32_t group, Symbol detail) {
    Entry entry;
    entry.topic = topic;
    entry.group = group;
    entry.detail = detail;
    entry.from = entry.to = history_event.at;
    entry.count = 1;
    return entry;
  }
  Entry pod_entry(Topic topic, const sim::HistoryEvent& history_event, Symbol detail) {
    Entry entry = entry_at(topic, history_event, group_of(history_event.pod), detail);
    entry.names = {history_.pod_timelines()[history_event.pod].name};
    entry.text = history_event.text;
    entry.node = history_event.node;
    return entry;
  }

  void add_node(Topic topic, const sim::HistoryEvent& history_event) {
    Entry entry = entry_at(topic, history_event, kNoGroup, Symbol(history_event.text));
    entry.names = {history_event.node.str()};
    entry.text = history_event.text;
    entry.node = history_event.node;
    merger_.add(std::move(entry));
  }
  // The pods of a node that one budget holds are one line, whatever workload they are of.
  void add_blocked(const sim::HistoryEvent& history_event) {
    Entry entry = entry_at(Topic::kDrainBlocked, history_event, kNoGroup,
                           Symbol(history_event.node.str() + " " + history_event.text));
    if (history_event.pod < pods_.size()) entry.names = {history_.pod_timelines()[history_event.pod].name};
    entry.text = history_event.text;
    entry.node = history_event.node;
    merger_.add(std::move(entry));
  }
  void add_text(Topic topic, const sim::HistoryEvent& history_event, std::string text) {
    Entry entry = entry_at(topic, history_event, kNoGroup, Symbol(text));
    entry.text = std::move(text);
    merger_.add(std::move(entry));
  }

  std::uint32_t group_of(sim::TimelineId id) {
    std::uint32_t& group = pods_[id].group;
    if (group != kNoGroup) return group;
    const sim::PodTimeline& pod_timeline = history_.pod_timelines()[id];
    const std::size_t slash = pod_timeline.name.find('/');
    const std::string name_space = slash == std::string::npos ? "" : pod_timeline.name.substr(0, slash);
    const bool is_single =
        pod_timeline.group.empty() || pod_timeline.group == pod_timeline.name ||
        (slash != std::string::npos && std::string_view(pod_timeline.name).substr(slash + 1) == pod_timeline.group);
    // Static pods are owned by their nodes; a dump has some for each.
    const std::string owner = pod_timeline.group.starts_with("Node/") ? "the nodes themselves" : pod_timeline.group;
    const std::string key = is_single ? std::string(without_number(pod_timeline.name)) : name_space + "/" + owner;
    const auto [it, is_new] = group_by_key_.try_emplace({is_single, key}, static_cast<std::uint32_t>(groups_.size()));
    if (is_new) groups_.push_back({is_single ? "" : owner, name_space});
    return group = it->second;
  }

  const sim::History& history_;
  Merger merger_;
  std::vector<Following> pods_;                 // by timeline
  std::set<std::string, std::less<>> victims_;  // until there is another pod of the name
  bool is_down_ = false;
  std::vector<PodGroup> groups_;
  std::map<std::pair<bool, std::string>, std::uint32_t> group_by_key_;
};

}  // namespace

TimelineEntries collect_entries(const sim::History& history, Duration gap) {
  return Collector(history, gap).collect();
}

std::vector<Entry> merge_entries(std::vector<Entry> entries, Duration gap) {
  Merger merger(gap);
  for (Entry& entry : entries) merger.add(std::move(entry));
  return merger.take();
}

}  // namespace berth::report
