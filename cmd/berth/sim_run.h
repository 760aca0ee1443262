// Runs scenario files: one with a live view and a whole report, several as a test runner does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/sim/world.h"
#include "berth/text/page.h"

namespace berth::cmd {

struct SimOptions {
  std::vector<std::string> files;
  std::string output = "text";
  std::optional<std::uint64_t> seed;
  std::optional<double> speed;  // virtual seconds per second
  std::string trace_file;
  std::string quirks;               // see scenario::parse_quirks()
  std::vector<std::string> checks;  // "wakeups", "decisions"
  std::size_t max_objects = sim::kDefaultMaxObjects;
  bool quiet = false;
};

// Returns the exit code: 0 if every expectation holds, 1 if one does not, 2 if a scenario is wrong.
int run_scenarios(const SimOptions& options, const text::Style& style);

}  // namespace berth::cmd
