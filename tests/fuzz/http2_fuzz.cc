// Any bytes as what a server sends over HTTP/2: its settings, answers to four requests (one with a body, one a stream
// of pieces), and all that it may do wrong. Every request ends exactly once, at the latest with the connection.
//
// The input is cut into pieces of the size that its first byte says, as TLS records would be; after each piece the
// client sends what it has to send.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "berth/base/check.h"
#include "berth/client/http2_session.h"
#include "tests/fuzz/fuzz_object.h"

namespace {

using namespace berth;

constexpr std::size_t kMaxBodyBytes = 1 << 16;

// Requests as Http2Wire makes them.
struct Requests {
  std::array<client::Transfer, 4> transfers;
  std::vector<std::unique_ptr<client::Http2Stream>> streams;

  Requests() {
    transfers[1].request.body = std::string(300, 'x');
    transfers[2].stream = std::make_shared<client::StreamHandler>();
    for (client::Transfer& transfer : transfers) {
      transfer.id = streams.size() + 1;
      streams.push_back(std::make_unique<client::Http2Stream>(transfer));
    }
  }

  void submit(client::Http2Session& session) {
    const std::array<client::Header, 4> headers = {client::Header{":method", "GET"}, client::Header{":scheme", "https"},
                                                   client::Header{":path", "/api/v1/pods"},
                                                   client::Header{":authority", "10.0.0.1:6443"}};
    for (const auto& stream : streams) {
      if (stream->id == 0 && session.has_room()) session.submit(*stream, headers);
    }
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = data[0] == 0 ? size : data[0];
  std::string_view bytes = fuzz::as_text(data + 1, size - 1);
  Requests requests;
  client::WireNews news;
  client::Http2Session session(news, kMaxBodyBytes);
  std::vector<const client::Http2Stream*> ended;
  const auto take_ended = [&] {
    for (const client::Http2Session::Ended& each : session.take_ended()) {
      using How = client::Http2Session::Ended::How;
      BERTH_CHECK(std::ranges::find(ended, each.stream) == ended.end(), "stream {} ended twice", each.stream->id);
      BERTH_CHECK(each.how == How::kComplete || !each.error.empty(), "no reason");
      // A request is sent again only if the server has not begun to answer it.
      BERTH_CHECK(each.how != How::kRefused || !each.stream->transfer.has_headers, "refused with an answer");
      BERTH_CHECK(each.how != How::kComplete || each.stream->transfer.response.status >= 200, "complete without one");
      ended.push_back(each.stream);
    }
  };
  std::string output;
  bool is_broken = session.fill(output, 1 << 20).has_value();
  while (!bytes.empty() && !is_broken && !session.is_over()) {
    is_broken = session.receive(bytes.substr(0, piece)).has_value();
    bytes.remove_prefix(std::min(piece, bytes.size()));
    requests.submit(session);
    output.clear();
    is_broken = is_broken || session.fill(output, 1 << 20).has_value();
    take_ended();
  }
  session.end_all("the server has closed the connection");
  take_ended();
  std::size_t begun = 0;
  for (const auto& stream : requests.streams) {
    begun += stream->id == 0 ? 0 : 1;
    BERTH_CHECK(stream->transfer.response.body.size() <= kMaxBodyBytes, "an answer that is too long");
    BERTH_CHECK(stream->transfer.pieces.size() <= kMaxBodyBytes, "pieces that are too long");
  }
  BERTH_CHECK(ended.size() == begun, "{} requests, {} ended", begun, ended.size());
  return 0;
}
