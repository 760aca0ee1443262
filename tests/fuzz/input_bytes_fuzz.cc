// Any bytes as a file: they become text of a bounded size, or an error.
#include "berth/base/check.h"
#include "berth/codec/input_bytes.h"
#include "tests/fuzz/fuzz_object.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  constexpr std::size_t kMaxBytes = 1 << 20;
  const auto text = codec::to_text(std::string(fuzz::as_text(data, size)), kMaxBytes);
  BERTH_CHECK(text ? text->size() <= 2 * kMaxBytes : !text.error().what().empty(), "{} bytes", size);
  return 0;
}
