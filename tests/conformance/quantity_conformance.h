// Compares Berth's quantities with what the oracle wrote down about Kubernetes' own: tests/oracle/quantity/README.md.
#pragma once

#include <ostream>
#include <string>

namespace berth::conformance {

// Does what every line of the trace says and compares all of its results. Prints file, line and what differs for the
// first differences, then how many lines were compared and how many differ; returns the latter. Throws
// std::runtime_error if the file is not such a trace or holds nothing to compare.
int compare_quantity_trace(const std::string& file, std::ostream& out);

}  // namespace berth::conformance
