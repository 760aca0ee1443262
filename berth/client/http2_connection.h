// One HTTP/2 connection: a socket, TLS and an HTTP/2 session (http2_session.h) on top of it. Internal to the real
// transport (http2_wire.h, which owns it and decides which request goes where).
//
// The owner says when the socket is ready (ready()) and when to write (flush()); nothing here waits.
//
// Not thread safe. SIGPIPE must be blocked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/time.h"
#include "berth/client/credential_source.h"
#include "berth/client/http2_session.h"
#include "berth/client/openssl.h"
#include "berth/client/resolver.h"
#include "berth/client/tls_context.h"
#include "berth/client/transfer.h"
#include "berth/client/wire.h"

namespace berth::client {

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
  using Ended = Http2Session::Ended;

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
  bool has_room() const { return state_ == State::kOpen && session_->has_room(); }
  bool is_idle() const { return !session_ || session_->streams().empty(); }
  template <typename Fn>
  void for_each_stream(Fn&& fn) const {
    if (!session_) return;
    for (const auto& [id, stream] : session_->streams()) fn(*stream);
  }

  // Requires: has_room(). The stream stays where it is until it has ended or is cancelled. Names of headers are in
  // lower case.
  void submit(Http2Stream& stream, std::span<const Header> headers);
  void cancel(Http2Stream& stream);
  // Streams that have ended since the last time; they are not on the connection any more.
  std::vector<Ended> take_ended() { return session_ ? session_->take_ended() : std::vector<Ended>(); }

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
  bool has_session() const {
    return state_ == State::kGreeting || state_ == State::kOpen || state_ == State::kDraining;
  }
  void connect();
  void shake_hands();
  void read(Instant now);
  void fill_output();
  void close_if_done();
  // What a TLS function that has returned `result` failed of; unset if it only has to wait.
  std::optional<std::string> failure_of(int result);
  // The connection has failed: while it is being made there may be another address, after that it is closed.
  void give_up(const std::string& why);
  void forget_socket();

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
  std::unique_ptr<Http2Session> session_;  // once TLS is up
  std::string output_;                     // that TLS has not taken yet
  std::size_t output_begin_ = 0;
  std::string write_error_;  // set: nothing can be written any more, only read

  Instant heard_at_;
  Instant pinged_at_;
};

}  // namespace berth::client
