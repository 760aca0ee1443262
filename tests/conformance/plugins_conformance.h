// Compares what Berth's plugins decide with what the oracle wrote down about kube-scheduler's own:
// tests/oracle/plugins/README.md.
#pragma once

#include <ostream>
#include <string>

namespace berth::conformance {

struct PluginsResult {
  int pods = 0;         // attempts that were compared
  int comparisons = 0;  // verdicts, scores, texts, candidates: whatever is one line of the output when it differs
  int differences = 0;
};

// Builds the cluster and the profile of the trace, makes an attempt for each of its pods and compares every step of it,
// on every node. Prints file, line, pod, field, what was expected and what came, for the first differences. Throws
// std::runtime_error if the file is not such a trace or holds nothing to compare.
PluginsResult compare_plugins_trace(const std::string& file, std::ostream& out);

}  // namespace berth::conformance
