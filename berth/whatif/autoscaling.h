// What-if with an autoscaler: the groups of nodes that a dump tells of are resized while its cluster is simulated.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/sim/autoscaler.h"
#include "berth/sim/world.h"

namespace berth::whatif {

struct AutoscalerUse {
  Duration add_after = sim::AutoscalerOptions().add_after;
  // Of node groups whose maximum the dump does not have.
  std::optional<std::int64_t> max_nodes;
};

// What became of one group.
struct AutoscaledGroup {
  std::string group;
  std::string kind;  // "NodePool" or "NodeGroup"
  std::int64_t nodes = 0;
  std::int64_t added = 0;
  std::int64_t removed = 0;
};

// Lets an autoscaler resize the groups of the dump from now on. Returns what there is to know: groups that cannot grow,
// because what their nodes look like is not in the dump. The error: there are no groups, or one has no maximum.
Result<std::vector<std::string>> start_autoscaler(sim::World& world, std::span<const api::AnyObject> dump,
                                                  const AutoscalerUse& use);

// Nodes that are not needed any more go after a while: lets that time pass.
void wait_for_removals(sim::World& world);

std::vector<AutoscaledGroup> autoscaled_groups(const sim::World& world, std::span<const api::AnyObject> dump);

}  // namespace berth::whatif
