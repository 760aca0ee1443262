// An explanation for people: the one sentence first, then what it is based on, long lists cut with a count.
#pragma once

#include <cstddef>
#include <string>

#include "berth/explain/explanation.h"
#include "berth/text/page.h"

namespace berth::explain {

// How many nodes of a group are named unless all are asked for.
inline constexpr std::size_t kShownNodes = 6;

struct RenderOptions {
  bool all_nodes = false;
  text::Style style = {};
};
text::Page page_of(const Explanation& explanation, const RenderOptions& options = {});
std::string render(const Explanation& explanation, const RenderOptions& options = {});

}  // namespace berth::explain
