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

using Kind = sim::Happening::Kind;

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
    pods_.resize(history.stories().size());
  }

  TimelineEntries collect() {
    for (const sim::Happening& happening : history_.happenings()) look_at(happening);
    return {std::move(groups_), merger_.take()};
  }

 private:
  // What is remembered of a pod on the way through the happenings.
  struct Following {
    std::uint32_t group = kNoGroup;
    bool was_rejected = false;
    bool is_parked = false;
    bool has_ended = false;
    Symbol woken_by;
  };

  void look_at(const sim::Happening& happening) {
    switch (happening.kind) {
      case Kind::kNodeAdded: return add_node(Topic::kNodesAdded, happening);
      case Kind::kNodeRemoved: return add_node(Topic::kNodesRemoved, happening);
      case Kind::kNodeChanged: return add_node(Topic::kNodeChanged, happening);
      case Kind::kSchedulerDown:
        // The queue is gone with its scheduler.
        for (Following& pod : pods_) pod.is_parked = false;
        is_down_ = true;
        return add_text(Topic::kScheduler, happening, "the scheduler went down");
      case Kind::kSchedulerUp:
        // The first start is no news.
        if (std::exchange(is_down_, false)) add_text(Topic::kScheduler, happening, "the scheduler started again");
        return;
      case Kind::kFault: return add_text(Topic::kFault, happening, happening.text);
      case Kind::kStatement: return add_text(Topic::kStatement, happening, happening.text);
      case Kind::kAutoscaler: return add_text(Topic::kAutoscaler, happening, happening.text);
      case Kind::kFailedCreate: return add_text(Topic::kFailedCreate, happening, happening.text);
      case Kind::kRollout:
        return add_text(happening.label == "stuck"      ? Topic::kRolloutStuck
                        : happening.label == "progress" ? Topic::kRolloutProgress
                                                        : Topic::kRollout,
                        happening, happening.text);
      case Kind::kDrained:
        return add_text(Topic::kDrained, happening, "drain of " + happening.node.str() + ": " + happening.text);
      case Kind::kEvictionBlocked: return add_blocked(happening);
      case Kind::kClusterEvent: return;
      default: break;
    }
    if (happening.pod < pods_.size()) look_at_pod(happening, history_.stories()[happening.pod], pods_[happening.pod]);
  }

  void look_at_pod(const sim::Happening& happening, const sim::PodStory& story, Following& pod) {
    switch (happening.kind) {
      case Kind::kCreated:
        // Another pod of the name of one that was evicted.
        victims_.erase(story.name);
        return add_created(happening, story);
      case Kind::kDeleted:
        if (!pod.has_ended) add_pod(Topic::kDeleted, happening, {});
        return;
      case Kind::kEnded: pod.has_ended = true; return add_pod(Topic::kEnded, happening, Symbol(happening.text));
      case Kind::kMoved: return follow_move(happening, pod);
      case Kind::kRejected:
      case Kind::kErred: return add_rejection(happening, pod);
      case Kind::kBound:
        if (pod.was_rejected) add_late_binding(happening, story, pod);
        return;
      case Kind::kBindingFailed: pod.was_rejected = true; return add_pod(Topic::kBindingFailed, happening, {});
      case Kind::kPreempts: return add_preemption(happening);
      case Kind::kEvicted:
        // The line of the preemption names its victims.
        if (!victims_.contains(story.name)) add_pod(Topic::kEvicted, happening, happening.node);
        return;
      case Kind::kLostWakeUp: return add_pod(Topic::kLostWakeUp, happening, {});
      default: return;
    }
  }

  void follow_move(const sim::Happening& happening, Following& pod) {
    const bool is_parked = happening.text == "unschedulable" || happening.text == "gated";
    if (pod.is_parked && !is_parked) pod.woken_by = happening.label;
    if (is_parked && !pod.is_parked) pod.woken_by = Symbol();
    pod.is_parked = is_parked;
  }

  void add_rejection(const sim::Happening& happening, Following& pod) {
    if (!pod.was_rejected) {
      add_pod(happening.kind == Kind::kRejected ? Topic::kRejected : Topic::kErred, happening, {});
    } else if (!pod.woken_by.empty()) {
      add_pod(Topic::kWokenInVain, happening, pod.woken_by);
    }
    pod.was_rejected = true;
    pod.woken_by = Symbol();
  }

  void add_created(const sim::Happening& happening, const sim::PodStory& story) {
    Entry entry = pod_entry(Topic::kCreated, happening, {});
    if (story.bound_at.is_set() && story.attempts == 0) {
      entry.placed_already = 1;
      entry.node = story.node;
    } else if (story.bound_at.is_set() && story.attempts == 1) {
      entry.bound_at_once = 1;
      entry.last_bound = story.bound_at;
      entry.node = story.node;
    }
    merger_.add(std::move(entry));
  }

  void add_late_binding(const sim::Happening& happening, const sim::PodStory& story, const Following& pod) {
    Entry entry = pod_entry(Topic::kBoundAfterRejection, happening, pod.woken_by);
    entry.longest_wait = happening.at - story.created_at;
    if (entry.node.empty()) entry.node = story.node;
    merger_.add(std::move(entry));
  }

  void add_preemption(const sim::Happening& happening) {
    Entry entry = pod_entry(Topic::kPreemption, happening, {});
    for (std::string_view rest = happening.text; !rest.empty();) {
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

  void add_pod(Topic topic, const sim::Happening& happening, Symbol detail) {
    merger_.add(pod_entry(topic, happening, detail));
  }
  static Entry entry_at(Topic topic, const sim::Happening& happening, std::uint32_t group, Symbol detail) {
    Entry entry;
    entry.topic = topic;
    entry.group = group;
    entry.detail = detail;
    entry.from = entry.to = happening.at;
    entry.count = 1;
    return entry;
  }
  Entry pod_entry(Topic topic, const sim::Happening& happening, Symbol detail) {
    Entry entry = entry_at(topic, happening, group_of(happening.pod), detail);
    entry.names = {history_.stories()[happening.pod].name};
    entry.text = happening.text;
    entry.node = happening.node;
    return entry;
  }

  void add_node(Topic topic, const sim::Happening& happening) {
    Entry entry = entry_at(topic, happening, kNoGroup, Symbol(happening.text));
    entry.names = {happening.node.str()};
    entry.text = happening.text;
    entry.node = happening.node;
    merger_.add(std::move(entry));
  }
  // The pods of a node that one budget holds are one line, whatever workload they are of.
  void add_blocked(const sim::Happening& happening) {
    Entry entry =
        entry_at(Topic::kDrainBlocked, happening, kNoGroup, Symbol(happening.node.str() + " " + happening.text));
    if (happening.pod < pods_.size()) entry.names = {history_.stories()[happening.pod].name};
    entry.text = happening.text;
    entry.node = happening.node;
    merger_.add(std::move(entry));
  }
  void add_text(Topic topic, const sim::Happening& happening, std::string text) {
    Entry entry = entry_at(topic, happening, kNoGroup, Symbol(text));
    entry.text = std::move(text);
    merger_.add(std::move(entry));
  }

  std::uint32_t group_of(sim::StoryId id) {
    std::uint32_t& group = pods_[id].group;
    if (group != kNoGroup) return group;
    const sim::PodStory& story = history_.stories()[id];
    const std::size_t slash = story.name.find('/');
    const std::string name_space = slash == std::string::npos ? "" : story.name.substr(0, slash);
    const bool is_single =
        story.group.empty() || story.group == story.name ||
        (slash != std::string::npos && std::string_view(story.name).substr(slash + 1) == story.group);
    // Static pods are owned by their nodes; a dump has some for each.
    const std::string owner = story.group.starts_with("Node/") ? "the nodes themselves" : story.group;
    const std::string key = is_single ? std::string(without_number(story.name)) : name_space + "/" + owner;
    const auto [it, is_new] = group_by_key_.try_emplace({is_single, key}, static_cast<std::uint32_t>(groups_.size()));
    if (is_new) groups_.push_back({is_single ? "" : owner, name_space});
    return group = it->second;
  }

  const sim::History& history_;
  Merger merger_;
  std::vector<Following> pods_;                 // by story
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
