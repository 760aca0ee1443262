#include "berth/informer/event_stream.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/codec/protobuf.h"
#include "berth/informer/testing.h"

namespace berth::informer {
namespace {

using codec::WatchEvent;
using testing::node;

std::string frame(std::string_view name) {
  return codec::watch_event_to_protobuf_frame(
      {WatchEvent::Type::kAdded, api::AnyObject(std::make_shared<const api::Node>(node(name)))});
}

// "a", or "!" for a frame that is no event, or "error".
std::vector<std::string> read_all(EventStream& stream) {
  std::vector<std::string> names;
  while (true) {
    const auto next = stream.next();
    if (!next) {
      names.emplace_back("error");
      return names;
    }
    if (!*next) return names;
    names.push_back((*next)->event ? (*next)->event->object.metadata().name : "!");
  }
}

using Names = std::vector<std::string>;

TEST(EventStream, ReadsFramesThatComeByteByByte) {
  EventStream stream({});
  Names names;
  for (const char byte : frame("a") + frame("b")) {
    stream.append({&byte, 1});
    for (std::string& name : read_all(stream)) names.push_back(name);
  }
  EXPECT_EQ(names, Names({"a", "b"}));
  EXPECT_FALSE(stream.has_part());
}

TEST(EventStream, GoesOnBehindAFrameThatIsNoEvent) {
  EventStream stream({});
  const std::string_view no_event("\0\0\0\3abc", 7);
  stream.append(frame("a") + std::string(no_event) + frame("b"));
  EXPECT_EQ(read_all(stream), Names({"a", "!", "b"}));
}

TEST(EventStream, TellsFramesThatAreNoEventsApartByTheirBytes) {
  const auto fingerprint_of = [](std::string_view bytes) {
    EventStream stream({});
    stream.append(bytes);
    return stream.next().value()->fingerprint;
  };
  const std::string_view first("\0\0\0\3abc", 7);
  const std::string_view second("\0\0\0\3abd", 7);
  EXPECT_EQ(fingerprint_of(first), fingerprint_of(first));
  EXPECT_NE(fingerprint_of(first), fingerprint_of(second));
}

TEST(EventStream, RefusesAFrameThatIsTooLongToBeOne) {
  EventStream stream({});
  stream.append("<html>");
  EXPECT_EQ(read_all(stream), Names({"error"}));
}

TEST(EventStream, KnowsOfAFrameThatIsNotWhole) {
  EventStream stream({});
  stream.append(frame("a").substr(0, 10));
  EXPECT_EQ(read_all(stream), Names());
  EXPECT_TRUE(stream.has_part());
}

}  // namespace
}  // namespace berth::informer
