// Random scenarios for the fuzzer: a seed gives a cluster, pods and workloads with all kinds of wishes, and what
// happens to them over a minute or two: nodes come, go and change, pods end, are deleted and relabelled, volumes appear
// late, the API server and the watches fail, the scheduler crashes.
//
// A scenario is text, one statement a line, as a person would write it: a failing one can be read, shrunk line by line
// (shrink.h) and kept as a test. Clusters are small and tight, so that pods get stuck and are woken.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace berth::fuzz {

struct GeneratedScenario {
  std::vector<std::string> lines;
  // What it makes use of: "spread", "crash", "lost watches". For the report on what was covered.
  std::set<std::string_view> features;
};

GeneratedScenario generate(std::uint64_t seed);

std::string join_lines(const std::vector<std::string>& lines);

}  // namespace berth::fuzz
