// What a server may send, byte by byte, and what becomes of the requests. http2_wire_test.cc has the same with a real
// server; here is what no real one does.
#include "berth/client/http2_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace berth::client {
namespace {

using How = Http2Session::Ended::How;

constexpr char kData = 0, kHeaders = 1, kReset = 3, kSettings = 4, kGoAway = 7;
constexpr char kNoFlags = 0, kEndStream = 1, kEndHeaders = 4;

std::string number(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}
std::string frame(char type, char flags, std::uint32_t stream, const std::string& payload = {}) {
  return number(static_cast<std::uint32_t>(payload.size())).substr(1) + type + flags + number(stream) + payload;
}
// The answer's status 200, as HPACK's table has it.
const std::string kOk = "\x88";

class Http2SessionTest : public testing::Test {
 protected:
  Http2SessionTest() {
    std::string output;
    EXPECT_FALSE(session_.fill(output, 1 << 20));
    EXPECT_TRUE(output.starts_with("PRI * HTTP/2.0"));
    EXPECT_FALSE(session_.has_room());
    EXPECT_FALSE(session_.receive(frame(kSettings, kNoFlags, 0)));
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      EXPECT_TRUE(session_.has_room());
      session_.submit(*streams_[i], kRequest);
    }
    send();
  }

  void send() {
    std::string output;
    EXPECT_FALSE(session_.fill(output, 1 << 20));
  }

  static constexpr std::size_t kMaxBytes = 100;
  const std::array<Header, 4> kRequest = {Header{":method", "GET"}, Header{":scheme", "https"}, Header{":path", "/"},
                                          Header{":authority", "a"}};
  WireNews news_;
  std::array<Transfer, 2> transfers_;
  Http2Stream first_{transfers_[0]};
  Http2Stream second_{transfers_[1]};
  std::array<Http2Stream*, 2> streams_ = {&first_, &second_};
  Http2Session session_{news_, kMaxBytes};
};

TEST_F(Http2SessionTest, TakesAnAnswerThatComesByteByByte) {
  const std::string answer =
      frame(kHeaders, kEndHeaders, 1, kOk) + frame(kData, kNoFlags, 1, "hel") + frame(kData, kEndStream, 1, "lo");
  for (const char byte : answer) ASSERT_FALSE(session_.receive({&byte, 1}));
  const std::vector<Http2Session::Ended> ended = session_.take_ended();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].stream, &first_);
  EXPECT_EQ(ended[0].how, How::kComplete);
  EXPECT_EQ(transfers_[0].response.status, 200);
  EXPECT_EQ(transfers_[0].response.body, "hello");
  EXPECT_EQ(session_.streams().size(), 1u);
}

TEST_F(Http2SessionTest, TakesNoAnswerThatIsTooLong) {
  ASSERT_FALSE(
      session_.receive(frame(kHeaders, kEndHeaders, 1, kOk) + frame(kData, kNoFlags, 1, std::string(kMaxBytes, 'x'))));
  EXPECT_TRUE(session_.take_ended().empty());
  ASSERT_FALSE(session_.receive(frame(kData, kNoFlags, 1, "x")));
  send();
  const std::vector<Http2Session::Ended> ended = session_.take_ended();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].how, How::kBroken);
  EXPECT_EQ(ended[0].error, "response exceeds the limit of 100 bytes");
}

TEST_F(Http2SessionTest, ARefusedStreamMayBeSentAgainUnlessItsAnswerHasBegun) {
  const std::string refused = number(7);
  ASSERT_FALSE(session_.receive(frame(kReset, kNoFlags, 1, refused) + frame(kHeaders, kEndHeaders, 3, kOk) +
                                frame(kReset, kNoFlags, 3, refused)));
  const std::vector<Http2Session::Ended> ended = session_.take_ended();
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].how, How::kRefused);
  EXPECT_EQ(ended[1].how, How::kBroken);
}

TEST_F(Http2SessionTest, StreamsAboveTheLastOfAServerThatGoesAwayMayBeSentAgain) {
  ASSERT_FALSE(session_.receive(frame(kGoAway, kNoFlags, 0, number(1) + number(0))));
  EXPECT_TRUE(session_.is_draining());
  EXPECT_FALSE(session_.has_room());
  const std::vector<Http2Session::Ended> ended = session_.take_ended();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].stream, &second_);
  EXPECT_EQ(ended[0].how, How::kRefused);
  session_.end_all("cut");
  const std::vector<Http2Session::Ended> rest = session_.take_ended();
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].how, How::kBroken);
  EXPECT_EQ(rest[0].error, "cut");
}

TEST_F(Http2SessionTest, BytesThatAreNoHttp2EndTheSession) {
  // A frame longer than any that was agreed on: nghttp2 tells the server so, and listens no more.
  const auto error = session_.receive("HTTP/1.1 400 Bad Request\r\n\r\n");
  send();
  EXPECT_TRUE(error.has_value() || session_.is_over());
  session_.end_all("not HTTP/2");
  EXPECT_EQ(session_.take_ended().size(), 2u);
}

}  // namespace
}  // namespace berth::client
