#include "berth/whatif/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/explain/words.h"
#include "berth/report/occupancy.h"
#include "berth/report/unfinished.h"
#include "berth/sim/api_server.h"

namespace berth::whatif {

namespace {

std::string workload_of(const sim::World& world, const api::Pod& pod) {
  const sim::PodTimeline* pod_timeline = world.history().timeline_of_uid(pod.metadata.uid);
  const std::string_view group = pod_timeline == nullptr ? std::string_view(pod.metadata.name) : pod_timeline->group;
  return fmt::format("{}/{}", pod.metadata.name_space.text(), group);
}

bool by_name(std::string_view a, std::string_view b) {
  return explain::natural_less(a, b);
}

class Pairing {
 public:
  Pairing(const Snapshot& before, const Snapshot& after, const sim::World& world) : world_(world) {
    for (const auto& [uid, pod] : before.pods) {
      if (const auto found = after.pods.find(uid); found != after.pods.end()) {
        pairs_.push_back({&pod, &found->second, true, false});
      } else {
        groups_[pod.workload].gone.push_back({uid, &pod});
      }
    }
    for (const auto& [uid, pod] : after.pods) {
      if (!before.pods.contains(uid)) groups_[pod.workload].added.push_back({uid, &pod});
    }
    for (auto& [workload, group] : groups_) pair(group, workload.find("/DaemonSet/") != std::string::npos);
  }

  std::vector<PodPair> take() { return std::move(pairs_); }

 private:
  struct Member {
    std::string uid;
    const PodRecord* pod = nullptr;
  };
  struct Group {
    std::vector<Member> gone;
    std::vector<Member> added;
  };

  void leave_unpaired(const Group& group) {
    for (const Member& gone : group.gone) {
      if (gone.pod != nullptr) add(gone, nullptr);
    }
    for (const Member& added : group.added) {
      if (added.pod != nullptr) pairs_.push_back({nullptr, added.pod, false, false});
    }
  }

  // A daemon does not move: only one on the same node takes its place.
  void pair(Group& group, bool is_daemon) {
    const auto in_order = [](std::vector<Member>& members, auto time_of) {
      std::ranges::sort(members, [&](const Member& a, const Member& b) {
        const Instant of_a = time_of(a), of_b = time_of(b);
        return of_a != of_b ? of_a < of_b : by_name(a.pod->name, b.pod->name);
      });
    };
    in_order(group.gone, [this](const Member& member) {
      const sim::PodTimeline* pod_timeline = world_.history().timeline_of_uid(member.uid);
      return pod_timeline == nullptr ? Instant() : pod_timeline->gone_at;
    });
    in_order(group.added, [](const Member& member) { return member.pod->created_at; });
    for (Member& gone : group.gone) {
      const auto same = std::ranges::find_if(group.added, [&](const Member& added) {
        if (added.pod == nullptr) return false;
        return is_daemon ? added.pod->node == gone.pod->node : added.pod->name == gone.pod->name;
      });
      if (same == group.added.end()) continue;
      add(gone, same->pod);
      gone.pod = same->pod = nullptr;
    }
    if (is_daemon) return leave_unpaired(group);
    auto next = group.added.begin();
    const auto skip_used = [&] {
      while (next != group.added.end() && next->pod == nullptr) ++next;
    };
    for (const Member& gone : group.gone) {
      if (gone.pod == nullptr) continue;
      skip_used();
      add(gone, next == group.added.end() ? nullptr : next->pod);
      if (next != group.added.end()) ++next;
    }
    for (skip_used(); next != group.added.end(); ++next, skip_used())
      pairs_.push_back({nullptr, next->pod, false, false});
  }

  void add(const Member& gone, const PodRecord* after) {
    const sim::PodTimeline* pod_timeline = world_.history().timeline_of_uid(gone.uid);
    pairs_.push_back({gone.pod, after, false, pod_timeline != nullptr && pod_timeline->preempted});
  }

  const sim::World& world_;
  std::map<std::string, Group> groups_;
  std::vector<PodPair> pairs_;
};

// A StatefulSet that is not parallel makes a pod when those before it run, so one that cannot keeps the others away.
bool waits_for_those_before(const PodRecord& pod, std::string_view kind, const sim::World& world) {
  constexpr std::string_view kStatefulSet = "StatefulSet/";
  if (!kind.starts_with(kStatefulSet)) return false;
  const Symbol name_space(std::string_view(pod.name).substr(0, pod.name.find('/')));
  const auto set = world.api().get<api::StatefulSet>(name_space, kind.substr(kStatefulSet.size()));
  std::int32_t ordinal = 0;
  const char* digits = pod.name.data() + pod.name.rfind('-') + 1;
  std::from_chars(digits, pod.name.data() + pod.name.size(), ordinal);
  return set != nullptr && ordinal < set->spec.replicas.value_or(1);
}

// Why nothing takes the place of a pod.
std::string why_gone(const PodRecord& pod, bool preempted, const sim::World& world) {
  const std::string_view kind = std::string_view(pod.workload).substr(pod.workload.find('/') + 1);
  if (kind.starts_with("DaemonSet/")) return "it belongs to its node";
  if (kind.starts_with("Node/")) return "a static pod of its node";
  if (kind.find('/') == std::string_view::npos) {
    return preempted ? "preempted; no controller makes it again" : "no controller makes it again";
  }
  if (waits_for_those_before(pod, kind, world)) return "its StatefulSet makes it again when the pods before it run";
  return "its workload does not want it any more";
}

// Sorts pairs into what has become of the pods.
class Sorter {
 public:
  Sorter(const sim::World& world, const Causes& causes, Difference& result)
      : world_(world), causes_(causes), result_(result) {}

  void add(const PodPair& pair) {
    if (pair.before == nullptr) {
      const PodRecord& pod = *pair.after;
      if (!pod.node.empty()) result_.added.push_back({pod.name, pod.workload, pod.node, causes_.of_coming(pod.uid)});
      return;
    }
    const PodRecord& before = *pair.before;
    if (pair.after == nullptr) {
      result_.gone.push_back({before.name, before.workload, before.node, why_gone(before, pair.preempted, world_),
                              causes_.of_leaving(before.uid)});
      return;
    }
    const PodRecord& after = *pair.after;
    if (after.node.empty()) return;  // told with the pending ones
    if (before.node.empty()) {
      result_.got_a_place.push_back({after.name, after.workload, after.node, {}});
    } else if (pair.is_same) {
      ++result_.unmoved;
    } else {
      result_.moved.push_back({before.name, after.name == before.name ? "" : after.name, after.workload, before.node,
                               after.node, pair.preempted, causes_.of_leaving(before.uid)});
    }
  }

  void add_pending(std::span<const PodPair> pairs, std::span<const report::PendingPods> groups) {
    std::map<std::string_view, const PodPair*> by_pod;
    for (const PodPair& pair : pairs) {
      if (pair.after != nullptr && pair.after->node.empty()) by_pod[pair.after->name] = &pair;
    }
    for (const report::PendingPods& group : groups) {
      PendingNow lost, fresh, still;
      lost.state = Symbol("lost");
      fresh.state = Symbol("new");
      still.state = Symbol("still");
      for (const std::string& pod : group.pods) {
        const auto found = by_pod.find(pod);
        if (found == by_pod.end()) continue;
        const PodRecord* before = found->second->before;
        if (before != nullptr && !before->node.empty()) {
          lost.pods.push_back(pod);
          lost.were_on.push_back(before->node);
          lost.causes.push_back(causes_.of_leaving(before->uid));
        } else if (before == nullptr) {
          fresh.pods.push_back(pod);
          fresh.causes.push_back(causes_.of_coming(found->second->after->uid));
        } else {
          still.pods.push_back(pod);
        }
      }
      for (PendingNow* each : {&lost, &fresh, &still}) {
        if (each->pods.empty()) continue;
        each->sentence = report::sentence_about(each->pods.front(), group);
        result_.pending.push_back(std::move(*each));
      }
    }
  }

  // Those that the history tells from `from` up to `to`.
  void add_preemptions(std::size_t from, std::size_t to, const Snapshot& before) {
    const std::deque<sim::HistoryEvent>& history_events = world_.history().history_events();
    for (std::size_t i = from; i < std::min(to, history_events.size()); ++i) {
      const sim::HistoryEvent& history_event = history_events[i];
      if (history_event.kind != sim::HistoryEvent::Kind::kPreempts) continue;
      const sim::PodTimeline& preemptor = world_.history().pod_timelines()[history_event.pod];
      Preempting& preempting = result_.preemptions.emplace_back();
      preempting.pod = preemptor.name;
      preempting.node = history_event.node.str();
      preempting.victims = names_in(history_event.text);
      if (!before.pods.contains(preemptor.uid)) preempting.cause = causes_.of_coming(preemptor.uid);
    }
  }

  void put_in_order() {
    const auto in_order = [](const auto& a, const auto& b) { return by_name(a.pod, b.pod); };
    std::ranges::sort(result_.moved, in_order);
    std::ranges::sort(result_.got_a_place, in_order);
    std::ranges::sort(result_.added, in_order);
    std::ranges::sort(result_.gone, in_order);
  }

 private:
  static std::vector<std::string> names_in(std::string_view text) {
    constexpr std::string_view kBetween = ", ";
    std::vector<std::string> names;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(kBetween), text.size());
      names.emplace_back(text.substr(0, end));
      text.remove_prefix(std::min(end + kBetween.size(), text.size()));
    }
    return names;
  }

  const sim::World& world_;
  const Causes& causes_;
  Difference& result_;
};

Causes causes_of(const Plan& plan, const sim::World& world, const Snapshot& before, std::span<const PodPair> pairs) {
  Causes causes(plan, world, [&before](const std::string& uid) { return before.pods.contains(uid); });
  for (const PodPair& pair : pairs) {
    if (pair.before != nullptr && pair.after != nullptr && !pair.is_same) {
      causes.add_replacement(pair.after->uid, pair.before->uid);
    }
  }
  return causes;
}

std::vector<UtilisationChange> utilisation_changes(const Snapshot& before, const Snapshot& after) {
  std::vector<UtilisationChange> changes;
  const auto entry = [&](Symbol resource) -> UtilisationChange& {
    const auto found =
        std::ranges::find_if(changes, [&](const UtilisationChange& change) { return change.resource == resource; });
    if (found != changes.end()) return *found;
    changes.emplace_back().resource = resource;
    return changes.back();
  };
  for (const report::Utilisation& each : before.utilisation) {
    UtilisationChange& change = entry(each.total.resource);
    change.requested_before = each.total.requested;
    change.allocatable_before = each.total.allocatable;
    change.before = each.share;
  }
  for (const report::Utilisation& each : after.utilisation) {
    UtilisationChange& change = entry(each.total.resource);
    change.requested_after = each.total.requested;
    change.allocatable_after = each.total.allocatable;
    change.after = each.share;
  }
  return changes;
}

std::int64_t pending_in(const Snapshot& snapshot) {
  return std::ranges::count_if(snapshot.pods, [](const auto& entry) { return entry.second.node.empty(); });
}

// What a drain leaves where it is.
bool belongs_to_its_node(const api::Pod& pod) {
  const api::OwnerReference* owner = api::controller_of(pod.metadata);
  return (owner != nullptr && (owner->kind == "DaemonSet" || owner->kind == "Node")) ||
         pod.metadata.annotations->contains(Symbol("kubernetes.io/config.mirror"));
}

void add_pod(const sim::World& world, const api::Pod& pod, Snapshot& snapshot) {
  if (api::is_terminal(pod)) return;
  PodRecord& record = snapshot.pods[pod.metadata.uid];
  record.uid = pod.metadata.uid;
  record.name = api::full_name(pod.metadata);
  record.workload = workload_of(world, pod);
  record.node = pod.spec.node_name.str();
  record.created_at = pod.metadata.creation_timestamp;
  record.belongs_to_its_node = belongs_to_its_node(pod);
}

Snapshot empty_snapshot(const sim::World& world) {
  Snapshot result;
  result.at = world.now();
  result.history_events = world.history().history_events().size();
  return result;
}

}  // namespace

Snapshot snapshot_of(const sim::World& world, explain::Cluster& cluster) {
  Snapshot result = empty_snapshot(world);
  result.nodes = static_cast<std::int64_t>(cluster.cache.nodes().node_count());
  result.utilisation = report::occupancy_of(cluster).utilisation;
  for (const auto& [name, pod] : cluster.pods) add_pod(world, *pod, result);
  return result;
}

Snapshot pods_of(const sim::World& world) {
  Snapshot result = empty_snapshot(world);
  world.api().for_each<api::Pod>([&](const api::PodPtr& pod) { add_pod(world, *pod, result); });
  return result;
}

std::vector<PodPair> pairs_of(const Snapshot& before, const Snapshot& after, const sim::World& world) {
  return Pairing(before, after, world).take();
}

Difference difference_of(const Snapshot& before, const Snapshot& after, std::span<const PodPair> pairs,
                         const sim::World& world, const Plan& plan, std::span<const report::PendingPods> pending) {
  Difference result;
  result.changes = plan.words;
  result.nodes_before = before.nodes;
  result.nodes_after = after.nodes;
  result.pods_before = std::ssize(before.pods);
  result.pods_after = std::ssize(after.pods);
  result.pending_before = pending_in(before);
  result.pending_after = pending_in(after);
  result.virtual_seconds = (after.at - before.at).in_seconds();
  const Causes causes = causes_of(plan, world, before, pairs);
  Sorter sorter(world, causes, result);
  for (const PodPair& pair : pairs) sorter.add(pair);
  sorter.put_in_order();
  sorter.add_pending(pairs, pending);
  sorter.add_preemptions(before.history_events, after.history_events, before);
  result.utilisation = utilisation_changes(before, after);
  return result;
}

Settling settling_of(const Snapshot& dump, const Snapshot& before, const sim::World& world,
                     std::span<const report::PendingPods> pending) {
  const Plan nothing;
  const std::vector<PodPair> pairs = pairs_of(dump, before, world);
  const Causes causes = causes_of(nothing, world, dump, pairs);
  Difference all;
  Sorter sorter(world, causes, all);
  for (const PodPair& pair : pairs) sorter.add(pair);
  sorter.put_in_order();
  sorter.add_pending(pairs, pending);
  sorter.add_preemptions(dump.history_events, before.history_events, dump);
  Settling result;
  result.placed = std::move(all.got_a_place);
  result.created = std::move(all.added);
  result.moved = std::move(all.moved);
  result.gone = std::move(all.gone);
  result.preemptions = std::move(all.preemptions);
  result.pending = std::move(all.pending);
  std::erase_if(result.pending, [](const PendingNow& each) { return each.state == "still"; });
  for (const report::UnfinishedRollout& rollout :
       report::unfinished_rollouts(world, pending, report::Outlook::kAtRest)) {
    result.stuck.push_back(rollout.sentence);
  }
  return result;
}

}  // namespace berth::whatif
