// Compares Berth's codecs with Go's on a codec trace: every object decoded from JSON and from protobuf, written again,
// and held against what Go wrote, as far as Berth keeps the fields.
#pragma once

#include <ostream>
#include <string>

namespace berth::conformance {

struct CodecResult {
  int compared = 0;  // objects, lists and watch streams
  int differences = 0;
};

// Prints the first difference of each line. If `rewritten` is not null, Berth's own encodings of every object go there,
// in the form that `codec -check` of the oracle reads: so Go judges what Berth writes.
CodecResult compare_codec_trace(const std::string& file, std::ostream& out, std::ostream* rewritten);

}  // namespace berth::conformance
