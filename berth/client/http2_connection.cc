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
#include <charconv>
#include <cstring>
#include <utility>

#include "berth/base/check.h"

namespace berth::client {

namespace {

// kube-apiserver allows 250 streams; who allows more is not asked for more, further ones make another connection.
constexpr std::uint32_t kMaxStreams = 250;
// How much may be under way to us: of one answer, and of all.
constexpr std::int32_t kStreamWindowBytes = 4 << 20;
constexpr std::int32_t kConnectionWindowBytes = 64 << 20;
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

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// From what a system call has left in errno; zero if there was no error, but no connection either.
std::string why_it_ended(int code) {
  return code == 0 ? "connection closed by the server" : std::strerror(code);
}

nghttp2_nv pair_of(const Header& header) {
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {.name = bytes(header.name),
          .value = bytes(header.value),
          .namelen = header.name.size(),
          .valuelen = header.value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

void Http2Stream::rewind() {
  connection = nullptr;
  id = 0;
  body_sent = 0;
  is_sent = false;
  has_end = false;
  inflater.reset();
}

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

bool Http2Connection::has_room() const {
  // nghttp2 allows no more when it is out of numbers for streams, and when it has found the server at fault.
  if (state_ != State::kOpen || nghttp2_session_check_request_allowed(session_.get()) == 0) return false;
  const std::uint32_t allowed =
      nghttp2_session_get_remote_settings(session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  return streams_.size() < std::min(allowed, kMaxStreams);
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
  if (text_of(protocol, size) == "h2") return open_session();
  needs_http1_ = true;
  close("server does not support HTTP/2");
}

void Http2Connection::open_session() {
  nghttp2_session_callbacks* callbacks = nullptr;
  BERTH_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0, "nghttp2 has no memory");
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &on_frame_received);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, &on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &on_bytes);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &on_stream_closed);
  nghttp2_session_callbacks_set_before_frame_send_callback(callbacks, &before_frame_is_sent);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, &on_frame_not_sent);
  nghttp2_session* session = nullptr;
  const int made = nghttp2_session_client_new(&session, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  BERTH_CHECK(made == 0, "nghttp2: {}", nghttp2_strerror(made));
  session_.reset(session);
  const std::array<nghttp2_settings_entry, 2> settings{
      {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindowBytes}}};
  const int submitted = nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  const int widened = nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindowBytes);
  BERTH_CHECK(submitted == 0 && widened == 0, "nghttp2 has no memory");
  state_ = State::kGreeting;
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
  while (!streams_.empty()) {
    const auto& [id, stream] = *streams_.begin();
    end_stream(id, stream->is_sent ? Ended::How::kBroken : Ended::How::kRefused, why);
  }
}

// --- Streams ---------------------------------------------------------------------------------------------------------

void Http2Connection::submit(Http2Stream& stream, std::span<const Header> headers) {
  std::vector<nghttp2_nv> pairs;
  pairs.reserve(headers.size());
  for (const Header& header : headers) pairs.push_back(pair_of(header));
  const nghttp2_data_provider body{.source = {}, .read_callback = &read_body};
  const bool has_body = !stream.transfer.request.body.empty();
  stream.id =
      nghttp2_submit_request(session_.get(), nullptr, pairs.data(), pairs.size(), has_body ? &body : nullptr, nullptr);
  BERTH_CHECK(stream.id > 0, "nghttp2: {}", nghttp2_strerror(stream.id));
  was_of_use_ = true;
  stream.connection = this;
  streams_.emplace(stream.id, &stream);
}

void Http2Connection::cancel(Http2Stream& stream) {
  std::erase_if(ended_, [&](const Ended& ended) { return ended.stream == &stream; });  // and nobody was told yet
  if (streams_.erase(stream.id) == 0) return;
  (void)nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream.id, NGHTTP2_CANCEL);
}

Http2Stream* Http2Connection::find(std::int32_t id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second;
}

void Http2Connection::end_stream(std::int32_t id, Ended::How how, std::string error) {
  Http2Stream* stream = find(id);
  if (stream == nullptr) return;
  streams_.erase(id);
  ended_.push_back({.stream = stream, .how = how, .error = std::move(error)});
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
  std::array<std::uint8_t, kInputBytes> buffer;
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
    const ssize_t taken = nghttp2_session_mem_recv(session_.get(), buffer.data(), static_cast<std::size_t>(size));
    if (taken < 0) {
      return give_up(fmt::format("HTTP/2 protocol error: {}", nghttp2_strerror(static_cast<int>(taken))));
    }
    if (state_ == State::kDraining && streams_.empty()) return close("connection is going away (GOAWAY)");
  }
  has_more_ = true;
}

void Http2Connection::fill_output() {
  output_.clear();
  output_begin_ = 0;
  while (output_.size() < kOutputBytes) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size < 0) return close(fmt::format("nghttp2: {}", nghttp2_strerror(static_cast<int>(size))));
    if (size == 0) return;
    output_.append(text_of(bytes, static_cast<std::size_t>(size)));
  }
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
  if (state_ == State::kClosed || nghttp2_session_want_read(session_.get()) != 0 ||
      nghttp2_session_want_write(session_.get()) != 0) {
    return;
  }
  give_up(state_ == State::kDraining ? "connection is going away (GOAWAY)" : "HTTP/2 protocol error");
}

void Http2Connection::ping(Instant now) {
  (void)nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr);
  pinged_at_ = now;
}

// --- What nghttp2 calls ----------------------------------------------------------------------------------------------

int Http2Connection::on_frame_received(nghttp2_session*, const nghttp2_frame* frame, void* connection) {
  Http2Connection& self = Http2Connection::self(connection);
  if (frame->hd.type == NGHTTP2_GOAWAY) {
    self.state_ = State::kDraining;
    return 0;
  }
  if (frame->hd.type == NGHTTP2_SETTINGS && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0 &&
      self.state_ == State::kGreeting) {
    self.state_ = State::kOpen;
    return 0;
  }
  Http2Stream* stream = self.find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  if (frame->hd.type == NGHTTP2_HEADERS && !stream->transfer.has_headers) self.begin_answer(*stream);
  const bool may_end = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
  if (may_end && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) stream->has_end = true;
  return 0;
}

void Http2Connection::begin_answer(Http2Stream& stream) {
  Transfer& transfer = stream.transfer;
  if (transfer.response.status < 200) return;  // "100 Continue": the answer is still to come
  transfer.has_headers = true;
  if (transfer.response.header("content-encoding") == "gzip") stream.inflater = std::make_unique<Inflater>();
  news_.touch(transfer);
}

int Http2Connection::on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                               std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                               std::uint8_t /*flags*/, void* connection) {
  Http2Stream* stream = self(connection).find(frame->hd.stream_id);
  if (stream == nullptr || stream->transfer.has_headers) return 0;  // what comes after the body tells us nothing
  Response& response = stream->transfer.response;
  const std::string_view name_text = text_of(name, name_size);
  const std::string_view value_text = text_of(value, value_size);
  if (name_text == ":status") {
    response.headers.clear();
    std::from_chars(value_text.data(), value_text.data() + value_text.size(), response.status);
  } else {
    response.headers.push_back({std::string(name_text), std::string(value_text)});
  }
  return 0;
}

int Http2Connection::on_bytes(nghttp2_session* session, std::uint8_t /*flags*/, std::int32_t id,
                              const std::uint8_t* bytes, std::size_t size, void* connection) {
  Http2Connection& self = Http2Connection::self(connection);
  Http2Stream* stream = self.find(id);
  if (stream == nullptr || !stream->error.empty()) return 0;
  std::string& body = stream->transfer.body();
  if (stream->inflater) {
    if (!stream->inflater->unpack(text_of(bytes, size), body, kMaxBodyBytes)) {
      stream->error = "response exceeds the size limit or is not valid gzip";
    }
  } else if (body.size() + size > kMaxBodyBytes) {
    stream->error = fmt::format("response exceeds the limit of {} bytes", kMaxBodyBytes);
  } else {
    body.append(text_of(bytes, size));
  }
  if (!stream->error.empty()) {
    (void)nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  }
  self.news_.touch(stream->transfer);
  return 0;
}

int Http2Connection::on_stream_closed(nghttp2_session*, std::int32_t id, std::uint32_t code, void* connection) {
  Http2Connection& self = Http2Connection::self(connection);
  Http2Stream* stream = self.find(id);
  if (stream == nullptr) return 0;
  using How = Ended::How;
  if (!stream->error.empty()) {
    self.end_stream(id, How::kBroken, stream->error);
  } else if (stream->has_end && stream->inflater && !stream->inflater->is_complete()) {
    self.end_stream(id, How::kBroken, "unexpected end of gzip stream");
  } else if (stream->has_end && stream->transfer.has_headers) {
    self.end_stream(id, How::kComplete, {});
  } else {
    const bool is_refused = code == NGHTTP2_REFUSED_STREAM && stream->transfer.response.status == 0;
    self.end_stream(id, is_refused ? How::kRefused : How::kBroken,
                    fmt::format("stream reset by the server: {}", nghttp2_http2_strerror(code)));
  }
  return 0;
}

int Http2Connection::before_frame_is_sent(nghttp2_session*, const nghttp2_frame* frame, void* connection) {
  Http2Stream* stream = self(connection).find(frame->hd.stream_id);
  if (stream != nullptr) stream->is_sent = true;
  return 0;
}

int Http2Connection::on_frame_not_sent(nghttp2_session*, const nghttp2_frame* frame, int code, void* connection) {
  if (frame->hd.type != NGHTTP2_HEADERS) return 0;
  self(connection).end_stream(frame->hd.stream_id, Ended::How::kRefused, nghttp2_strerror(code));
  return 0;
}

ssize_t Http2Connection::read_body(nghttp2_session*, std::int32_t id, std::uint8_t* buffer, std::size_t size,
                                   std::uint32_t* flags, nghttp2_data_source*, void* connection) {
  Http2Stream* stream = self(connection).find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const std::string& body = stream->transfer.request.body;
  const std::size_t length = body.copy(reinterpret_cast<char*>(buffer), size, stream->body_sent);
  stream->body_sent += length;
  if (stream->body_sent == body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(length);
}

}  // namespace berth::client
