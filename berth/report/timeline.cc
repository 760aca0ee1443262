#include "berth/report/timeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "berth/explain/words.h"
#include "berth/queue/cluster_event.h"
#include "berth/report/timeline_entries.h"
#include "berth/report/words.h"

namespace berth::report {

namespace {

// How far apart events of one line may be, tried in turn until the lines are few enough.
constexpr std::array<std::int64_t, 6> kGapSeconds = {1, 5, 30, 120, 600, 3600};
// ... but a line never bridges more than this part of the whole time.
constexpr std::int64_t kLongestGapShare = 20;

std::string_view kind_of(Topic topic) {
  switch (topic) {
    case Topic::kWokenInVain: return "wokenInVain";
    case Topic::kDeleted: return "deleted";
    case Topic::kEnded: return "ended";
    case Topic::kCreated: return "created";
    case Topic::kBindingFailed: return "bindingFailed";
    case Topic::kBoundAfterRejection: return "bound";
    case Topic::kEvicted: return "evicted";
    case Topic::kErred: return "error";
    case Topic::kNodeChanged:
    case Topic::kNodesAdded:
    case Topic::kNodesRemoved: return "node";
    case Topic::kRejected: return "rejected";
    case Topic::kStatement: return "statement";
    case Topic::kAutoscaler: return "autoscaler";
    case Topic::kRolloutProgress:
    case Topic::kRollout: return "rollout";
    case Topic::kRolloutStuck: return "rolloutStuck";
    case Topic::kDrained: return "drain";
    case Topic::kDrainBlocked: return "drainBlocked";
    case Topic::kPreemption: return "preemption";
    case Topic::kFailedCreate: return "failedCreate";
    case Topic::kFault: return "fault";
    case Topic::kScheduler: return "scheduler";
    case Topic::kLostWakeUp: return "lostWakeUp";
  }
  return "";
}

// In the default namespace the name is enough.
std::string_view shown(std::string_view pod) {
  constexpr std::string_view kDefault = "default/";
  return pod.starts_with(kDefault) ? pod.substr(kDefault.size()) : pod;
}

class Words {
 public:
  explicit Words(const std::vector<PodGroup>& groups) : groups_(groups) {}

  std::string line(const Entry& entry) const {
    switch (entry.topic) {
      case Topic::kNodesAdded: return nodes(entry) + " added";
      case Topic::kNodesRemoved: return nodes(entry) + " removed";
      case Topic::kNodeChanged: return node_change(entry);
      case Topic::kScheduler:
      case Topic::kFault:
      case Topic::kAutoscaler:
      case Topic::kFailedCreate:
      case Topic::kRolloutProgress:
      case Topic::kRollout:
      case Topic::kDrained:
      case Topic::kStatement: return entry.count == 1 ? entry.text : fmt::format("{} ({}x)", entry.text, entry.count);
      case Topic::kRolloutStuck: return std::string(short_message(entry.text));
      case Topic::kDrainBlocked:
        return fmt::format(
            "drain of {} is blocked by {}: {} {}", entry.node.text(), entry.text,
            entry.count == 1 ? some_names(entry) : fmt::format("{} pods ({})", grouped(entry.count), some_names(entry)),
            entry.count == 1 ? "stays" : "stay");
      case Topic::kCreated: return created(entry);
      case Topic::kDeleted: return pods(entry) + " deleted" + over(entry);
      case Topic::kEnded: return pods(entry) + (entry.detail == "Failed" ? " failed" : " ended") + over(entry);
      case Topic::kRejected: return fmt::format("{} rejected: {}", pods(entry), short_message(entry.text));
      case Topic::kErred: return fmt::format("{} failed with an error: {}", pods(entry), entry.text);
      case Topic::kBindingFailed:
        return fmt::format("binding {} failed{}", pods(entry), entry.text.empty() ? "" : ": " + entry.text);
      case Topic::kBoundAfterRejection: return bound(entry);
      case Topic::kEvicted:
        return fmt::format("{} evicted{}", pods(entry), entry.node.empty() ? "" : " from " + entry.node.str());
      case Topic::kWokenInVain:
        return fmt::format("{} woken by {} and rejected again", pods(entry), entry.detail.text());
      case Topic::kPreemption: return preemption(entry);
      case Topic::kLostWakeUp: return fmt::format("lost wake-up of {}: {}", pods(entry), entry.text);
    }
    return "";
  }

 private:
  // "over 20m" if it took its time.
  static std::string over(const Entry& entry) {
    const Duration length = entry.to - entry.from;
    return length < Duration::seconds(2) ? "" : " over " + short_time(length);
  }

  static std::string nodes(const Entry& entry) {
    if (entry.count == 1) return "node " + entry.names.front();
    return fmt::format("{} ({})", count_of(entry.count, "node"), some_names(entry));
  }

  // The history names what is different: "taints, conditions", or says it: "cordoned".
  static std::string node_change(const Entry& entry) {
    const bool is_said = entry.text.find("cordoned") != std::string::npos;
    return fmt::format("{}: {}{}", nodes(entry), entry.text, is_said ? "" : " changed");
  }

  static std::string some_names(const Entry& entry) { return some_of(entry.names, entry.count); }
  // The names that are known, and how many more there are.
  static std::string some_of(const std::vector<std::string>& known, std::int64_t count) {
    std::vector<std::string> names;
    for (const std::string& name : known) names.emplace_back(shown(name));
    const std::int64_t more = count - std::ssize(names);
    if (more <= 0) return explain::listed(names);
    return fmt::format("{} and {} more", fmt::join(names, ", "), grouped(more));
  }

  std::string pods(const Entry& entry) const {
    const PodGroup& group = groups_[entry.group];
    if (entry.count == 1) {
      return group.name.empty() ? std::string(shown(entry.names.front()))
                                : fmt::format("{} of {}", shown(entry.names.front()), group.name);
    }
    if (group.name.empty()) {
      return entry.count == std::ssize(entry.names)
                 ? some_names(entry)
                 : fmt::format("{} pods ({})", grouped(entry.count), some_names(entry));
    }
    const bool is_elsewhere = group.name_space != "default" && !group.name_space.empty();
    return fmt::format("{} pods of {}{}", grouped(entry.count), group.name,
                       is_elsewhere ? " in " + group.name_space : "");
  }

  std::string created(const Entry& entry) const {
    std::string text = pods(entry) + " created" + over(entry);
    if (entry.placed_already == entry.count) {
      return text + (entry.node.empty() ? ", on nodes already" : " on " + entry.node.str());
    }
    if (entry.bound_at_once == 0) return text;
    const std::string where = entry.node.empty() ? "" : " to " + entry.node.str();
    if (entry.count == 1)
      return fmt::format("{}, bound{} after {}", text, where, short_time(entry.last_bound - entry.from));
    // When pods come over some time, only the last could say how long it took.
    const bool is_burst = over(entry).empty();
    const std::string within = is_burst ? " within " + short_time(entry.last_bound - entry.from) : " at the first try";
    if (entry.bound_at_once < entry.count)
      return fmt::format("{}, {} bound{}", text, grouped(entry.bound_at_once), within);
    return fmt::format("{}, {} bound{}{}", text, entry.count == 2 ? "both" : "all", where, within);
  }

  std::string bound(const Entry& entry) const {
    static const Symbol timeout = queue::unschedulable_timeout().label();
    static const Symbol activated = queue::force_activate().label();
    std::string why;
    if (entry.detail == timeout) {
      why = "; no event came, the leftover timeout moved " + std::string(entry.count == 1 ? "it" : "them");
    } else if (entry.detail == activated) {
      why = ", made active by a plugin";
    } else if (!entry.detail.empty()) {
      why = ", woken by " + entry.detail.str();
    } else {
      why = ", tried again after backoff";
    }
    const std::string where = entry.node.empty() ? "" : " to " + entry.node.str();
    const std::string wait = (entry.count == 1 ? " after " : " after up to ") + short_time(entry.longest_wait);
    return pods(entry) + " bound" + where + over(entry) + wait + why;
  }

  std::string preemption(const Entry& entry) const {
    const std::string where = entry.node.empty() ? "" : " on " + entry.node.str();
    const std::string victims =
        entry.victims.empty() ? "pods of lower priority" : some_of(entry.victims, entry.victim_count);
    return fmt::format("{} {} {}{}", pods(entry), entry.count == 1 ? "preempts" : "preempt", victims, where);
  }

  const std::vector<PodGroup>& groups_;
};

// Takes the least important ones out until no more than `most` are left; of equals those that are about fewer pods.
std::int64_t leave_out(std::vector<Entry>& entries, std::size_t most) {
  if (entries.size() <= most) return 0;
  std::vector<std::size_t> order(entries.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (entries[a].topic != entries[b].topic) return entries[a].topic > entries[b].topic;
    if (entries[a].count != entries[b].count) return entries[a].count > entries[b].count;
    return a < b;
  });
  const std::size_t dropped = entries.size() - most;
  order.resize(most);
  std::ranges::sort(order);
  std::vector<Entry> kept;
  for (const std::size_t i : order) kept.push_back(std::move(entries[i]));
  entries = std::move(kept);
  return static_cast<std::int64_t>(dropped);
}

}  // namespace

std::string_view short_message(std::string_view message) {
  const std::size_t available = message.find(" nodes are available: ");
  if (available == std::string_view::npos) return message;
  const std::size_t end = message.find(". ", available);
  message = message.substr(0, end);
  if (message.ends_with('.')) message.remove_suffix(1);
  return message;
}

Timeline timeline_of(const sim::History& history, Instant epoch, Instant now, std::size_t max_lines) {
  TimelineEntries collected = collect_entries(history, Duration::seconds(kGapSeconds[0]));
  std::vector<Entry>& entries = collected.entries;
  const std::int64_t longest_gap = (now - epoch).nanoseconds() / 1'000'000'000 / kLongestGapShare;
  for (std::size_t i = 1; i < kGapSeconds.size() && entries.size() > max_lines; ++i) {
    if (kGapSeconds[i] > longest_gap) break;
    entries = merge_entries(std::move(entries), Duration::seconds(kGapSeconds[i]));
  }
  // A preemption is part of the try that rejects the pod, and told before it; people read it the other way round.
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const bool is_reversed = entries[i - 1].topic == Topic::kPreemption && entries[i].topic == Topic::kRejected &&
                             entries[i - 1].group == entries[i].group && entries[i - 1].from == entries[i].from;
    if (is_reversed) std::swap(entries[i - 1], entries[i]);
  }
  Timeline result;
  result.left_out = leave_out(entries, max_lines);
  const Words words(collected.groups);
  for (const Entry& entry : entries) {
    TimelineLine& line = result.lines.emplace_back();
    line.at_seconds = (entry.from - epoch).in_seconds();
    if (entry.to > entry.from) line.until_seconds = (entry.to - epoch).in_seconds();
    line.kind = Symbol(kind_of(entry.topic));
    line.text = words.line(entry);
  }
  return result;
}

}  // namespace berth::report
