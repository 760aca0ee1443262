// A small HTTP/1.1 server for tests, plain or with TLS, that does exactly what a test tells it to: answer, answer in
// pieces, cut the connection in the middle, or say nothing at all. Loopback only, on a port that the kernel picks.
//
//   TestServer server([](const TestServer::Received& request, TestServer::Exchange& exchange) {
//     exchange.answer(200, "hello " + request.path);
//   });
//
// The handler runs on a thread per connection. The destructor cuts all connections and waits for the threads.
#pragma once

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/client/test_certificates.h"
#include "berth/client/test_listener.h"
#include "berth/client/tls_context.h"
#include "berth/client/transport.h"

namespace berth::client {

class TestServer {
 public:
  struct Received {
    std::string method;
    std::string path;
    std::string body;
    std::vector<Header> headers;
    std::string client_name;  // of its certificate; "" if there is none

    std::string header(std::string_view name) const { return header_of(headers, name); }
  };

  class Exchange {
   public:
    Exchange(int fd, SSL* tls) : fd_(fd), tls_(tls) {}

    void send(std::string_view bytes) {
      while (!bytes.empty()) {
        const auto sent = tls_ != nullptr ? static_cast<ssize_t>(SSL_write(tls_, bytes.data(), size_of(bytes)))
                                          : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      }
    }
    void answer(int status, std::string_view body = {}, const std::vector<Header>& headers = {}) {
      std::string head = fmt::format("HTTP/1.1 {} Whatever\r\nContent-Length: {}\r\n", status, body.size());
      for (const Header& header : headers) head += header.name + ": " + header.value + "\r\n";
      send(head + "\r\n" + std::string(body));
    }
    // An answer in pieces: begin, any number of pieces, end.
    void begin(int status = 200) { send(fmt::format("HTTP/1.1 {} Ok\r\nTransfer-Encoding: chunked\r\n\r\n", status)); }
    void piece(std::string_view bytes) { send(fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes)); }
    void end() { send("0\r\n\r\n"); }
    // Ends the connection when the handler returns.
    void cut() { is_cut_ = true; }
    // Until the client (or the server's destructor) has closed the connection.
    void wait_until_closed() {
      std::array<char, 256> buffer{};
      while (receive(buffer.data(), buffer.size()) > 0) {
      }
      is_cut_ = true;
    }

    bool is_cut() const { return is_cut_; }
    ssize_t receive(char* buffer, std::size_t size) {
      return tls_ != nullptr ? SSL_read(tls_, buffer, static_cast<int>(size)) : ::recv(fd_, buffer, size, 0);
    }

   private:
    static int size_of(std::string_view bytes) { return static_cast<int>(bytes.size()); }

    int fd_;
    SSL* tls_;
    bool is_cut_ = false;
  };

  using Handler = std::function<void(const Received&, Exchange&)>;

  explicit TestServer(Handler handler) : handler_(std::move(handler)) {}
  // With TLS: see make_test_tls_context().
  TestServer(Handler handler, const TestCertificate& certificate, const std::string& client_ca,
             const char* protocol = nullptr)
      : handler_(std::move(handler)), context_(make_test_tls_context(certificate, client_ca, protocol)) {}

  int port() const { return listener_.port(); }
  std::string url() const { return fmt::format("{}://127.0.0.1:{}", context_ ? "https" : "http", port()); }
  // How many connections were made so far.
  std::size_t connections() { return listener_.connections(); }

 private:
  void serve(int fd) {
    Owned<SSL> tls;
    if (context_) {
      tls.reset(SSL_new(context_.get()));
      SSL_set_fd(tls.get(), fd);
      if (SSL_accept(tls.get()) != 1) return;
    }
    std::string buffer;
    while (serve_one(fd, tls.get(), buffer)) {
    }
  }

  // Reads a request and lets the handler answer. False when the connection has ended.
  bool serve_one(int fd, SSL* tls, std::string& buffer) {
    Exchange exchange(fd, tls);
    std::array<char, 4096> more{};
    const auto read_until = [&](auto&& is_enough) {
      while (!is_enough()) {
        const ssize_t count = exchange.receive(more.data(), more.size());
        if (count <= 0) return false;
        buffer.append(more.data(), static_cast<std::size_t>(count));
      }
      return true;
    };
    if (!read_until([&] { return buffer.find("\r\n\r\n") != std::string::npos; })) return false;
    Received request = parse_head(buffer.substr(0, buffer.find("\r\n\r\n")));
    buffer.erase(0, buffer.find("\r\n\r\n") + 4);
    const std::string length = request.header("Content-Length");
    const std::size_t body_size = length.empty() ? 0 : std::stoul(length);
    if (!read_until([&] { return buffer.size() >= body_size; })) return false;
    request.body = buffer.substr(0, body_size);
    buffer.erase(0, body_size);
    request.client_name = client_name_of(tls);
    handler_(request, exchange);
    return !exchange.is_cut();
  }

  static Received parse_head(const std::string& head) {
    Received request;
    std::size_t at = 0;
    while (at < head.size()) {
      const std::size_t end = std::min(head.find("\r\n", at), head.size());
      const std::string line = head.substr(at, end - at);
      at = end + 2;
      if (request.method.empty()) {
        const std::size_t blank = line.find(' ');
        request.method = line.substr(0, blank);
        request.path = line.substr(blank + 1, line.rfind(' ') - blank - 1);
      } else if (const std::size_t colon = line.find(": "); colon != std::string::npos) {
        request.headers.push_back({line.substr(0, colon), line.substr(colon + 2)});
      }
    }
    return request;
  }

  Handler handler_;
  Owned<SSL_CTX> context_;  // null: plain
  TestListener listener_{[this](int fd, std::size_t) { serve(fd); }};
};

}  // namespace berth::client
