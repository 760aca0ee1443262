// One connection of TestHttp2Server (test_http2_server.h): nghttp2's server side over blocking TLS, on a thread of its
// own, which a wakeup tells of what a test posts.
//
// run() is the thread's; post() is for everybody. All else happens on the thread.
#pragma once

#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/check.h"
#include "berth/client/test_listener.h"
#include "berth/client/tls_context.h"
#include "berth/client/transport.h"
#include "berth/client/wakeup_fd.h"

namespace berth::client {

class TestHttp2Connection : public std::enable_shared_from_this<TestHttp2Connection> {
 public:
  struct Received {
    std::string method;
    std::string path;
    std::string authority;
    std::string scheme;
    std::string body;
    std::vector<Header> headers;  // as they came
    std::string client_name;      // of its certificate; "" if there is none
    std::size_t connection = 0;   // its number; the first is 1

    std::string header(std::string_view name) const { return header_of(headers, name); }
  };

  // What a server may do with one request, at once or later, from any thread. A small value; copy it to keep it.
  class Exchange {
   public:
    Exchange(std::shared_ptr<TestHttp2Connection> connection, std::int32_t stream)
        : connection_(std::move(connection)), stream_(stream) {}

    void answer(int status, const std::string& body = {}, const std::vector<Header>& headers = {}) const {
      begin(status, headers);
      if (!body.empty()) piece(body);
      end();
    }
    // An answer in pieces: begin, any number of pieces, end.
    void begin(int status = 200, const std::vector<Header>& headers = {}) const {
      post([=](TestHttp2Connection& connection, std::int32_t id) { connection.begin_answer(id, status, headers); });
    }
    void piece(const std::string& bytes) const {
      post([=](TestHttp2Connection& connection, std::int32_t id) { connection.add_piece(id, bytes); });
    }
    void end(const std::vector<Header>& trailers = {}) const {
      post([=](TestHttp2Connection& connection, std::int32_t id) { connection.end_answer(id, trailers); });
    }
    // "100 Continue" and the like, before the answer.
    void inform(int status, const std::vector<Header>& headers = {}) const {
      post([=](TestHttp2Connection& connection, std::int32_t id) { connection.inform(id, status, headers); });
    }
    void reset(std::uint32_t code) const {
      post([=](TestHttp2Connection& connection, std::int32_t id) {
        nghttp2_submit_rst_stream(connection.session_.get(), NGHTTP2_FLAG_NONE, id, code);
      });
    }
    // The server takes no further streams; and it has not looked at this one either, unless it is included.
    void go_away(bool is_included) const {
      post([=](TestHttp2Connection& connection, std::int32_t id) {
        const std::int32_t last = is_included ? id : std::max(id - 2, 0);
        nghttp2_submit_goaway(connection.session_.get(), NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, nullptr, 0);
      });
    }
    // Bytes that are no HTTP/2.
    void talk_nonsense(const std::string& bytes) const {
      post([=](TestHttp2Connection& connection, std::int32_t) { connection.write(bytes); });
    }
    // Ends the connection.
    void cut() const {
      post([](TestHttp2Connection& connection, std::int32_t) { connection.is_cut_ = true; });
    }
    // Nothing is read or written any more, but the connection stays.
    void fall_silent() const {
      post([](TestHttp2Connection& connection, std::int32_t) { connection.is_silent_ = true; });
    }

   private:
    template <typename Fn>
    void post(Fn fn) const {
      connection_->post(
          [connection = connection_.get(), stream = stream_, fn = std::move(fn)] { fn(*connection, stream); });
    }

    std::shared_ptr<TestHttp2Connection> connection_;
    std::int32_t stream_;
  };

  // Who is told; all run on the connection's thread and must not block it, lest pings stay unanswered.
  struct Listeners {
    // The whole request is there.
    std::function<void(const Received&, const Exchange&)> on_request;
    // The client does not want the answer any more.
    std::function<void(const std::string& path, std::uint32_t code)> on_reset = {};
    std::function<void()> on_ping = {};
    // There is a connection, but TLS is not up yet. This one may take its time.
    std::function<void(std::size_t connection)> on_accepted = {};
    // The client, or the test, has ended the connection.
    std::function<void(std::size_t connection)> on_closed = {};
  };

  TestHttp2Connection(const Listeners& listeners, std::size_t number) : listeners_(listeners), number_(number) {}

  void run(int fd, SSL_CTX* context, std::uint32_t max_streams) {
    fd_ = fd;
    if (listeners_.on_accepted) listeners_.on_accepted(number_);
    tls_.reset(SSL_new(context));
    SSL_set_fd(tls_.get(), fd);
    if (SSL_accept(tls_.get()) == 1) {
      open_session(max_streams);
      while (write_all() && wait() && run_posted()) {
      }
    }
    if (listeners_.on_closed) listeners_.on_closed(number_);
  }

  void post(std::function<void()> fn) {
    {
      const std::scoped_lock lock(mutex_);
      posted_.push_back(std::move(fn));
    }
    wakeup_.signal();
  }

 private:
  struct FreeSession {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };
  struct Stream {
    Received request;
    std::string output;
    std::size_t output_sent = 0;
    bool is_ended = false;
    std::vector<Header> trailers;
  };

  // --- The thread's turns

  bool run_posted() {
    wakeup_.clear();
    std::vector<std::function<void()>> posted;
    {
      const std::scoped_lock lock(mutex_);
      posted.swap(posted_);
    }
    for (const auto& fn : posted) fn();
    if (is_cut_) ::shutdown(fd_, SHUT_RDWR);
    return !is_cut_;
  }

  // False when the connection has ended.
  bool wait() {
    std::array<pollfd, 2> files{pollfd{.fd = wakeup_.fd(), .events = POLLIN, .revents = 0},
                                pollfd{.fd = fd_, .events = static_cast<short>(is_silent_ ? 0 : POLLIN), .revents = 0}};
    if (SSL_pending(tls_.get()) == 0 || is_silent_) ::poll(files.data(), files.size(), -1);
    if (is_silent_) return (files[1].revents & POLLHUP) == 0;
    return (files[1].revents == 0 && SSL_pending(tls_.get()) == 0) || read();
  }

  bool read() {
    std::array<std::uint8_t, 16 * 1024> buffer;
    const int size = SSL_read(tls_.get(), buffer.data(), buffer.size());
    return size > 0 && nghttp2_session_mem_recv(session_.get(), buffer.data(), static_cast<std::size_t>(size)) == size;
  }

  // False when there is nothing left to say and to hear.
  bool write_all() {
    if (is_silent_) return true;
    const std::uint8_t* bytes = nullptr;
    ssize_t size = 0;
    while ((size = nghttp2_session_mem_send(session_.get(), &bytes)) > 0) {
      if (!write({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)})) return false;
    }
    return size == 0 && nghttp2_session_want_read(session_.get()) != 0;
  }

  bool write(std::string_view bytes) { return SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size())) > 0; }

  void open_session(std::uint32_t max_streams) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &on_bytes);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &on_stream_closed);
    nghttp2_session* session = nullptr;
    BERTH_CHECK(nghttp2_session_server_new(&session, callbacks, this) == 0, "nghttp2 has no memory");
    nghttp2_session_callbacks_del(callbacks);
    session_.reset(session);
    const nghttp2_settings_entry limit{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, max_streams};
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &limit, 1);
  }

  // --- Answers

  static std::vector<nghttp2_nv> pairs_of(const std::vector<Header>& headers) {
    const auto bytes = [](const std::string& text) {
      return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
    };
    std::vector<nghttp2_nv> pairs;
    for (const Header& header : headers) {
      pairs.push_back({.name = bytes(header.name),
                       .value = bytes(header.value),
                       .namelen = header.name.size(),
                       .valuelen = header.value.size(),
                       .flags = NGHTTP2_NV_FLAG_NONE});
    }
    return pairs;
  }

  void begin_answer(std::int32_t id, int status, std::vector<Header> headers) {
    headers.insert(headers.begin(), {":status", std::to_string(status)});
    const auto pairs = pairs_of(headers);
    const nghttp2_data_provider body{.source = {}, .read_callback = &next_bytes};
    nghttp2_submit_response(session_.get(), id, pairs.data(), pairs.size(), &body);
  }

  void inform(std::int32_t id, int status, std::vector<Header> headers) {
    headers.insert(headers.begin(), {":status", std::to_string(status)});
    const auto pairs = pairs_of(headers);
    nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, id, nullptr, pairs.data(), pairs.size(), nullptr);
  }

  void add_piece(std::int32_t id, const std::string& bytes) {
    const auto stream = streams_.find(id);
    if (stream == streams_.end()) return;
    stream->second.output += bytes;
    nghttp2_session_resume_data(session_.get(), id);
  }

  void end_answer(std::int32_t id, const std::vector<Header>& trailers) {
    const auto stream = streams_.find(id);
    if (stream == streams_.end()) return;
    stream->second.is_ended = true;
    stream->second.trailers = trailers;
    nghttp2_session_resume_data(session_.get(), id);
  }

  // --- What nghttp2 calls

  static TestHttp2Connection& self(void* connection) { return *static_cast<TestHttp2Connection*>(connection); }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                       const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* connection) {
    Received& request = self(connection).streams_[frame->hd.stream_id].request;
    const std::string key(reinterpret_cast<const char*>(name), name_size);
    const std::string text(reinterpret_cast<const char*>(value), value_size);
    if (key == ":method") {
      request.method = text;
    } else if (key == ":path") {
      request.path = text;
    } else if (key == ":authority") {
      request.authority = text;
    } else if (key == ":scheme") {
      request.scheme = text;
    } else {
      request.headers.push_back({key, text});
    }
    return 0;
  }

  static int on_bytes(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes, std::size_t size,
                      void* connection) {
    self(connection).streams_[id].request.body.append(reinterpret_cast<const char*>(bytes), size);
    return 0;
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* connection) {
    TestHttp2Connection& server = self(connection);
    const std::int32_t id = frame->hd.stream_id;
    const bool may_end = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (may_end && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      Received& request = server.streams_[id].request;
      request.connection = server.number_;
      request.client_name = client_name_of(server.tls_.get());
      server.listeners_.on_request(request, Exchange(server.shared_from_this(), id));
    } else if (frame->hd.type == NGHTTP2_RST_STREAM && server.listeners_.on_reset) {
      server.listeners_.on_reset(server.streams_[id].request.path, frame->rst_stream.error_code);
    } else if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0 &&
               server.listeners_.on_ping) {
      server.listeners_.on_ping();
    }
    return 0;
  }

  static int on_stream_closed(nghttp2_session*, std::int32_t id, std::uint32_t, void* connection) {
    self(connection).streams_.erase(id);
    return 0;
  }

  static ssize_t next_bytes(nghttp2_session* session, std::int32_t id, std::uint8_t* buffer, std::size_t size,
                            std::uint32_t* flags, nghttp2_data_source*, void* connection) {
    Stream& stream = self(connection).streams_[id];
    const std::size_t length = stream.output.copy(reinterpret_cast<char*>(buffer), size, stream.output_sent);
    stream.output_sent += length;
    const bool is_all = stream.output_sent == stream.output.size();
    if (is_all && stream.is_ended) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (!stream.trailers.empty()) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        const auto pairs = pairs_of(stream.trailers);
        nghttp2_submit_trailer(session, id, pairs.data(), pairs.size());
      }
    } else if (length == 0) {
      return NGHTTP2_ERR_DEFERRED;
    }
    return static_cast<ssize_t>(length);
  }

  const Listeners& listeners_;
  const std::size_t number_;
  int fd_ = -1;
  Owned<SSL> tls_;
  std::unique_ptr<nghttp2_session, FreeSession> session_;
  std::map<std::int32_t, Stream> streams_;
  bool is_cut_ = false;
  bool is_silent_ = false;

  WakeupFd wakeup_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // guarded by mutex_
};

}  // namespace berth::client
