// A pod that NodeName rejected is woken by any new node.
#pragma once

#include <vector>

#include "berth/plugins/hint_support.h"

namespace berth::plugins {

std::vector<HintRegistration> node_name_hints(Symbol profile);

}  // namespace berth::plugins
