#include "berth/whatif/autoscaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/autoscaler/find_groups.h"

namespace berth::whatif {

namespace {

// Those that something is known to resize; if there are none, all pools.
std::vector<autoscaler::NodeGroup> groups_in(std::span<const api::AnyObject> dump) {
  std::vector<autoscaler::NodeGroup> groups = autoscaler::find_groups(dump);
  return groups.empty() ? autoscaler::find_groups(dump, {.assume_autoscaler = true}) : groups;
}

bool is_pool(const autoscaler::NodeGroup& group) {
  return group.kind == autoscaler::NodeGroup::Kind::kNodePool;
}

}  // namespace

Result<std::vector<std::string>> start_autoscaler(sim::World& world, std::span<const api::AnyObject> dump,
                                                  const AutoscalerUse& use) {
  std::vector<std::string> notes;
  std::vector<autoscaler::NodeGroup> groups = groups_in(dump);
  if (groups.empty()) {
    return fail(Error("there is no group of nodes that an autoscaler could resize: no NodePool, and no node with a "
                      "label that names its pool")
                    .with_fix("dump nodepools too"));
  }
  auto autoscaler = world.use_autoscaler();
  if (!autoscaler) return fail(autoscaler.error());
  (*autoscaler)->options().add_after = use.add_after;
  for (autoscaler::NodeGroup& group : groups) {
    if (!is_pool(group) && !group.max_nodes) {
      if (!use.max_nodes) {
        return fail(Error(fmt::format("how large may node group {} become? Its maximum is not in the dump", group.name))
                        .with_fix("give --max-nodes N"));
      }
      group.max_nodes = std::max(*use.max_nodes, group.nodes);
    }
    // What is missing now was missing before, and is not what this is about.
    group.min_nodes = std::min(group.min_nodes.value_or(0), group.nodes);
    if (!group.obstacles.empty()) {
      notes.push_back(fmt::format("{} adds no nodes: {}.", autoscaler::title_of(group), group.obstacles.front()));
    } else if (group.shapes.empty()) {
      notes.push_back(fmt::format("{} adds no nodes here: no node of it is in the dump, so their size is not known.",
                                  autoscaler::title_of(group)));
    }
    if (!notes.empty() && notes.back().starts_with('n')) notes.back()[0] = 'N';
    if (auto set = (*autoscaler)->set_group(std::move(group)); !set) return fail(set.error());
  }
  return notes;
}

void wait_for_removals(sim::World& world) {
  const auto autoscaler = world.use_autoscaler();
  if (!autoscaler) return;
  const sim::AutoscalerOptions& options = (*autoscaler)->options();
  world.run_until(world.now() + options.remove_after + options.scan_interval * 3);
}

std::vector<AutoscaledGroup> autoscaled_groups(const sim::World& world, std::span<const api::AnyObject> dump) {
  std::vector<AutoscaledGroup> result;
  if (world.autoscaler() == nullptr) return result;
  const std::vector<autoscaler::NodeGroup> groups = groups_in(dump);
  for (const sim::AutoscalerCounts::Group& each : world.autoscaler()->counts().groups) {
    const auto found = std::ranges::find(groups, each.name, &autoscaler::NodeGroup::name);
    const bool is_of_karpenter = found != groups.end() && is_pool(*found);
    result.push_back({each.name, is_of_karpenter ? "NodePool" : "NodeGroup", each.nodes, each.added, each.removed});
  }
  return result;
}

}  // namespace berth::whatif
