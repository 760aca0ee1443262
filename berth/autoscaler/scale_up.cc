#include "berth/autoscaler/scale_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "berth/api/pod_requests.h"

namespace berth::autoscaler {

namespace {

struct ExpanderName {
  Expander expander;
  std::string_view name;
};
constexpr std::array<ExpanderName, 4> kExpanders = {{{Expander::kLeastWaste, "least-waste"},
                                                     {Expander::kMostPods, "most-pods"},
                                                     {Expander::kRandom, "random"},
                                                     {Expander::kPriority, "priority"}}};

// Pods that filters cannot tell apart.
using ClassKey = std::tuple<std::uint32_t, const void*, const void*>;
ClassKey class_of(const api::Pod& pod) {
  return {pod.metadata.name_space.id(), pod.spec.shared.identity(), pod.metadata.labels.identity()};
}

double share(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

double waste_of(const ScaleUp& option) {
  api::ResourceVector offered, used;
  for (const NewNode& node : option.nodes) {
    offered += api::ResourceVector(node.node->status.allocatable);
    for (const api::PodPtr& pod : node.daemons) used += api::pod_usage(*pod->spec, pod->status).requested;
  }
  for (const api::PodPtr& pod : option.pods) used += api::pod_usage(*pod->spec, pod->status).requested;
  return ((1 - share(used.milli_cpu, offered.milli_cpu)) + (1 - share(used.memory, offered.memory))) / 2;
}

// Whether the machine alone would be enough: cheaper than asking all filters.
bool is_large_enough(const NewNode& node, const api::ResourceVector& request) {
  const api::ResourceVector room(node.node->status.allocatable);
  return request.milli_cpu <= room.milli_cpu && request.memory <= room.memory;
}

class Estimate {
 public:
  Estimate(const NodeGroup& group, const std::vector<const NodeShape*>& planned, Trial& trial, const NodeNames& names)
      : group_(group), planned_(planned), trial_(trial), names_(names) {}

  ScaleUp run(const std::vector<WaitingPod>& pods) {
    for (const WaitingPod& pod : pods) {
      const ClassKey key = class_of(*pod.pod);
      if (hopeless_.contains(key)) continue;
      if (place_on_new(pod) || (result_.nodes.size() < kMaxNodesAtOnce && add_node_for(pod))) {
        result_.pods.push_back(pod.pod);
      } else {
        hopeless_.insert(key);
      }
    }
    for (std::size_t i = 0; i < result_.nodes.size(); ++i) trial_.remove_last();
    if (!result_.nodes.empty()) result_.waste = waste_of(result_);
    return std::move(result_);
  }

 private:
  // The newest first: older ones are full.
  bool place_on_new(const WaitingPod& pod) {
    constexpr std::size_t kNodesToTry = 8;
    const std::size_t tries = std::min(kNodesToTry, result_.nodes.size());
    for (std::size_t i = 0; i < tries; ++i) {
      const std::string& name = result_.nodes[result_.nodes.size() - 1 - i].node->metadata.name;
      if (!trial_.check(*pod.profile, pod.pod, name).is_success()) continue;
      trial_.place(pod.pod, name);
      return true;
    }
    return false;
  }

  bool add_node_for(const WaitingPod& pod) {
    const api::ResourceVector request = api::pod_usage(*pod.pod->spec, pod.pod->status).requested;
    std::vector<NewNode> candidates = new_nodes(group_, *pod.pod->spec, "new node");
    // A node group's machines come in turn, as a cloud provider balances zones.
    if (!group_.chooses_zone() && candidates.size() > 1) {
      const std::size_t turn = (static_cast<std::size_t>(group_.nodes) + planned_.size()) % candidates.size();
      std::ranges::rotate(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(turn));
    } else if (candidates.size() > 1 && !group_.zones.empty()) {
      rotate_zones(candidates);
    }
    for (const NewNode& candidate : candidates) {
      if (candidate.shape == nullptr || !is_large_enough(candidate, request)) continue;
      if (excess_of(group_, *candidate.shape, planned_)) continue;
      const NewNode node = renamed(candidate, names_());
      trial_.add(node);
      if (trial_.check(*pod.profile, pod.pod, node.node->metadata.name).is_success()) {
        trial_.place(pod.pod, node.node->metadata.name);
        planned_.push_back(candidate.shape);
        result_.nodes.push_back(node);
        return true;
      }
      trial_.remove_last();
      if (!group_.chooses_zone()) break;  // whose turn it is, is not up to the autoscaler
    }
    return false;
  }

  // The candidates of one machine are zone by zone: begin with another zone for each node.
  void rotate_zones(std::vector<NewNode>& candidates) const {
    const std::size_t zones = group_.zones.size();
    const auto turn = static_cast<std::ptrdiff_t>(result_.nodes.size() % zones);
    for (std::size_t i = 0; i + zones <= candidates.size(); i += zones) {
      const auto first = candidates.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(first, first + turn, first + static_cast<std::ptrdiff_t>(zones));
    }
  }

  const NodeGroup& group_;
  std::vector<const NodeShape*> planned_;
  Trial& trial_;
  const NodeNames& names_;
  ScaleUp result_;
  std::set<ClassKey> hopeless_;  // never gone through
};

}  // namespace

std::string_view to_string(Expander expander) {
  for (const ExpanderName& each : kExpanders) {
    if (each.expander == expander) return each.name;
  }
  return "";
}

std::optional<Expander> parse_expander(std::string_view text) {
  for (const ExpanderName& each : kExpanders) {
    if (each.name == text) return each.expander;
  }
  return std::nullopt;
}

ScaleUp estimate(const NodeGroup& group, const std::vector<WaitingPod>& pods,
                 const std::vector<const NodeShape*>& planned, Trial& trial, const NodeNames& names) {
  if (!group.obstacles.empty()) return {};
  return Estimate(group, planned, trial, names).run(pods);
}

std::size_t choose(const std::vector<const NodeGroup*>& groups, const std::vector<ScaleUp>& options, Expander expander,
                   Rng& rng) {
  const auto is_better = [&](std::size_t a, std::size_t b) {
    const bool is_pool = groups[a]->chooses_zone(), is_other_pool = groups[b]->chooses_zone();
    if (is_pool && is_other_pool && groups[a]->weight != groups[b]->weight) {
      return groups[a]->weight > groups[b]->weight;
    }
    switch (expander) {
      case Expander::kLeastWaste: return options[a].waste < options[b].waste;
      case Expander::kMostPods: return options[a].pods.size() > options[b].pods.size();
      case Expander::kPriority: return groups[a]->weight > groups[b]->weight;
      case Expander::kRandom: return false;
    }
    return false;
  };
  std::size_t best = expander == Expander::kRandom ? rng.below(options.size()) : 0;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (is_better(i, best)) best = i;
  }
  return best;
}

std::string refusal(const NodeGroup& group, const WaitingPod& pod, const std::vector<const NodeShape*>& planned,
                    Trial& trial, const std::string& node_name) {
  if (!group.obstacles.empty()) return group.obstacles.front();
  const std::vector<NewNode> candidates = new_nodes(group, *pod.pod->spec, node_name);
  std::string said = "no node of the group is known";
  // The largest machine comes last: what is said about it holds for the others.
  for (const NewNode& candidate : candidates) {
    if (candidate.shape == nullptr) continue;
    trial.add(candidate);
    const framework::Status status = trial.check(*pod.profile, pod.pod, node_name);
    trial.remove_last();
    if (!status.is_success()) {
      said = status.message();
      continue;
    }
    if (!excess_of(group, *candidate.shape, planned)) continue;
    return group.max_nodes ? "max node group size reached" : "limit of the NodePool reached";
  }
  return said;
}

}  // namespace berth::autoscaler
