// Any bytes as JSON: an object, a list, a watch event. What reads as an object is written and read again.
#include "berth/codec/json.h"
#include "tests/fuzz/fuzz_object.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const std::string_view text = fuzz::as_text(data, size);
  InternPool pool;
  codec::DecodeOptions options;
  options.pool = &pool;
  const auto read = [](const std::string& json) { return codec::object_from_json(json); };
  if (const auto object = codec::object_from_json(text, options)) {
    fuzz::check_round_trip(*object, [](const api::AnyObject& any) { return codec::object_to_json(any); }, read);
    fuzz::check_round_trip(*object, [](const api::AnyObject& any) { return codec::object_to_json(any, 2); }, read);
  }
  options.strict = true;
  codec::object_from_json(text, options);
  codec::list_from_json(text, options);
  codec::watch_event_from_json(text, options);
  return 0;
}
