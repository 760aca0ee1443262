// A pod that SchedulingGates holds back is woken when its own last gate is taken away.
#pragma once

#include <vector>

#include "berth/plugins/hint_support.h"

namespace berth::plugins {

HintAnswer scheduling_gates_after_gates_gone(const api::Pod& pod, const EventObjects& objects);

std::vector<HintRegistration> scheduling_gates_hints(Symbol profile);

// The PreEnqueue check.
bool scheduling_gates_admits(const api::Pod& pod);

}  // namespace berth::plugins
