#include "berth/explain/help_autoscaler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "berth/api/pod_requests.h"
#include "berth/autoscaler/new_node.h"
#include "berth/autoscaler/node_facts.h"
#include "berth/autoscaler/trial.h"
#include "berth/explain/facts.h"
#include "berth/explain/stable_order.h"
#include "berth/plugins/names.h"

namespace berth::explain {

namespace {

using autoscaler::NewNode;
using Group = autoscaler::NodeGroup;

// How many nodes of one group are put before the filters; the smallest machines come first.
constexpr std::size_t kMaxTrials = 16;
// Below it cluster-autoscaler adds no node for a pod (--expendable-pods-priority-cutoff).
constexpr std::int32_t kLowestPriority = -10;

// How near a node of the group comes to taking the pod.
enum class Reached : std::uint8_t { kTaint, kLabels, kSize, kFilter, kFits };

struct Tried {
  Reached reached = Reached::kTaint;
  std::string why;  // if it does not fit
};

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string taints_reason(const std::vector<api::Taint>& taints) {
  std::vector<std::string> texts;
  for (const api::Taint& taint : taints) texts.push_back(taint_text(taint));
  return fmt::format("its nodes have the taint{} {}, which the pod does not tolerate", texts.size() == 1 ? "" : "s",
                     listed(texts));
}

// "the pod wants zone=eu-1c, and the NodePool has zone in (eu-1a, eu-1b)"
std::string label_reason(const Group& group, const api::Labels& labels, const Demand& demand) {
  for (const api::NodePoolRequirement& requirement : group.requirements) {
    if (requirement.key != demand.key) continue;
    return fmt::format("the pod wants {}, and it requires {}", demand.text,
                       requirement_text(requirement.key.text(), requirement.op.text(), requirement.values));
  }
  const Symbol* value = labels.find(demand.key);
  if (value != nullptr) {
    return fmt::format("the pod wants {}, and its nodes have {}={}", demand.text, demand.key.text(), value->text());
  }
  return fmt::format("the pod wants {}, and its nodes do not have that label", demand.text);
}

struct Amount {
  Symbol resource;
  std::int64_t wanted = 0;
  std::int64_t offered = 0;
};
// What an empty node has too little of, cpu first.
std::vector<Amount> too_small(const NewNode& node, const api::ResourceVector& request) {
  api::ResourceVector room(node.node->status.allocatable);
  std::int64_t pods = room.allowed_pods;
  for (const api::PodPtr& daemon : node.daemons) {
    room -= api::pod_usage(*daemon->spec, daemon->status).requested;
    --pods;
  }
  std::vector<Amount> result;
  const auto compare = [&](std::string_view name, std::int64_t wanted, std::int64_t offered) {
    if (wanted > offered) result.push_back({Symbol(name), wanted, std::max<std::int64_t>(0, offered)});
  };
  compare("cpu", request.milli_cpu, room.milli_cpu);
  compare("memory", request.memory, room.memory);
  compare("ephemeral-storage", request.ephemeral_storage, room.ephemeral_storage);
  for (const auto& [name, wanted] : request.scalars) {
    const std::int64_t* offered = room.scalars.find(name);
    compare(name.text(), wanted, offered == nullptr ? 0 : *offered);
  }
  if (result.empty() && pods < 1) result.push_back({Symbol("pods"), 1, 0});
  return result;
}

std::string size_reason(const NewNode& node, const std::vector<Amount>& amounts) {
  const std::string machine = node.shape == nullptr ? "the largest machine that it may start"
                                                    : fmt::format("its largest node (like {})", node.shape->name);
  std::vector<std::string> texts;
  for (const Amount& each : amounts) {
    texts.push_back(
        each.offered == 0
            ? fmt::format("{}, and {} has none for it", amount_of(each.resource, each.wanted, Round::kUp), machine)
            : fmt::format("{}, more than {} has for it: {}", amount_of(each.resource, each.wanted, Round::kUp), machine,
                          amount(each.resource, each.offered, Round::kDown)));
  }
  return fmt::format("the pod asks for {}", texts.front());
}

class GroupTrial {
 public:
  GroupTrial(HelpSearch& search, const Group& group)
      : search_(search), group_(group), request_(search.evaluation.pod.compiled->usage.requested) {}

  Autoscaling run() {
    const std::vector<NewNode> candidates = autoscaler::new_nodes(group_, *search_.pod().spec, "a new node");
    if (!group_.obstacles.empty()) return cannot(group_.obstacles.front());
    if (candidates.empty()) {
      return maybe("no node of it is in what was read, so what its nodes look like is not known");
    }
    Tried nearest;
    bool fits_if_large_enough = false;
    std::size_t trials = 0;
    for (const NewNode& candidate : candidates) {
      const Tried tried = try_out(candidate, trials);
      if (tried.reached == Reached::kFits && candidate.shape == nullptr) {
        fits_if_large_enough = true;
      } else if (tried.reached == Reached::kFits) {
        take(candidate);
      } else if (tried.reached >= nearest.reached && (candidate.shape != nullptr || nearest.why.empty())) {
        nearest = tried;
      }
    }
    if (chosen_) return can();
    if (excess_) return cannot(*excess_);
    if (!fits_if_large_enough) return cannot(nearest.why);
    if (group_.shapes.empty()) {
      return maybe("no node of the pool is in what was read, so the size of its nodes is not known");
    }
    return maybe(
        fmt::format("of the machines that are known to it none will do ({}); whether it can start others is "
                    "not in what was read",
                    nearest.why));
  }

  // Set if the group can add a node, or could if it were not for its size.
  const std::optional<NewNode>& node() const { return chosen_ ? chosen_ : held_back_; }
  bool is_held_back() const { return !chosen_ && held_back_.has_value(); }

  std::string like() const {
    const NewNode& node = *this->node();
    return node.zone.empty() ? fmt::format("like {}", node.shape->name)
                             : fmt::format("zone {}, like {}", node.zone.text(), node.shape->name);
  }

 private:
  Tried try_out(const NewNode& candidate, std::size_t& trials) {
    if (const auto taints = untolerated_taints(search_.pod(), *candidate.node); !taints.empty()) {
      return {Reached::kTaint, taints_reason(taints)};
    }
    const api::Labels& labels = *candidate.node->metadata.labels;
    for (const Demand& demand : search_.demands) {
      if (!demand.is_met_by(labels)) return {Reached::kLabels, label_reason(group_, labels, demand)};
    }
    if (const auto amounts = too_small(candidate, request_); !amounts.empty()) {
      return {Reached::kSize, size_reason(candidate, amounts)};
    }
    if (++trials > kMaxTrials) return {Reached::kSize, "none of the nodes that were tried takes the pod"};
    autoscaler::Trial trial(search_.cluster.cache, search_.cluster.objects);
    trial.add(candidate);
    const framework::Status status =
        trial.check(search_.profile, search_.evaluation.pod.pod, candidate.node->metadata.name);
    if (status.is_success()) return {Reached::kFits, ""};
    const std::string where = candidate.zone.empty() ? "" : fmt::format(" in zone {}", candidate.zone.text());
    if (status.plugin() == plugins::name::kNodeAffinity) {
      return {Reached::kLabels, "its nodes do not meet the pod's node affinity"};
    }
    return {Reached::kFilter, fmt::format("a new node{} would not do: {}", where, status.message())};
  }

  void take(const NewNode& candidate) {
    ++fitting_;
    if (auto excess = autoscaler::excess_of(group_, *candidate.shape)) {
      if (!excess_) {
        excess_ = *std::move(excess);
        held_back_ = candidate;
      }
      return;
    }
    if (!chosen_) chosen_ = candidate;
  }

  Autoscaling said(bool helps, bool is_uncertain, std::string sentence) const {
    return {group_.name, Symbol(group_.kind == Group::Kind::kNodePool ? "NodePool" : "NodeGroup"), helps, is_uncertain,
            capitalised(std::move(sentence))};
  }
  Autoscaling cannot(const std::string& why) const {
    return said(false, false, fmt::format("{} cannot add a node for it: {}", autoscaler::title_of(group_), why));
  }
  Autoscaling maybe(const std::string& why) const {
    return said(false, true, fmt::format("{} may be able to add a node for it: {}", autoscaler::title_of(group_), why));
  }
  Autoscaling can() const {
    std::string text = fmt::format("{} can add a node for it ({})", autoscaler::title_of(group_), like());
    std::set<Symbol, SymbolTextLess> zones;
    for (const autoscaler::NodeShape& shape : group_.shapes) zones.insert(autoscaler::zone_of(*shape.model));
    if (!group_.chooses_zone() && fitting_ < group_.shapes.size() && zones.size() > 1) {
      text += "; in which of its zones the cloud provider makes the node is not up to the autoscaler";
    }
    if (!group_.chooses_zone() && !group_.max_nodes) text += "; its maximum size is not in what was read";
    return said(true, false, std::move(text));
  }

  HelpSearch& search_;
  const Group& group_;
  const api::ResourceVector& request_;
  std::optional<NewNode> chosen_;
  std::optional<NewNode> held_back_;  // by the group's size
  std::optional<std::string> excess_;
  std::size_t fitting_ = 0;
};

Step step_with(const NewNode& node, std::string text) {
  Step step{.kind = "autoscaler", .text = std::move(text)};
  step.new_nodes.push_back(node.node);
  step.new_pods = node.daemons;
  return step;
}

// What has to be raised before the group may add the node.
void suggest_larger(HelpSearch& search, const Group& group, const GroupTrial& trial) {
  const NewNode& node = *trial.node();
  if (group.max_nodes && group.nodes >= *group.max_nodes) {
    const Step step = step_with(node, fmt::format("raise the maximum of {} from {} to {}", autoscaler::title_of(group),
                                                  *group.max_nodes, group.nodes + 1));
    search.say(std::span(&step, 1), "",
               fmt::format("it can add a node then ({}), and the pod fits there", trial.like()));
    return;
  }
  std::vector<std::string> texts, fields;
  for (const autoscaler::GroupLimit& limit : group.limits) {
    const api::NodeStatus& status = node.shape->model->status;
    const api::Quantity* found = status.capacity.find(limit.resource);
    if (found == nullptr) found = status.allocatable.find(limit.resource);
    api::Quantity wanted = limit.used;
    wanted += limit.resource == "nodes" ? api::Quantity::from_units(1) : found != nullptr ? *found : api::Quantity();
    if (wanted <= limit.limit) continue;
    texts.push_back(fmt::format("{} {}", wanted.str(), limit.resource.text()));
    fields.push_back(fmt::format("\"{}\":\"{}\"", limit.resource.text(), wanted.str()));
  }
  if (texts.empty()) return;
  const Step step =
      step_with(node, fmt::format("raise the limits of {} to at least {}", autoscaler::title_of(group), listed(texts)));
  search.say(std::span(&step, 1), "", fmt::format("it can add a node then ({}), and the pod fits there", trial.like()));
  search.help.back().command =
      fmt::format("kubectl patch nodepool {} --type merge -p {}", shell_word(group.name),
                  shell_word(fmt::format("{{\"spec\":{{\"limits\":{{{}}}}}}}", fmt::join(fields, ","))));
}

}  // namespace

std::optional<std::string> ignored_by_autoscalers(Cluster& cluster, const api::Pod& pod, bool preempts) {
  if (cluster.node_groups().empty()) return std::nullopt;
  const api::OwnerReference* owner = api::controller_of(pod.metadata);
  if (owner != nullptr && owner->kind == "DaemonSet") {
    return "No autoscaler adds a node for it: a DaemonSet's pod belongs to a node that is there.";
  }
  if (preempts) {
    return "No autoscaler adds a node for it: preemption makes room, and a pod that is nominated to a node is left "
           "alone.";
  }
  const bool has_cluster_autoscaler = std::ranges::any_of(
      cluster.node_groups(), [](const Group& group) { return group.kind == Group::Kind::kNodeGroup; });
  if (has_cluster_autoscaler && api::priority_of(pod) < kLowestPriority) {
    return fmt::format("cluster-autoscaler adds no node for it: its priority {} is below {}.", api::priority_of(pod),
                       kLowestPriority);
  }
  return std::nullopt;
}

std::vector<Autoscaling> ask_autoscalers(HelpSearch& search) {
  std::vector<Autoscaling> result;
  std::vector<std::pair<const Group*, GroupTrial>> trials;
  for (const Group& group : search.cluster.node_groups()) {
    GroupTrial& trial = trials.emplace_back(&group, GroupTrial(search, group)).second;
    result.push_back(trial.run());
  }
  const auto helps = [](const auto& each) { return each.second.node().has_value() && !each.second.is_held_back(); };
  if (const auto first = std::ranges::find_if(trials, helps); first != trials.end()) {
    const Step step = step_with(
        *first->second.node(),
        fmt::format("wait for {} to add a node ({})", autoscaler::title_of(*first->first), first->second.like()));
    search.say(std::span(&step, 1), "", "it fits there");
  } else {
    for (const auto& [group, trial] : trials) {
      if (!trial.is_held_back()) continue;
      suggest_larger(search, *group, trial);
      break;
    }
  }
  sort_stably(result, {}, [](const Autoscaling& each) { return each.helps ? 0 : each.is_uncertain ? 1 : 2; });
  return result;
}

}  // namespace berth::explain
