// Any two texts as an Openb trace (nodes, then pods behind an empty line): a trace, or an error with file and line.
#include <algorithm>
#include <string>

#include "berth/base/check.h"
#include "berth/whatif/openb.h"
#include "tests/fuzz/fuzz_object.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const std::string_view text = fuzz::as_text(data, size);
  const std::size_t empty_line = std::min(text.find("\n\n"), text.size());
  const auto trace =
      whatif::read_openb({.name = "nodes.csv", .text = std::string(text.substr(0, empty_line))},
                         {.name = "pods.csv", .text = std::string(text.substr(std::min(empty_line + 2, text.size())))});
  if (!trace) {
    BERTH_CHECK(trace.error().message().find(".csv") != std::string::npos, "{}", trace.error().message());
    return 0;
  }
  for (const whatif::OpenbPod& pod : trace->pods) BERTH_CHECK(!pod.name.empty(), "a pod without a name");
  (void)trace->end();
  return 0;
}
