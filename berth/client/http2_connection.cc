#include "berth/client/http2_connection.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace berth::client {

namespace {

// As much as a TLS record holds.
constexpr std::size_t kOutputBytes = 16 * 1024;
constexpr std::size_t kInputBytes = 16 * 1024;
// So that a long answer is not read to its end before the first of it is looked at.
constexpr int kMaxReadsPerTurn = 64;
// A server that acknowledges nothing for so long is gone; Linux alone would go on for a quarter of an hour.
constexpr unsigned kUnacknowledgedMs = 30'000;
constexpr int kKeepAliveSeconds = 15;

void set_option(int fd, int level, int option, const auto& value) {
  (void)::setsockopt(fd, level, option, &value, sizeof(value));  // what one kernel does not know is not worth an error
}

int open_socket(int family) {
  const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return fd;
  const int on = 1;
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, on);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, on);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveSeconds);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveSeconds);
  set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, kUnacknowledgedMs);
  return fd;
}

// From what a system call has left in errno; zero if there was no error, but no connection either.
std::string why_it_ended(int code) {
  return code == 0 ? "connection closed by the server" : std::strerror(code);
}

}  // namespace

Http2Connection::Http2Connection(SocketAddresses addresses, std::shared_ptr<const Identity> identity,
                                 Owned<SSL_CTX> context, std::string certificate_name, WireNews& news)
    : addresses_(std::move(addresses)),
      identity_(std::move(identity)),
      context_(std::move(context)),
      certificate_name_(std::move(certificate_name)),
      news_(news) {
  (void)try_next_address("host has no addresses");
}

Http2Connection::~Http2Connection() {
  if (has_session()) SSL_shutdown(tls_.get());  // a word of farewell, if it goes
  if (fd_ >= 0) ::close(fd_);
}

bool Http2Connection::is_of(const Identity& identity) const {
  return identity_.get() == &identity || (identity_->ca == identity.ca && identity_->key == identity.key &&
                                          identity_->certificate == identity.certificate);
}

void Http2Connection::submit(Http2Stream& stream, std::span<const Header> headers) {
  session_->submit(stream, headers);
  was_of_use_ = true;
  stream.connection = this;
}

void Http2Connection::cancel(Http2Stream& stream) {
  if (session_) session_->cancel(stream);
}

// --- Connecting ------------------------------------------------------------------------------------------------------

// And all that was said and heard there.
void Http2Connection::forget_socket() {
  session_.reset();
  tls_.reset();
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  output_.clear();
  output_begin_ = 0;
  write_error_.clear();
  wants_to_write_ = reading_waits_to_write_ = has_more_ = false;
}

bool Http2Connection::try_next_address(const std::string& why) {
  forget_socket();
  state_ = State::kConnecting;
  std::string reason = why;
  while (next_address_ < addresses_.size()) {
    const SocketAddress& address = addresses_[next_address_++];
    fd_ = open_socket(address.family());
    if (fd_ >= 0 && (::connect(fd_, address.get(), address.size) == 0 || errno == EINPROGRESS)) return true;
    reason = fmt::format("cannot connect: {}", std::strerror(errno));
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  close(reason);
  return false;
}

void Http2Connection::connect() {
  int code = 0;
  socklen_t size = sizeof(code);
  if (::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &code, &size) != 0) code = errno;
  if (code != 0) {
    (void)try_next_address(fmt::format("cannot connect: {}", std::strerror(code)));
    return;
  }
  tls_ = make_tls_client(context_.get(), fd_, certificate_name_);
  if (!tls_) return close(fmt::format("cannot set up TLS: {}", take_tls_error(nullptr)));
  state_ = State::kHandshaking;
  shake_hands();
}

void Http2Connection::shake_hands() {
  ERR_clear_error();
  errno = 0;
  const int result = SSL_do_handshake(tls_.get());
  if (result != 1) {
    if (const auto why = failure_of(result)) give_up(fmt::format("TLS handshake: {}", *why));
    return;
  }
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(tls_.get(), &protocol, &size);
  if (std::string_view(reinterpret_cast<const char*>(protocol), size) == "h2") {
    session_ = std::make_unique<Http2Session>(news_);
    state_ = State::kGreeting;
    return;
  }
  needs_http1_ = true;
  close("server does not support HTTP/2");
}

std::optional<std::string> Http2Connection::failure_of(int result) {
  const int saved_errno = errno;
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ: return std::nullopt;
    case SSL_ERROR_WANT_WRITE: wants_to_write_ = true; return std::nullopt;
    case SSL_ERROR_ZERO_RETURN: return why_it_ended(0);
    case SSL_ERROR_SYSCALL: return why_it_ended(saved_errno);
    default: return take_tls_error(tls_.get());
  }
}

void Http2Connection::give_up(const std::string& why) {
  if (is_connecting()) {
    (void)try_next_address(why);
  } else {
    close(why);
  }
}

void Http2Connection::close(const std::string& why) {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  error_ = why;
  has_more_ = false;
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  if (session_) session_->end_all(why);
}

// --- Moving bytes ----------------------------------------------------------------------------------------------------

short Http2Connection::wanted_events() const {
  const bool is_waiting_to_write = state_ == State::kConnecting || wants_to_write_;
  const int events = (state_ == State::kConnecting ? 0 : POLLIN) | (is_waiting_to_write ? POLLOUT : 0);
  return static_cast<short>(events);
}

void Http2Connection::ready(short events, Instant now) {
  wants_to_write_ = false;
  if (is_connecting()) heard_at_ = now;
  switch (state_) {
    case State::kConnecting: return connect();
    case State::kHandshaking: return shake_hands();
    case State::kGreeting:
    case State::kOpen:
    case State::kDraining:
      if (has_more_ || reading_waits_to_write_ || (events & ~POLLOUT) != 0) read(now);
      return;
    case State::kClosed: return;
  }
}

void Http2Connection::read(Instant now) {
  has_more_ = false;
  reading_waits_to_write_ = false;
  std::array<char, kInputBytes> buffer;
  for (int i = 0; i < kMaxReadsPerTurn; ++i) {
    ERR_clear_error();
    errno = 0;
    const int size = SSL_read(tls_.get(), buffer.data(), buffer.size());
    if (size <= 0) {
      if (const auto why = failure_of(size)) return give_up(*why);
      reading_waits_to_write_ = wants_to_write_;
      if (!write_error_.empty()) give_up(std::exchange(write_error_, {}));
      return;
    }
    heard_at_ = now;
    pinged_at_ = {};
    const auto error = session_->receive({buffer.data(), static_cast<std::size_t>(size)});
    if (session_->is_draining()) {
      state_ = State::kDraining;
    } else if (session_->has_settings()) {
      state_ = State::kOpen;
    }
    if (error) return give_up(*error);
    if (state_ == State::kDraining && is_idle()) return close("connection is going away (GOAWAY)");
  }
  has_more_ = true;
}

void Http2Connection::fill_output() {
  output_.clear();
  output_begin_ = 0;
  if (const auto error = session_->fill(output_, kOutputBytes)) close(*error);
}

void Http2Connection::flush() {
  while (has_session() && !wants_to_write_ && write_error_.empty()) {
    if (output_begin_ == output_.size()) fill_output();
    if (state_ == State::kClosed || output_.empty()) return close_if_done();
    ERR_clear_error();
    errno = 0;
    const int size =
        SSL_write(tls_.get(), output_.data() + output_begin_, static_cast<int>(output_.size() - output_begin_));
    if (size <= 0 && SSL_get_error(tls_.get(), size) == SSL_ERROR_SYSCALL) {
      // The server has hung up. What it said before that is worth reading: that it did not look at our requests, say.
      write_error_ = why_it_ended(errno);
      has_more_ = true;
      return;
    }
    if (size <= 0) {
      if (const auto why = failure_of(size)) give_up(*why);
      return;
    }
    output_begin_ += static_cast<std::size_t>(size);
  }
}

// nghttp2 has nothing left to say and does not listen any more: the server is going away and the last stream is gone,
// or it has broken the protocol, which nghttp2 tells it with its last word.
void Http2Connection::close_if_done() {
  if (state_ == State::kClosed || !session_->is_over()) return;
  give_up(state_ == State::kDraining ? "connection is going away (GOAWAY)" : "HTTP/2 protocol error");
}

void Http2Connection::ping(Instant now) {
  session_->ping();
  pinged_at_ = now;
}

}  // namespace berth::client
