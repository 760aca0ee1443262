// A dump of a real cluster as the beginning of a simulation: `kubectl get ... -A -o yaml`, with what people leave out
// put right.
//
// What is filled in: the UIDs by which pods and their owners find each other, if the dump has none; the condition Ready
// of pods that are Running and have no such condition, because budgets for disruptions count healthy pods. What is left
// out: kinds that nothing in a simulation looks at.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/time.h"
#include "berth/sim/world.h"

namespace berth::whatif {

// In the order in which they can be created: what others refer to comes first.
std::vector<api::AnyObject> prepared(std::span<const api::AnyObject> dump);

// Shortly after the newest object of the dump was made: when its simulation begins. Unset if no object has a time.
Instant time_of(std::span<const api::AnyObject> dump);

// Creates the objects, which are prepared(). Returns what could not be created, in a sentence each.
std::vector<std::string> load(sim::World& world, std::span<const api::AnyObject> objects);

}  // namespace berth::whatif
