// One HTTP/2 connection: a socket, TLS and nghttp2's session on top of it. Internal to the real transport
// (http2_wire.h, which owns it and decides which request goes where).
//
// The owner says when the socket is ready (ready()) and when to write (flush()); nothing here waits. nghttp2 calls back
// from deep inside itself, so the callbacks only store what came and put streams that have ended on a list.
//
// Not thread safe. SIGPIPE must be blocked.
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

#include "berth/base/time.h"
#include "berth/client/credential_source.h"
#include "berth/client/inflater.h"
#include "berth/client/openssl.h"
#include "berth/client/resolver.h"
#include "berth/client/tls_context.h"
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

class Http2Connection {
 public:
  enum class State : std::uint8_t {
    kConnecting,
    kHandshaking,
    kGreeting,  // HTTP/2 is up, but the server has not said yet how many streams it takes
    kOpen,
    kDraining,  // the server takes no further streams
    kClosed,
  };
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

  // Begins to connect to the first of the addresses. The news outlive the connection.
  Http2Connection(SocketAddresses addresses, std::shared_ptr<const Identity> identity, Owned<SSL_CTX> context,
                  std::string certificate_name, WireNews& news);
  ~Http2Connection();
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  State state() const { return state_; }
  bool is_connecting() const {
    return state_ == State::kConnecting || state_ == State::kHandshaking || state_ == State::kGreeting;
  }
  // It has carried a stream.
  bool was_of_use() const { return was_of_use_; }
  // The server prefers HTTP/1.1; the connection is closed.
  bool needs_http1() const { return needs_http1_; }
  // Why it is closed.
  const std::string& error() const { return error_; }

  const Identity& identity() const { return *identity_; }
  // Whether TLS was, or will be, done in this identity's name.
  bool is_of(const Identity& identity) const;
  // Open, and the server takes a further stream.
  bool has_room() const;
  bool is_idle() const { return streams_.empty(); }
  template <typename Fn>
  void for_each_stream(Fn&& fn) const {
    for (const auto& [id, stream] : streams_) fn(*stream);
  }

  // Requires: has_room(). The stream stays where it is until it has ended or is cancelled. Names of headers are in
  // lower case.
  void submit(Http2Stream& stream, std::span<const Header> headers);
  void cancel(Http2Stream& stream);
  // Streams that have ended since the last time; they are not on the connection any more.
  std::vector<Ended> take_ended() { return std::exchange(ended_, {}); }

  int fd() const { return fd_; }
  short wanted_events() const;
  // More has come than was read: do not wait.
  bool has_more() const { return has_more_; }
  void ready(short events, Instant now);
  void flush();

  std::size_t addresses_left() const { return addresses_.size() - next_address_; }
  // Gives up the address that it is connecting to. False if there is no other. Requires: is_connecting().
  bool try_next_address(const std::string& why);
  // All streams that are left end.
  void close(const std::string& why);

  // When the last byte came.
  Instant heard_at() const { return heard_at_; }
  // Asks for a sign of life.
  void ping(Instant now);
  Instant pinged_at() const { return pinged_at_; }  // unset: everything that was asked was answered

 private:
  struct FreeSession {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };

  bool has_session() const {
    return state_ == State::kGreeting || state_ == State::kOpen || state_ == State::kDraining;
  }
  void connect();
  void shake_hands();
  void open_session();
  void read(Instant now);
  void fill_output();
  void close_if_done();
  // What a TLS function that has returned `result` failed of; unset if it only has to wait.
  std::optional<std::string> failure_of(int result);
  // The connection has failed: while it is being made there may be another address, after that it is closed.
  void give_up(const std::string& why);
  void forget_socket();
  void end_stream(std::int32_t id, Ended::How how, std::string error);
  void begin_answer(Http2Stream& stream);

  Http2Stream* find(std::int32_t id) const;
  static Http2Connection& self(void* connection) { return *static_cast<Http2Connection*>(connection); }
  static int on_frame_received(nghttp2_session*, const nghttp2_frame* frame, void* connection);
  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                       const std::uint8_t* value, std::size_t value_size, std::uint8_t flags, void* connection);
  static int on_bytes(nghttp2_session* session, std::uint8_t flags, std::int32_t id, const std::uint8_t* bytes,
                      std::size_t size, void* connection);
  static int on_stream_closed(nghttp2_session*, std::int32_t id, std::uint32_t code, void* connection);
  static int before_frame_is_sent(nghttp2_session*, const nghttp2_frame* frame, void* connection);
  static int on_frame_not_sent(nghttp2_session*, const nghttp2_frame* frame, int code, void* connection);
  static ssize_t read_body(nghttp2_session*, std::int32_t id, std::uint8_t* buffer, std::size_t size,
                           std::uint32_t* flags, nghttp2_data_source*, void* connection);

  State state_ = State::kConnecting;
  bool was_of_use_ = false;
  bool needs_http1_ = false;
  bool wants_to_write_ = false;
  bool reading_waits_to_write_ = false;  // TLS has something of its own to say first
  bool has_more_ = false;
  const SocketAddresses addresses_;
  std::size_t next_address_ = 0;
  const std::shared_ptr<const Identity> identity_;
  const Owned<SSL_CTX> context_;
  const std::string certificate_name_;
  WireNews& news_;
  std::string error_;

  int fd_ = -1;
  Owned<SSL> tls_;
  std::unique_ptr<nghttp2_session, FreeSession> session_;
  std::unordered_map<std::int32_t, Http2Stream*> streams_;
  std::vector<Ended> ended_;
  std::string output_;  // that TLS has not taken yet
  std::size_t output_begin_ = 0;
  std::string write_error_;  // set: nothing can be written any more, only read

  Instant heard_at_;
  Instant pinged_at_;
};

}  // namespace berth::client
