// One HTTP/2 session as its client: bytes from the server in, bytes for the server out, and streams that carry
// transfers. nghttp2 does the protocol. There is no socket here, so that tests can play any server, byte by byte;
// http2_connection.h adds the socket and TLS.
//
// nghttp2 calls back from deep inside itself, so the callbacks only store what came and put streams that have ended on
// a list. Internal to the real transport. Not thread safe.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/client/inflater.h"
#include "berth/client/transfer.h"
#include "berth/client/wire.h"

namespace berth::client {

class Http2Connection;

// A transfer's way over a connection.
struct Http2Stream {
  explicit Http2Stream(Transfer& its_transfer) : transfer(its_transfer) {}

  Transfer& transfer;
  Http2Connection* connection = nullptr;  // null while it waits for one
  std::int32_t id = 0;
  std::size_t body_sent = 0;
  bool is_sent = false;                // some of it may have left this machine
  bool has_end = false;                // the server has sent all of its answer
  std::string error;                   // why we do not want the rest
  std::unique_ptr<Inflater> inflater;  // if the answer is packed
  int tries = 0;

  // Makes it as it was before it was given to a connection.
  void rewind();
};

class Http2Session {
 public:
  struct Ended {
    enum class How : std::uint8_t {
      kComplete,
      kRefused,  // the server has not looked at it: it may be sent again
      kBroken,
    };
    Http2Stream* stream;
    How how;
    std::string error;
  };

  // The news outlive the session. An answer longer than `max_body_bytes` is not taken.
  explicit Http2Session(WireNews& news, std::size_t max_body_bytes = kMaxBodyBytes);
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // The server has said how many streams it takes.
  bool has_settings() const { return has_settings_; }
  // The server takes no further streams.
  bool is_draining() const { return is_draining_; }
  // The server takes a further stream.
  bool has_room() const;
  // There is nothing left to send, and nothing that comes would be looked at.
  bool is_over() const;
  const std::unordered_map<std::int32_t, Http2Stream*>& streams() const { return streams_; }

  // Requires: has_room(). The stream stays where it is until it has ended or is cancelled. Names of headers are in
  // lower case.
  void submit(Http2Stream& stream, std::span<const Header> headers);
  void cancel(Http2Stream& stream);
  // All streams that are left end.
  void end_all(const std::string& why);
  // Streams that have ended since the last time; they are not in the session any more.
  std::vector<Ended> take_ended() { return std::exchange(ended_, {}); }
  void ping() { (void)nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr); }

  // Takes what the server has sent. An error ends the session; it says what is wrong.
  std::optional<std::string> receive(std::string_view bytes);
  // Appends what is to be sent until `output` has `enough_bytes`, or there is no more for now. An error ends the
  // session.
  std::optional<std::string> fill(std::string& output, std::size_t enough_bytes);

 private:
  struct FreeSession {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };

  Http2Stream* find(std::int32_t id) const;
  void end_stream(std::int32_t id, Ended::How how, std::string error);
  void begin_answer(Http2Stream& stream);

  static Http2Session& self(void* session) { return *static_cast<Http2Session*>(session); }
  static int on_frame_received(nghttp2_session*, const nghttp2_frame* frame, void* session);
  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                       const std::uint8_t* value, std::size_t value_size, std::uint8_t flags, void* session);
  static int on_bytes(nghttp2_session* nghttp2, std::uint8_t flags, std::int32_t id, const std::uint8_t* bytes,
                      std::size_t size, void* session);
  static int on_stream_closed(nghttp2_session*, std::int32_t id, std::uint32_t code, void* session);
  static int before_frame_is_sent(nghttp2_session*, const nghttp2_frame* frame, void* session);
  static int on_frame_not_sent(nghttp2_session*, const nghttp2_frame* frame, int code, void* session);
  static ssize_t read_body(nghttp2_session*, std::int32_t id, std::uint8_t* buffer, std::size_t size,
                           std::uint32_t* flags, nghttp2_data_source*, void* session);

  WireNews& news_;
  const std::size_t max_body_bytes_;
  bool has_settings_ = false;
  bool is_draining_ = false;
  std::unique_ptr<nghttp2_session, FreeSession> session_;
  std::unordered_map<std::int32_t, Http2Stream*> streams_;
  std::vector<Ended> ended_;
};

}  // namespace berth::client
