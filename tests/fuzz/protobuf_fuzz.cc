// Any bytes as protobuf: an object, a list, a stream of watch frames. What reads as an object is written and read
// again.
#include "berth/codec/protobuf.h"
#include "tests/fuzz/fuzz_object.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const std::string_view bytes = fuzz::as_text(data, size);
  InternPool pool;
  codec::DecodeOptions options;
  options.pool = &pool;
  if (const auto object = codec::object_from_protobuf(bytes, options)) {
    fuzz::check_round_trip(
        *object, [](const api::AnyObject& any) { return codec::object_to_protobuf(any); },
        [](const std::string& wire) { return codec::object_from_protobuf(wire); });
  }
  codec::list_from_protobuf(bytes, options);
  // The same bytes as every kind without an envelope, so that the fuzzer need not find the envelope first.
  for (const api::ObjectKind& kind : api::all_kinds()) {
    codec::read_protobuf(bytes, *kind.type, kind.make().get(), options);
  }
  codec::WatchFrames frames(options);
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    frames.append(bytes.substr(at, 7));
    while (true) {
      const auto event = frames.next();
      if (!event) return 0;
      if (!event->has_value()) break;
    }
  }
  return 0;
}
