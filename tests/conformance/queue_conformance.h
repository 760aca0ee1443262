// Replays a queue trace: applies each operation to Berth's queue and compares the whole state with the recorded one.
#pragma once

#include <ostream>
#include <string>

namespace berth::conformance {

struct TraceResult {
  int compared = 0;  // operations
  int differences = 0;
};

// Stops at the first difference of a file, since what follows from it is noise, and prints file, line and operation.
TraceResult compare_queue_trace(const std::string& file, std::ostream& out);

}  // namespace berth::conformance
