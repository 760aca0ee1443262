// Compares how Berth loads configurations with what the oracle wrote down about kube-scheduler:
// tests/oracle/config/README.md.
#pragma once

#include <ostream>
#include <string>

namespace berth::conformance {

// Loads every configuration of the trace and compares the stage at which loading ends, the messages, the completed
// configuration byte for byte, and the plugins of every profile. Prints file, line and what differs for the first
// differences, then how many were compared and how many differ; returns the latter. Throws std::runtime_error if the
// file is not such a trace or holds nothing to compare.
int compare_config_trace(const std::string& file, std::ostream& out);

}  // namespace berth::conformance
