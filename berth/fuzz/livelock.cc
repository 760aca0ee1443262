#include "berth/fuzz/livelock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "berth/api/compiled_pod.h"
#include "berth/api/node.h"
#include "berth/api/pod.h"
#include "berth/base/symbol.h"
#include "berth/base/time.h"
#include "berth/sim/history.h"

namespace berth::fuzz {

namespace {

using sim::HistoryEvent;
using sim::PodTimeline;

constexpr Duration kLookBack = Duration::minutes(30);
constexpr std::size_t kMinRounds = 10;

struct Round {
  Instant at;
  Symbol node;  // that the preemptor is nominated to
  std::vector<const PodTimeline*> victims;
};

bool is_of_workload(const PodTimeline& pod_timeline) {
  return pod_timeline.group.find('/') != std::string::npos;
}

// "default/a, default/b".
std::vector<std::string_view> names_in(std::string_view text) {
  constexpr std::string_view kBetween = ", ";
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kBetween), text.size());
    names.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + kBetween.size(), text.size()));
  }
  return names;
}

bool is_about_domains(std::string_view rejection) {
  return rejection.find("anti-affinity rules") != std::string_view::npos ||
         rejection.find("topology spread constraints") != std::string_view::npos;
}

// The end of a run, and what is to be explained about it.
class Tail {
 public:
  explicit Tail(const sim::World& world) : world_(world), history_(world.history()) {}

  std::optional<Livelock> explain() {
    if (history_.was_cut() || !collect() || rounds_.empty()) return std::nullopt;
    const bool is_closed = std::ranges::all_of(
        others_, [&](const PodTimeline* pod_timeline) { return workloads_.contains(pod_timeline->group); });
    if (!is_closed) return std::nullopt;
    std::vector<std::string> parts;
    for (const auto& [preemptor, rounds] : rounds_) {
      if (!goes_in_circles(preemptor, rounds)) return std::nullopt;
      parts.push_back(fmt::format("{} has preempted {} times", preemptor, rounds.size()));
    }
    const std::vector<std::string> workloads(workloads_.begin(), workloads_.end());
    return Livelock{workloads, fmt::format("in the last {}: {}; each time a pod of {} came back to the same domain",
                                           kLookBack.str(), fmt::join(parts, ", "), fmt::join(workloads, ", "))};
  }

 private:
  // False if something happened that has no part in such a circle.
  bool collect() {
    const Instant begin = world_.now() - kLookBack;
    for (const HistoryEvent& each : history_.history_events()) {
      if (each.at >= begin && !take(each)) return false;
    }
    return true;
  }

  bool take(const HistoryEvent& each) {
    switch (each.kind) {
      case HistoryEvent::Kind::kMoved:
      case HistoryEvent::Kind::kEvictionBlocked:
      case HistoryEvent::Kind::kClusterEvent: return true;
      case HistoryEvent::Kind::kRejected:
        rejections_[history_.pod_timelines()[each.pod].name].push_back(&each);
        return true;
      case HistoryEvent::Kind::kPreempts: return take_preemption(each);
      case HistoryEvent::Kind::kCreated:
      case HistoryEvent::Kind::kPlaced:
      case HistoryEvent::Kind::kBound:
      case HistoryEvent::Kind::kEvicted:
      case HistoryEvent::Kind::kEnded:
      case HistoryEvent::Kind::kDeleted: others_.insert(&history_.pod_timelines()[each.pod]); return true;
      case HistoryEvent::Kind::kErred:
      case HistoryEvent::Kind::kDrained:
      case HistoryEvent::Kind::kRollout:
      case HistoryEvent::Kind::kBindingFailed:
      case HistoryEvent::Kind::kNodeAdded:
      case HistoryEvent::Kind::kNodeChanged:
      case HistoryEvent::Kind::kNodeRemoved:
      case HistoryEvent::Kind::kSchedulerDown:
      case HistoryEvent::Kind::kSchedulerUp:
      case HistoryEvent::Kind::kFault:
      case HistoryEvent::Kind::kStatement:
      case HistoryEvent::Kind::kLostWakeUp:
      case HistoryEvent::Kind::kAutoscaler:
      case HistoryEvent::Kind::kFailedCreate: return false;
    }
    return false;
  }

  bool take_preemption(const HistoryEvent& each) {
    const PodTimeline& preemptor = history_.pod_timelines()[each.pod];
    Round round{.at = each.at, .node = each.node, .victims = {}};
    for (const std::string_view name : names_in(each.text)) {
      const PodTimeline* victim = history_.pod_timeline(name);
      if (victim == nullptr || !is_of_workload(*victim) || victim->priority >= preemptor.priority) return false;
      workloads_.insert(victim->group);
      round.victims.push_back(victim);
    }
    rounds_[preemptor.name].push_back(std::move(round));
    return true;
  }

  bool goes_in_circles(const std::string& preemptor, const std::vector<Round>& rounds) {
    const api::PodPtr pod = pod_of(preemptor);
    if (pod == nullptr || rounds.size() < kMinRounds) return false;
    const bool is_clear = std::ranges::all_of(
        rejections_[preemptor], [](const HistoryEvent* rejection) { return is_about_domains(rejection->text); });
    if (!is_clear) return false;
    for (std::size_t i = 1; i < rounds.size(); ++i) {
      if (!follows(*pod, rounds[i - 1], rounds[i])) return false;
    }
    return true;
  }

  // Whether the second round takes away who came after the first one, elsewhere in the domain.
  bool follows(const api::Pod& preemptor, const Round& first, const Round& second) {
    if (first.node == second.node) return false;
    return std::ranges::any_of(second.victims, [&](const PodTimeline* victim) {
      return victim->bound_at > first.at && victim->node == second.node &&
             share_a_domain(first.node, second.node, domain_keys(preemptor, victim->group));
    });
  }

  // The labels that rules between the preemptor and pods of the workload are about.
  std::vector<Symbol> domain_keys(const api::Pod& preemptor, const std::string& workload) {
    std::vector<Symbol> keys;
    const auto compiled = compiled_.get(preemptor.spec.shared);
    for (const auto& term : compiled->required_anti_affinity) keys.push_back(term.topology_key);
    for (const auto& constraint : compiled->spread_constraints) {
      if (constraint.action == api::SpreadConstraint::Action::kDoNotSchedule) keys.push_back(constraint.topology_key);
    }
    if (const api::PodPtr other = any_pod_of(workload)) {
      for (const auto& term : compiled_.get(other->spec.shared)->required_anti_affinity) {
        keys.push_back(term.topology_key);
      }
    }
    return keys;
  }

  bool share_a_domain(Symbol first, Symbol second, const std::vector<Symbol>& keys) const {
    const api::NodePtr a = world_.api().get<api::Node>(Symbol(), first.text());
    const api::NodePtr b = world_.api().get<api::Node>(Symbol(), second.text());
    if (a == nullptr || b == nullptr) return false;
    return std::ranges::any_of(keys, [&](Symbol key) {
      const Symbol* of_a = a->metadata.labels->find(key);
      const Symbol* of_b = b->metadata.labels->find(key);
      return of_a != nullptr && of_b != nullptr && *of_a == *of_b;
    });
  }

  api::PodPtr pod_of(std::string_view full_name) const {
    const std::size_t slash = full_name.find('/');
    return world_.api().get<api::Pod>(Symbol(full_name.substr(0, slash)), full_name.substr(slash + 1));
  }

  api::PodPtr any_pod_of(const std::string& workload) const {
    api::PodPtr found;
    world_.api().for_each<api::Pod>([&](const api::PodPtr& pod) {
      const PodTimeline* pod_timeline = found == nullptr ? history_.timeline_of_uid(pod->metadata.uid) : nullptr;
      if (pod_timeline != nullptr && pod_timeline->group == workload) found = pod;
    });
    return found;
  }

  const sim::World& world_;
  const sim::History& history_;
  api::CompiledPods compiled_;
  std::map<std::string, std::vector<Round>> rounds_;  // by preemptor
  std::map<std::string, std::vector<const HistoryEvent*>> rejections_;
  std::set<std::string> workloads_;
  std::set<const PodTimeline*> others_;  // pods that were made, moved or removed
};

}  // namespace

std::optional<Livelock> find_livelock(const sim::World& world) {
  return Tail(world).explain();
}

std::vector<std::string> without_workloads(std::vector<std::string> lines, const Livelock& livelock) {
  std::size_t at = lines.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("run until idle")) at = i;
  }
  std::vector<std::string> deletions;
  for (const std::string& workload : livelock.workloads) {
    const std::size_t slash = workload.find('/');
    std::string kind = workload.substr(0, slash);
    std::ranges::transform(kind, kind.begin(), [](unsigned char letter) { return std::tolower(letter); });
    deletions.push_back(fmt::format("delete {} {}", kind, workload.substr(slash + 1)));
  }
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), deletions.begin(), deletions.end());
  return lines;
}

}  // namespace berth::fuzz
