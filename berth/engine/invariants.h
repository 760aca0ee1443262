// What must hold of the engine's state between two inputs; see Scheduler::broken_invariants().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/engine/binding_cycle.h"
#include "berth/engine/state.h"

namespace berth::engine {

// `attempted_uid`: the pod whose attempt waits for an extender; empty if none does.
std::vector<std::string> broken_invariants(State& state, const BindingCycles& bindings, std::string_view attempted_uid);

}  // namespace berth::engine
