// How the autoscaler takes nodes away: see autoscaler.h.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/api/label_selector.h"
#include "berth/autoscaler/node_facts.h"
#include "berth/sim/autoscaler.h"
#include "berth/sim/controller_work.h"

namespace berth::sim {

namespace {

constexpr std::string_view kLeavingTaint = "ToBeDeletedByClusterAutoscaler";
// How many nodes a scan looks at closely; the others wait for the next one.
constexpr std::size_t kMaxCandidates = 100;

bool says(const api::ObjectMeta& metadata, std::string_view annotation, std::string_view value) {
  const std::string* found = metadata.annotations->find(Symbol(annotation));
  return found != nullptr && *found == value;
}

bool is_kept(const api::Node& node) {
  return says(node.metadata, "cluster-autoscaler.kubernetes.io/scale-down-disabled", "true") ||
         says(node.metadata, "karpenter.sh/do-not-disrupt", "true");
}

std::int64_t percent_of(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : part * 100 / whole;
}

}  // namespace

std::vector<api::PodPtr> Autoscaler::pods_to_move(const cache::NodeState& state) const {
  std::vector<api::PodPtr> pods;
  for (const cache::PlacedPod& placed : state.pods) {
    if (!autoscaler::comes_with_node(*placed.pod)) pods.push_back(placed.pod);
  }
  std::ranges::sort(pods, {}, [](const api::PodPtr& pod) { return api::full_name(pod->metadata); });
  return pods;
}

bool Autoscaler::may_be_moved(const api::Pod& pod) const {
  constexpr std::string_view kSafeToEvict = "cluster-autoscaler.kubernetes.io/safe-to-evict";
  if (pod.metadata.deletion_timestamp.is_set()) return true;
  if (says(pod.metadata, kSafeToEvict, "true")) return true;
  if (says(pod.metadata, kSafeToEvict, "false") || says(pod.metadata, "karpenter.sh/do-not-disrupt", "true")) {
    return false;
  }
  return api::controller_of(pod.metadata) != nullptr;
}

// Whether the budgets for disruptions let all of them leave now.
bool Autoscaler::have_budget(const std::vector<api::PodPtr>& pods) const {
  bool is_enough = true;
  objects_.pod_disruption_budgets.for_each([&](const std::shared_ptr<const api::PodDisruptionBudget>& budget) {
    const auto matcher = api::LabelMatcher::compile(budget->spec.selector);
    if (!matcher || !is_enough) return;
    const auto covered = std::ranges::count_if(pods, [&](const api::PodPtr& pod) {
      return pod->metadata.name_space == budget->metadata.name_space && matcher->matches(*pod->metadata.labels);
    });
    is_enough = covered == 0 || covered <= budget->status.disruptions_allowed;
  });
  return is_enough;
}

bool Autoscaler::fit_elsewhere(const cache::NodeState& state, const std::vector<api::PodPtr>& pods) {
  const api::NodePtr node = state.node;
  auto closed = std::make_shared<api::Node>(*node);
  closed->spec.unschedulable = true;
  cache_.set_node(closed);
  bool all_fit = true;
  {
    autoscaler::Trial trial(cache_, objects_);
    for (const api::PodPtr& pod : pods) {
      api::Pod copy = *pod;
      copy.spec.node_name = Symbol();
      copy.metadata.uid += " elsewhere";
      const auto moved = std::make_shared<const api::Pod>(std::move(copy));
      const framework::Profile* profile = profile_of(*moved);
      const auto where = profile == nullptr ? std::nullopt : trial.place_for(*profile, moved);
      all_fit = where.has_value() && *where != node->metadata.name;
      if (!all_fit) break;
      trial.place(moved, *where);
    }
  }
  cache_.set_node(node);
  return all_fit;
}

// Without the nodes that are on their way out.
std::int64_t Autoscaler::size_of(const Group& group) const {
  const auto is_leaving = [&](const std::string& node) { return group.members.contains(node); };
  return group.spec.nodes + std::ssize(group.added) - std::ranges::count_if(leaving_, is_leaving);
}

bool Autoscaler::is_unneeded(const Group& group, const cache::NodeState& state) {
  const std::string& name = state.node->metadata.name;
  if (leaving_.contains(name) || is_kept(*state.node)) return false;
  if (size_of(group) <= group.spec.min_nodes.value_or(0)) return false;
  const std::int64_t used = std::max(percent_of(state.requested.milli_cpu, state.allocatable.milli_cpu),
                                     percent_of(state.requested.memory, state.allocatable.memory));
  if (used >= options_.threshold_percent) return false;
  const std::vector<api::PodPtr> pods = pods_to_move(state);
  if (pods.empty()) return true;
  return std::ranges::all_of(pods, [this](const api::PodPtr& pod) { return may_be_moved(*pod); }) &&
         have_budget(pods) && fit_elsewhere(state, pods);
}

void Autoscaler::scale_down() {
  // While nodes are to come, somebody needs room.
  if (!coming_.empty()) return;
  const Instant now = around_.agenda.now();
  std::vector<std::pair<Group*, std::string>> due;
  std::optional<Instant> next;
  std::size_t candidates = 0;
  for (auto& [name, unneeded] : unneeded_) unneeded.was_seen = false;
  for (auto& [group_name, group] : groups_) {
    for (const auto& [name, since] : group->members) {
      const cache::RowId row = cache_.nodes().row_of(Symbol(name));
      if (row == cache::kNoRow || cache_.nodes().at(row).node == nullptr || candidates == kMaxCandidates) continue;
      if (!is_unneeded(*group, cache_.nodes().at(row))) continue;
      ++candidates;
      Unneeded& unneeded = unneeded_.try_emplace(name, Unneeded{now, true}).first->second;
      unneeded.was_seen = true;
      const Instant when = unneeded.since + options_.remove_after;
      if (when <= now) {
        due.emplace_back(group.get(), name);
      } else if (!next || when < *next) {
        next = when;
      }
    }
  }
  std::erase_if(unneeded_, [](const auto& entry) { return !entry.second.was_seen; });
  // Empty nodes go together; of the others one at a time, since their pods may go to the next.
  bool is_one_leaving = !leaving_.empty();
  for (const auto& [group, name] : due) {
    const cache::NodeState& state = cache_.nodes().at(cache_.nodes().row_of(Symbol(name)));
    if (size_of(*group) <= group->spec.min_nodes.value_or(0)) continue;
    const bool is_empty = pods_to_move(state).empty();
    if (!is_empty && (is_one_leaving || !is_unneeded(*group, state))) continue;
    if (!is_empty) is_one_leaving = true;
    remove_node(*group, name);
  }
  if (!next || (check_at_.is_set() && check_at_ <= *next)) return;
  check_at_ = *next;
  around_.agenda.after(*next - now, Agenda::Urgency::kLater, [this, when = *next] {
    if (check_at_ == when) check_at_ = Instant();
    request_scan(Agenda::Urgency::kLater);
  });
}

void Autoscaler::remove_node(Group& group, const std::string& name) {
  const auto node = around_.api.get<api::Node>(Symbol(), name);
  if (node == nullptr) return;
  const std::vector<api::PodPtr> pods = pods_to_move(cache_.nodes().at(cache_.nodes().row_of(Symbol(name))));
  around_.history.note(HistoryEvent::Kind::kAutoscaler, around_.agenda.now(),
                       fmt::format("autoscaler removes {} of {}{}", name, group.spec.name,
                                   pods.empty()       ? ", which is empty"
                                   : pods.size() == 1 ? ": its pod fits elsewhere"
                                                      : fmt::format(": its {} pods fit elsewhere", pods.size())));
  ++group.count_removed;
  leaving_.insert(name);
  unneeded_.erase(name);
  rewrite(around_.api, *node, [&](api::Node& changed) {
    api::Taint& taint = changed.spec.taints.emplace_back();
    taint.key = Symbol(kLeavingTaint);
    taint.effect = Symbol("NoSchedule");
  });
  around_.evictions.drain(Symbol(name), pods);
  around_.agenda.after(Duration(), Agenda::Urgency::kWork, [this, name] { finish_removal(name); });
}

void Autoscaler::finish_removal(const std::string& name) {
  if (!leaving_.contains(name)) return;
  const cache::RowId row = cache_.nodes().row_of(Symbol(name));
  if (row == cache::kNoRow || !pods_to_move(cache_.nodes().at(row)).empty()) return;
  (void)around_.api.remove(api::kind_of<api::Node>(), Symbol(), name, around_.agenda.now());
}

}  // namespace berth::sim
