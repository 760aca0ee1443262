#include "berth/whatif/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/api/label_selector.h"
#include "berth/explain/words.h"
#include "berth/report/occupancy.h"
#include "berth/report/pending.h"
#include "berth/sim/api_server.h"

namespace berth::whatif {

namespace {

std::string workload_of(const sim::World& world, const api::Pod& pod) {
  const sim::PodStory* story = world.history().story_of_uid(pod.metadata.uid);
  const std::string_view group = story == nullptr ? std::string_view(pod.metadata.name) : story->group;
  return fmt::format("{}/{}", pod.metadata.name_space.text(), group);
}

bool by_name(std::string_view a, std::string_view b) {
  return explain::natural_less(a, b);
}

// A pod that was there and one that is there now, or only one of them.
struct Pair {
  const PodRecord* before = nullptr;
  const PodRecord* after = nullptr;
  bool is_same = false;  // one and the same pod
  bool preempted = false;
};

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

  std::vector<Pair> take() { return std::move(pairs_); }

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
      const sim::PodStory* story = world_.history().story_of_uid(member.uid);
      return story == nullptr ? Instant() : story->gone_at;
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
    const sim::PodStory* story = world_.history().story_of_uid(gone.uid);
    pairs_.push_back({gone.pod, after, false, story != nullptr && story->preempted});
  }

  const sim::World& world_;
  std::map<std::string, Group> groups_;
  std::vector<Pair> pairs_;
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

void add_pair(const Pair& pair, const sim::World& world, Difference& result) {
  if (pair.before == nullptr) {
    if (!pair.after->node.empty()) result.added.push_back({pair.after->name, pair.after->workload, pair.after->node});
    return;
  }
  const PodRecord& before = *pair.before;
  if (pair.after == nullptr) {
    result.gone.push_back({before.name, before.workload, before.node, why_gone(before, pair.preempted, world)});
    return;
  }
  const PodRecord& after = *pair.after;
  if (after.node.empty()) return;  // told with the pending ones
  if (before.node.empty()) {
    result.got_a_place.push_back({after.name, after.workload, after.node});
  } else if (pair.is_same) {
    ++result.unmoved;
  } else {
    result.moved.push_back({before.name, after.name == before.name ? "" : after.name, after.workload, before.node,
                            after.node, pair.preempted});
  }
}

// The sentence is about the first pod of the group; it holds for all of them.
std::string sentence_about(const std::string& pod, const report::PendingPods& group) {
  if (!group.sentence.starts_with(group.pods.front())) return group.sentence;
  return pod + group.sentence.substr(group.pods.front().size());
}

void add_pending(const std::vector<Pair>& pairs, const std::vector<report::PendingPods>& groups, Difference& result) {
  std::map<std::string_view, const Pair*> by_pod;
  for (const Pair& pair : pairs) {
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
      } else {
        (before == nullptr ? fresh : still).pods.push_back(pod);
      }
    }
    for (PendingNow* each : {&lost, &fresh, &still}) {
      if (each->pods.empty()) continue;
      each->sentence = sentence_about(each->pods.front(), group);
      result.pending.push_back(std::move(*each));
    }
  }
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

std::string held_by(const api::Pod& pod, const sim::World& world) {
  std::vector<std::string> budgets;
  world.api().for_each<api::PodDisruptionBudget>([&](const std::shared_ptr<const api::PodDisruptionBudget>& budget) {
    if (budget->metadata.name_space != pod.metadata.name_space) return;
    const auto matcher = api::LabelMatcher::compile(budget->spec.selector);
    if (matcher && matcher->matches(*pod.metadata.labels)) budgets.push_back(api::full_name(budget->metadata));
  });
  if (budgets.empty()) return "it has not left yet";
  if (budgets.size() > 1) {
    return fmt::format("the budgets {} cover it, and the API server evicts no pod that has more than one",
                       explain::listed(budgets, 3));
  }
  return fmt::format("the budget {} allows no disruption", budgets.front());
}

}  // namespace

Snapshot snapshot_of(const sim::World& world, explain::Cluster& cluster) {
  Snapshot result;
  result.at = world.now();
  result.nodes = static_cast<std::int64_t>(cluster.cache.nodes().node_count());
  result.utilisation = report::occupancy_of(cluster).utilisation;
  for (const auto& [name, pod] : cluster.pods) {
    if (api::is_terminal(*pod)) continue;
    PodRecord& record = result.pods[pod->metadata.uid];
    record.name = name;
    record.workload = workload_of(world, *pod);
    record.node = pod->spec.node_name.str();
    record.created_at = pod->metadata.creation_timestamp;
  }
  return result;
}

Difference difference_of(const Snapshot& before, const Snapshot& after, const sim::World& world,
                         explain::Cluster& cluster_after, const report::Settings& settings) {
  Difference result;
  result.nodes_before = before.nodes;
  result.nodes_after = after.nodes;
  result.pods_before = std::ssize(before.pods);
  result.pods_after = std::ssize(after.pods);
  result.pending_before = pending_in(before);
  result.pending_after = pending_in(after);
  result.virtual_seconds = (after.at - before.at).in_seconds();
  const std::vector<Pair> pairs = Pairing(before, after, world).take();
  for (const Pair& pair : pairs) add_pair(pair, world, result);
  const auto in_order = [](const auto& a, const auto& b) { return by_name(a.pod, b.pod); };
  std::ranges::sort(result.moved, in_order);
  std::ranges::sort(result.got_a_place, in_order);
  std::ranges::sort(result.added, in_order);
  std::ranges::sort(result.gone, in_order);
  if (result.pending_after > 0) add_pending(pairs, report::pending_of(world, cluster_after, settings), result);
  for (const sim::Happening& happening : world.history().happenings()) {
    if (happening.kind != sim::Happening::Kind::kPreempts || happening.at < before.at) continue;
    result.preemptions.push_back({world.history().stories()[happening.pod].name, happening.node.str(), happening.text});
  }
  result.utilisation = utilisation_changes(before, after);
  return result;
}

std::vector<HeldPod> held_pods(const Plan& plan, const sim::World& world) {
  std::vector<HeldPod> result;
  std::set<std::string, std::less<>> leaving(plan.drain.begin(), plan.drain.end());
  leaving.insert(plan.remove.begin(), plan.remove.end());
  world.api().for_each<api::Pod>([&](const api::PodPtr& pod) {
    if (api::is_terminal(*pod) || !leaving.contains(pod->spec.node_name.text()) || belongs_to_its_node(*pod)) return;
    result.push_back({api::full_name(pod->metadata), pod->spec.node_name.str(), held_by(*pod, world)});
  });
  return result;
}

}  // namespace berth::whatif
