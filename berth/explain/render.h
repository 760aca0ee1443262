// An explanation for people: the one sentence first, then what it is based on, long lists cut with a count.
#pragma once

#include <string>

#include "berth/explain/explanation.h"

namespace berth::explain {

// How many nodes of a group are named unless all are asked for.
inline constexpr std::size_t kShownNodes = 6;

struct RenderOptions {
  bool all_nodes = false;
};
std::string render(const Explanation& explanation, const RenderOptions& options = {});

}  // namespace berth::explain
