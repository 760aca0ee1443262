// Any bytes as the answer to a watch, and as a list of which some items cannot be decoded. Where the network cuts the
// bytes makes no difference to the events.
#include <string>
#include <vector>

#include "berth/base/check.h"
#include "berth/informer/event_stream.h"
#include "berth/informer/readable_list.h"
#include "tests/fuzz/fuzz_object.h"

namespace {

using namespace berth;

// What came of the bytes, given in pieces: a line for each frame.
std::vector<std::string> read_in_pieces(std::string_view bytes, std::size_t piece) {
  std::vector<std::string> lines;
  informer::EventStream stream({});
  while (!bytes.empty()) {
    stream.append(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (true) {
      auto frame = stream.next();
      if (!frame) {
        lines.push_back("error: " + frame.error().message());
        return lines;
      }
      if (!frame->has_value()) break;
      const informer::Frame& read = **frame;
      BERTH_CHECK(read.event.has_value() != !read.problem.empty(), "neither event nor problem");
      lines.push_back(read.event ? codec::object_to_json(read.event->object)
                                 : read.problem + std::to_string(read.fingerprint));
    }
  }
  lines.emplace_back(stream.has_part() ? "part" : "whole");
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::as_text(data, size);
  const std::vector<std::string> whole = read_in_pieces(bytes, std::max<std::size_t>(size, 1));
  BERTH_CHECK(read_in_pieces(bytes, 3) == whole, "other frames when cut");
  BERTH_CHECK(read_in_pieces(bytes, 64) == whole, "other frames when cut");

  std::size_t unreadable = 0;
  const auto count = [&](const Error& error) {
    BERTH_CHECK(!error.what().empty(), "no text");
    ++unreadable;
  };
  const auto readable = informer::readable_list(bytes, {}, count);
  if (const auto list = codec::list_from_protobuf(bytes, {})) {
    BERTH_CHECK(readable.has_value() && unreadable == 0 && readable->items.size() == list->items.size(),
                "a list that can be read: {} of {} items", readable ? readable->items.size() : 0, list->items.size());
  }
  return 0;
}
