#include "berth/sim/autoscaler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "berth/api/kinds.h"
#include "berth/api/node_selector.h"
#include "berth/api/taint.h"
#include "berth/autoscaler/node_facts.h"

namespace berth::sim {

namespace {

// cluster-autoscaler adds nothing for pods of lower priority (--expendable-pods-priority-cutoff).
constexpr std::int32_t kLowestPriority = -10;

bool is_placed(const api::Pod& pod) {
  return !pod.spec.node_name.empty() && !api::is_terminal(pod);
}

// Whether somebody should add a node for it.
bool is_waiting(const api::Pod& pod) {
  static const Symbol scheduled("PodScheduled"), unschedulable("Unschedulable"), no("False");
  if (!pod.spec.node_name.empty() || api::is_terminal(pod) || pod.metadata.deletion_timestamp.is_set()) return false;
  if (!pod.status.nominated_node_name.empty() || api::priority_of(pod) < kLowestPriority) return false;
  if (autoscaler::comes_with_node(pod)) return false;
  const api::PodCondition* condition = api::find_condition(pod, scheduled);
  return condition != nullptr && condition->status == no && condition->reason == unschedulable;
}

bool runs_on(const api::DaemonSet& set, const api::Node& node) {
  const api::PodTemplate& spec = *set.spec.pod_template.spec;
  return api::RequiredNodeAffinity(spec).matches(node.metadata.name, *node.metadata.labels) &&
         api::find_untolerated_taint(node.spec.taints, spec.tolerations) == nullptr;
}

api::PodPtr pod_of(const api::DaemonSet& set) {
  api::Pod pod;
  pod.metadata.name = set.metadata.name;
  pod.metadata.name_space = set.metadata.name_space;
  pod.metadata.labels = set.spec.pod_template.metadata.labels;
  pod.spec = set.spec.pod_template.spec;
  return std::make_shared<const api::Pod>(std::move(pod));
}

}  // namespace

Result<std::unique_ptr<Autoscaler>> Autoscaler::make(const Surroundings& around, const BuildProfiles& build, Rng rng) {
  std::unique_ptr<Autoscaler> made(new Autoscaler(around, rng));
  auto profiles = build(made->objects_);
  if (!profiles) return fail(profiles.error());
  made->profiles_ = *std::move(profiles);
  made->began_ = around.agenda.now();
  // Nodes before their pods.
  for (const bool are_nodes : {true, false}) {
    for (const api::ObjectKind& kind : api::all_kinds()) {
      if (kind.metadata == nullptr || (&kind == &api::kind_of<api::Node>()) != are_nodes) continue;
      around.api.for_each(kind,
                          [&](const api::AnyObject& object) { made->take_in({Change::Kind::kAdded, object, {}, 0}); });
    }
  }
  return made;
}

// --- The cluster as it sees it ---------------------------------------------------------------------------------------

void Autoscaler::on_change(const Change& change) {
  take_in(change);
  if (groups_.empty() || !options_.is_on) return;
  const api::ObjectKind* kind = &change.object.kind();
  if (kind != &api::kind_of<api::Pod>() && kind != &api::kind_of<api::Node>()) return;
  request_scan(waiting_.empty() ? Agenda::Urgency::kLater : Agenda::Urgency::kWork);
}

void Autoscaler::take_in(const Change& change) {
  const api::ObjectKind* kind = &change.object.kind();
  if (kind == &api::kind_of<api::Pod>()) return take_in_pod(change);
  if (kind == &api::kind_of<api::Node>()) return take_in_node(change);
  const bool is_gone = change.kind == Change::Kind::kDeleted;
  if (const auto set = change.object.as<api::DaemonSet>()) {
    const std::string name = api::full_name(set->metadata);
    if (is_gone) {
      daemons_.erase(name);
    } else {
      daemons_[name] = set;
    }
    return;
  }
  if (is_gone) {
    objects_.remove(change.object);
  } else {
    objects_.set(change.object);
  }
}

void Autoscaler::take_in_pod(const Change& change) {
  const api::PodPtr pod = change.object.as<api::Pod>();
  const api::PodPtr before = change.before ? change.before.as<api::Pod>() : nullptr;
  const bool is_gone = change.kind == Change::Kind::kDeleted;
  const api::Pod& last = before != nullptr ? *before : *pod;
  const bool was_placed = change.kind != Change::Kind::kAdded && is_placed(last);
  const bool is_now = !is_gone && is_placed(*pod);
  if (was_placed && is_now) {
    (void)cache_.update(last, pod);
  } else if (was_placed) {
    (void)cache_.remove(last);
  } else if (is_now) {
    (void)cache_.add(pod);
  }
  const std::string name = api::full_name(pod->metadata);
  if (!is_gone && is_waiting(*pod)) {
    waiting_[name] = pod;
  } else {
    waiting_.erase(name);
  }
  if (was_placed && !is_now && leaving_.contains(last.spec.node_name.str())) {
    const std::string node = last.spec.node_name.str();
    around_.agenda.after(Duration(), Agenda::Urgency::kWork, [this, node] { finish_removal(node); });
  }
}

void Autoscaler::take_in_node(const Change& change) {
  const api::NodePtr node = change.object.as<api::Node>();
  const std::string& name = node->metadata.name;
  if (change.kind != Change::Kind::kDeleted) {
    cache_.set_node(node);
    if (Group* group = group_of(*node)) join(*group, name);
    return;
  }
  (void)cache_.remove_node(*node);
  unneeded_.erase(name);
  leaving_.erase(name);
  for (auto& [group_name, group] : groups_) {
    const auto member = group->members.find(name);
    if (member == group->members.end()) continue;
    group->node_seconds += (around_.agenda.now() - member->second).in_seconds();
    group->members.erase(member);
    if (group->added.erase(name) == 0) --group->spec.nodes;
  }
}

Autoscaler::Group* Autoscaler::group_of(const api::Node& node) {
  for (auto& [name, group] : groups_) {
    if (group->added.contains(node.metadata.name)) return group.get();
    if (group->spec.label_key.empty()) continue;
    const Symbol* value = node.metadata.labels->find(group->spec.label_key);
    if (value != nullptr && *value == group->spec.label_value) return group.get();
  }
  return nullptr;
}

void Autoscaler::join(Group& group, const std::string& node) {
  if (!group.members.try_emplace(node, around_.agenda.now()).second) return;
  const auto added = group.added.find(node);
  if (added != group.added.end()) {
    added->second.is_there = true;
  } else {
    ++group.spec.nodes;
  }
  group.most = std::max(group.most, static_cast<std::int64_t>(group.members.size()));
}

Result<void> Autoscaler::set_group(autoscaler::NodeGroup spec) {
  std::unique_ptr<Group>& slot = groups_[spec.name];
  if (slot == nullptr) slot = std::make_unique<Group>();
  Group& group = *slot;
  // Nodes that it added refer to shapes that are going to be others.
  for (auto& [name, added] : group.added) {
    added.shape = nullptr;
    if (const auto coming = coming_.find(name); coming != coming_.end()) coming->second.shape = nullptr;
  }
  // What is known without a label is only a number.
  spec.nodes = spec.label_key.empty() ? spec.nodes : 0;
  group.spec = std::move(spec);
  group.own_daemons.clear();
  for (const autoscaler::NodeShape& shape : group.spec.shapes) group.own_daemons.push_back(shape.daemons);
  group.members.clear();
  around_.api.for_each<api::Node>([&](const api::NodePtr& node) {
    if (group_of(*node) == &group) join(group, node->metadata.name);
  });
  const auto is_short = [&] {
    return group.spec.nodes + std::ssize(group.added) < group.spec.min_nodes.value_or(0) && !group.spec.shapes.empty();
  };
  while (is_short()) {
    const std::vector<autoscaler::NewNode> candidates =
        autoscaler::new_nodes(group.spec, api::PodTemplate(), next_name(group));
    const std::size_t turn = static_cast<std::size_t>(group.spec.nodes + std::ssize(group.added)) % candidates.size();
    if (auto made = create_node(group, candidates[turn]); !made) return made;
  }
  request_scan(Agenda::Urgency::kWork);
  return {};
}

AutoscalerCounts Autoscaler::counts() const {
  AutoscalerCounts counts;
  for (const auto& [name, group] : groups_) {
    AutoscalerCounts::Group& row = counts.groups.emplace_back();
    row.name = name;
    row.nodes = group->spec.nodes +
                std::ranges::count_if(group->added, [](const auto& entry) { return entry.second.is_there; });
    row.added = group->count_added;
    row.removed = group->count_removed;
    row.most = std::max(group->most, row.nodes);
    counts.added += row.added;
    counts.removed += row.removed;
    double seconds = group->node_seconds;
    for (const auto& [node, since] : group->members) seconds += (around_.agenda.now() - since).in_seconds();
    counts.node_hours += seconds / 3600;
  }
  return counts;
}

// --- Looking ---------------------------------------------------------------------------------------------------------

// Scans are at whole multiples of the interval. One that somebody waits for may come besides one that nobody waits for.
void Autoscaler::request_scan(Agenda::Urgency urgency) {
  const bool is_urgent = urgency == Agenda::Urgency::kWork;
  if (is_urgent ? is_scan_urgent_ : is_scan_planned_ || is_scan_urgent_) return;
  (is_urgent ? is_scan_urgent_ : is_scan_planned_) = true;
  const std::int64_t interval = std::max<std::int64_t>(1, options_.scan_interval.nanoseconds());
  const std::int64_t since = (around_.agenda.now() - began_).nanoseconds();
  const Duration wait = Duration::nanoseconds(interval - since % interval);
  around_.agenda.after(wait, urgency, [this, is_urgent] {
    (is_urgent ? is_scan_urgent_ : is_scan_planned_) = false;
    scan();
  });
}

void Autoscaler::scan() {
  if (!options_.is_on) return;
  scale_up();
  if (options_.removes) scale_down();
}

// --- Scale up --------------------------------------------------------------------------------------------------------

const framework::Profile* Autoscaler::profile_of(const api::Pod& pod) const {
  const auto found = std::ranges::find_if(
      profiles_, [&](const auto& profile) { return profile->scheduler_name() == pod.spec->scheduler_name; });
  return found == profiles_.end() ? nullptr : found->get();
}

// The most important first, then in the order in which they came.
std::vector<autoscaler::WaitingPod> Autoscaler::waiting() const {
  std::vector<autoscaler::WaitingPod> pods;
  for (const auto& [name, pod] : waiting_) {
    if (const framework::Profile* profile = profile_of(*pod)) pods.push_back({pod, profile});
  }
  std::ranges::sort(pods, [](const autoscaler::WaitingPod& a, const autoscaler::WaitingPod& b) {
    const auto rank = [](const autoscaler::WaitingPod& each) {
      return std::tuple(-std::int64_t{api::priority_of(*each.pod)}, each.pod->metadata.creation_timestamp,
                        api::full_name(each.pod->metadata));
    };
    return rank(a) < rank(b);
  });
  return pods;
}

std::vector<const autoscaler::NodeShape*> Autoscaler::planned(const Group& group) const {
  static const autoscaler::NodeShape unknown{std::make_shared<const api::Node>(), "", {}};
  std::vector<const autoscaler::NodeShape*> shapes;
  for (const auto& [name, added] : group.added) shapes.push_back(added.shape != nullptr ? added.shape : &unknown);
  return shapes;
}

// The pods that come with each node: of DaemonSets that are there, and those that were on the shape's model.
void Autoscaler::renew_daemons(Group& group) {
  for (std::size_t i = 0; i < group.spec.shapes.size(); ++i) {
    autoscaler::NodeShape& shape = group.spec.shapes[i];
    shape.daemons.clear();
    for (const api::PodPtr& pod : group.own_daemons[i]) {
      const api::OwnerReference* owner = api::controller_of(pod->metadata);
      const bool is_played =
          owner != nullptr && daemons_.contains(fmt::format("{}/{}", pod->metadata.name_space.text(), owner->name));
      if (!is_played) shape.daemons.push_back(pod);
    }
    if (daemons_.empty()) continue;
    const auto nodes = autoscaler::new_nodes(group.spec, api::PodTemplate(), "new node");
    const auto like = std::ranges::find(nodes, &shape, &autoscaler::NewNode::shape);
    if (like == nodes.end()) continue;
    for (const auto& [name, set] : daemons_) {
      if (runs_on(*set, *like->node)) shape.daemons.push_back(pod_of(*set));
    }
  }
}

// Those that have room on nodes that are there or to come take it; the others are left.
std::vector<autoscaler::WaitingPod> Autoscaler::without_those_that_fit(std::vector<autoscaler::WaitingPod> pods,
                                                                       autoscaler::Trial& trial) {
  using ClassKey = std::tuple<std::uint32_t, const void*, const void*>;
  std::set<ClassKey> hopeless;  // never gone through
  std::erase_if(pods, [&](const autoscaler::WaitingPod& pod) {
    const ClassKey key{pod.pod->metadata.name_space.id(), pod.pod->spec.shared.identity(),
                       pod.pod->metadata.labels.identity()};
    if (hopeless.contains(key)) return false;
    const auto node = trial.place_for(*pod.profile, pod.pod);
    if (!node) {
      hopeless.insert(key);
      return false;
    }
    trial.place(pod.pod, *node);
    return true;
  });
  return pods;
}

void Autoscaler::scale_up() {
  if (waiting_.empty() || groups_.empty()) return;
  autoscaler::Trial trial(cache_, objects_);
  for (const auto& [name, node] : coming_) trial.add(node);
  const std::vector<autoscaler::WaitingPod> pods = without_those_that_fit(waiting(), trial);
  if (pods.empty()) return;
  std::vector<Group*> groups;
  std::vector<const autoscaler::NodeGroup*> specs;
  std::vector<autoscaler::ScaleUp> options;
  for (auto& [name, group] : groups_) {
    renew_daemons(*group);
    // They get their names when they are ordered.
    std::size_t number = 0;
    autoscaler::ScaleUp option = autoscaler::estimate(group->spec, pods, planned(*group), trial,
                                                      [&number] { return fmt::format("new node {}", ++number); });
    if (option.nodes.empty()) continue;
    groups.push_back(group.get());
    specs.push_back(&group->spec);
    options.push_back(std::move(option));
  }
  if (options.empty()) return explain_refusals(pods, trial);
  const std::size_t best = autoscaler::choose(specs, options, options_.expander, rng_);
  order(*groups[best], options[best]);
  // Others may help the rest.
  if (options[best].pods.size() < pods.size()) request_scan(Agenda::Urgency::kWork);
}

void Autoscaler::order(Group& group, const autoscaler::ScaleUp& chosen) {
  const Instant now = around_.agenda.now();
  const std::int64_t before = group.spec.nodes + std::ssize(group.added);
  const std::int64_t after = before + std::ssize(chosen.nodes);
  const std::string size =
      fmt::format("{} {}->{}{}", group.spec.name, before, after,
                  group.spec.max_nodes ? fmt::format(" (max: {})", *group.spec.max_nodes) : std::string());
  for (const api::PodPtr& pod : chosen.pods) {
    around_.history.published(*pod, Symbol("Normal"), Symbol("TriggeredScaleUp"),
                              fmt::format("pod triggered scale-up: [{{{}}}]", size), now);
  }
  around_.history.note(HistoryEvent::Kind::kAutoscaler, now,
                       fmt::format("autoscaler adds {} for {}: {}",
                                   chosen.nodes.size() == 1 ? "a node" : fmt::format("{} nodes", chosen.nodes.size()),
                                   chosen.pods.size() == 1 ? chosen.pods.front()->metadata.name
                                                           : fmt::format("{} pods", chosen.pods.size()),
                                   size));
  for (const autoscaler::NewNode& node : chosen.nodes) {
    const std::string name = next_name(group);
    group.added[name] = {node.shape, false};
    ++group.count_added;
    coming_[name] = autoscaler::renamed(node, name);
    around_.agenda.after(options_.add_after, Agenda::Urgency::kWork, [this, &group, name] {
      const auto found = coming_.find(name);
      if (found == coming_.end()) return;
      const autoscaler::NewNode ready = found->second;
      coming_.erase(found);
      if (!create_node(group, ready)) group.added.erase(name);
    });
  }
}

std::string Autoscaler::next_name(Group& group) {
  std::string name;
  do {
    name = fmt::format("{}-{}", group.spec.name, group.next_number++);
  } while (coming_.contains(name) || around_.api.get<api::Node>(Symbol(), name) != nullptr);
  return name;
}

Result<void> Autoscaler::create_node(Group& group, const autoscaler::NewNode& node) {
  const std::string& name = node.node->metadata.name;
  group.added[name].shape = node.shape;
  const auto made = around_.api.create(api::AnyObject(node.node), around_.agenda.now());
  if (!made) return fail(made.error().message);
  if (node.shape == nullptr) return {};
  if (const auto csi = around_.api.get<api::CsiNode>(Symbol(), node.shape->model->metadata.name)) {
    auto copy = std::make_shared<api::CsiNode>(*csi);
    copy->metadata = api::ObjectMeta();
    copy->metadata.name = name;
    (void)around_.api.create(api::AnyObject(std::shared_ptr<const api::CsiNode>(std::move(copy))),
                             around_.agenda.now());
  }
  // A DaemonSet that is there makes its own.
  for (const api::PodPtr& daemon : node.daemons) {
    const api::OwnerReference* owner = api::controller_of(daemon->metadata);
    if (owner == nullptr) continue;
    auto pod = std::make_shared<api::Pod>(*daemon);
    pod->metadata.name = fmt::format("{}-{}", owner->name, name);
    pod->metadata.uid.clear();
    pod->metadata.resource_version.clear();
    pod->metadata.creation_timestamp = Instant();
    (void)around_.api.create(api::AnyObject(api::PodPtr(std::move(pod))), around_.agenda.now());
  }
  return {};
}

void Autoscaler::explain_refusals(const std::vector<autoscaler::WaitingPod>& pods, autoscaler::Trial& trial) {
  const Instant now = around_.agenda.now();
  std::map<std::tuple<std::uint32_t, const void*, const void*>, std::string> by_class;  // never gone through
  std::map<std::string, std::vector<std::string>> refused;                              // pods by message
  for (const autoscaler::WaitingPod& pod : pods) {
    std::string& message = by_class[{pod.pod->metadata.name_space.id(), pod.pod->spec.shared.identity(),
                                     pod.pod->metadata.labels.identity()}];
    if (message.empty()) message = refusal_of(pod, trial);
    if (!refused_.emplace(pod.pod->metadata.uid, message).second) continue;
    around_.history.published(*pod.pod, Symbol("Normal"), Symbol("NotTriggerScaleUp"),
                              "pod didn't trigger scale-up: " + message, now);
    refused[message].push_back(pod.pod->metadata.name);
  }
  for (const auto& [message, names] : refused) {
    around_.history.note(
        HistoryEvent::Kind::kAutoscaler, now,
        fmt::format("autoscaler adds no node for {}: {}",
                    names.size() == 1 ? names.front() : fmt::format("{} pods", names.size()), message));
  }
}

// How many groups refuse for which reason: "1 Insufficient cpu, 2 max node group size reached".
std::string Autoscaler::refusal_of(const autoscaler::WaitingPod& pod, autoscaler::Trial& trial) const {
  std::map<std::string, int> reasons;
  for (const auto& [name, group] : groups_) {
    ++reasons[autoscaler::refusal(group->spec, pod, planned(*group), trial, "new node")];
  }
  std::vector<std::string> counted;
  for (const auto& [reason, count] : reasons) counted.push_back(fmt::format("{} {}", count, reason));
  return fmt::format("{}", fmt::join(counted, ", "));
}

}  // namespace berth::sim
