// Makes a failing scenario as small as it gets while it still fails in the same way: leaves lines out, many at a time
// first (delta debugging), then fields within lines, then makes numbers smaller. What is left is one that no single
// such step makes smaller, unless the budget ran out before.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace berth::fuzz {

struct Shrunk {
  std::vector<std::string> lines;
  std::size_t tries = 0;
};

// Whether a scenario still fails in the way that is looked for; one that does not parse does not.
using StillFails = std::function<bool(const std::vector<std::string>& lines)>;

// Requires: still_fails(lines). Asks at most `max_tries` times.
Shrunk shrink(std::vector<std::string> lines, const StillFails& still_fails, std::size_t max_tries = 4000);

}  // namespace berth::fuzz
