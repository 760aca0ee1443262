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
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "berth/base/check.h"
#include "berth/client/test_certificates.h"
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

    std::string header(std::string_view name) const {
      Response finder;
      finder.headers = headers;
      return std::string(finder.header(name));
    }
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

  explicit TestServer(Handler handler) : TestServer(std::move(handler), std::nullopt, {}) {}
  // With TLS. Clients may show a certificate of `client_ca`.
  TestServer(Handler handler, const std::optional<TestCertificate>& certificate, const std::string& client_ca)
      : handler_(std::move(handler)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (certificate) context_ = make_context(*certificate, client_ca);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    BERTH_CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0, "no port");
    BERTH_CHECK(::listen(listener_, 64) == 0, "cannot listen");
    BERTH_CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0, "no port");
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_connections(); });
  }
  ~TestServer() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(listener_);
    {
      const std::scoped_lock lock(mutex_);
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    SSL_CTX_free(context_);
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  int port() const { return port_; }
  std::string url() const { return fmt::format("{}://127.0.0.1:{}", context_ == nullptr ? "http" : "https", port_); }
  // How many connections were made so far.
  std::size_t connections() {
    const std::scoped_lock lock(mutex_);
    return threads_.size();
  }

 private:
  static SSL_CTX* make_context(const TestCertificate& certificate, const std::string& client_ca) {
    SSL_CTX* context = SSL_CTX_new(TLS_server_method());
    const auto bio = [](const std::string& text) {
      return std::unique_ptr<BIO, int (*)(BIO*)>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
    };
    X509* own = PEM_read_bio_X509(bio(certificate.certificate).get(), nullptr, nullptr, nullptr);
    EVP_PKEY* key = PEM_read_bio_PrivateKey(bio(certificate.key).get(), nullptr, nullptr, nullptr);
    SSL_CTX_use_certificate(context, own);
    SSL_CTX_use_PrivateKey(context, key);
    X509_free(own);
    EVP_PKEY_free(key);
    if (!client_ca.empty()) {
      X509* ca = PEM_read_bio_X509(bio(client_ca).get(), nullptr, nullptr, nullptr);
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca);
      X509_free(ca);
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    }
    return context;
  }

  void accept_connections() {
    while (true) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const std::scoped_lock lock(mutex_);
      open_.push_back(fd);
      threads_.emplace_back([this, fd] { serve(fd); });
    }
  }

  void serve(int fd) {
    // OpenSSL writes to connections that the client has closed.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    SSL* tls = nullptr;
    bool is_up = true;
    if (context_ != nullptr) {
      tls = SSL_new(context_);
      SSL_set_fd(tls, fd);
      is_up = SSL_accept(tls) == 1;
    }
    std::string buffer;
    while (is_up && serve_one(fd, tls, buffer)) {
    }
    SSL_free(tls);
    const std::scoped_lock lock(mutex_);
    std::erase(open_, fd);
    ::close(fd);
  }

  static std::string client_name(SSL* tls) {
    X509* certificate = tls == nullptr ? nullptr : SSL_get1_peer_certificate(tls);
    if (certificate == nullptr) return {};
    std::array<char, 128> name{};
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(), name.size());
    X509_free(certificate);
    return name.data();
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
    request.client_name = client_name(tls);
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
  SSL_CTX* context_ = nullptr;
  int listener_;
  int port_ = 0;
  std::thread acceptor_;
  std::mutex mutex_;
  std::vector<int> open_;           // guarded by mutex_
  std::list<std::thread> threads_;  // guarded by mutex_ until the acceptor has ended
};

}  // namespace berth::client
