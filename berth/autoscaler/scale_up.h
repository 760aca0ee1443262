// Which group to make larger for pods that fit nowhere, and by how many nodes: pods are put onto new nodes of each
// group one after the other, as a scheduler would place them, and an expander chooses among the groups that help.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/pod.h"
#include "berth/autoscaler/new_node.h"
#include "berth/autoscaler/node_group.h"
#include "berth/autoscaler/trial.h"
#include "berth/base/rng.h"
#include "berth/framework/profile.h"
#include "berth/framework/status.h"

namespace berth::autoscaler {

// In cluster-autoscaler's words.
enum class Expander : std::uint8_t {
  kLeastWaste,  // the least cpu and memory is idle afterwards
  kMostPods,
  kRandom,
  kPriority,  // the group of the highest weight
};
std::string_view to_string(Expander expander);
std::optional<Expander> parse_expander(std::string_view text);

// How many nodes one decision adds at most; more come with the next.
inline constexpr std::size_t kMaxNodesAtOnce = 1000;

struct WaitingPod {
  api::PodPtr pod;
  const framework::Profile* profile = nullptr;
};

struct ScaleUp {
  std::vector<NewNode> nodes;
  std::vector<api::PodPtr> pods;  // that have room then
  double waste = 0;               // the share of the new nodes that stays idle
};

// Names for new nodes, each once.
using NodeNames = std::function<std::string()>;

// What comes of making the group larger for these pods; no nodes if it helps none. `planned` are shapes of nodes of the
// group that are to come anyway and not among its `nodes`. The trial is as before when this returns.
ScaleUp estimate(const NodeGroup& group, const std::vector<WaitingPod>& pods,
                 const std::vector<const NodeShape*>& planned, Trial& trial, const NodeNames& names);

// Which of the options to take: NodePools of the highest weight go first, as Karpenter has it. Requires: not empty, and
// each has nodes.
std::size_t choose(const std::vector<const NodeGroup*>& groups, const std::vector<ScaleUp>& options, Expander expander,
                   Rng& rng);

// Why the group does not help the pod, in cluster-autoscaler's words: "max node group size reached", or those of the
// filter that rejects the pod on a new node.
std::string refusal(const NodeGroup& group, const WaitingPod& pod, const std::vector<const NodeShape*>& planned,
                    Trial& trial, const std::string& node_name);

}  // namespace berth::autoscaler
