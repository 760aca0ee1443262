// Any bytes as YAML. What reads as an object is written and read again, as YAML and as JSON.
#include "berth/codec/yaml.h"
#include "tests/fuzz/fuzz_object.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const std::string_view text = fuzz::as_text(data, size);
  InternPool pool;
  codec::DecodeOptions options;
  options.pool = &pool;
  if (const auto object = codec::object_from_yaml(text, options)) {
    fuzz::check_round_trip(
        *object, [](const api::AnyObject& any) { return codec::object_to_yaml(any); },
        [](const std::string& yaml) { return codec::object_from_yaml(yaml); });
    // JSON is YAML.
    fuzz::check_round_trip(
        *object, [](const api::AnyObject& any) { return codec::object_to_json(any); },
        [](const std::string& json) { return codec::object_from_yaml(json); });
  }
  options.strict = true;
  codec::object_from_yaml(text, options);
  return 0;
}
