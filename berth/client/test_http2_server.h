// A small HTTP/2 server over TLS for tests, that does exactly what a test tells it to: answer, answer in pieces, refuse
// a stream, go away, cut the connection, or say nothing at all; at once or when the test says so.
//
//   TestHttp2Server server(certificate, {.on_request = [](const Received& request, const Exchange& exchange) {
//     exchange.answer(200, "hello " + request.path);
//   }});
//
// The listeners run on a thread per connection. The destructor cuts all connections and waits for the threads.
#pragma once

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "berth/client/test_certificates.h"
#include "berth/client/test_http2_connection.h"
#include "berth/client/test_listener.h"
#include "berth/client/tls_context.h"

namespace berth::client {

class TestHttp2Server {
 public:
  using Received = TestHttp2Connection::Received;
  using Exchange = TestHttp2Connection::Exchange;
  using Listeners = TestHttp2Connection::Listeners;
  struct Options {
    std::uint32_t max_streams = 250;
    std::string client_ca = {};  // clients may show a certificate of this one
    bool needs_client_certificate = false;
    bool is_ipv6 = false;
  };

  TestHttp2Server(const TestCertificate& certificate, Listeners listeners)
      : TestHttp2Server(certificate, std::move(listeners), {}) {}
  TestHttp2Server(const TestCertificate& certificate, Listeners listeners, const Options& options)
      : listeners_(std::move(listeners)),
        options_(options),
        context_(make_context(certificate, options)),
        listener_([this](int fd, std::size_t number) { serve(fd, number); }, options.is_ipv6 ? AF_INET6 : AF_INET) {}

  int port() const { return listener_.port(); }
  std::string authority() const { return fmt::format("{}:{}", options_.is_ipv6 ? "[::1]" : "127.0.0.1", port()); }
  std::string url() const { return "https://" + authority(); }
  // How many connections were made so far.
  std::size_t connections() { return listener_.connections(); }
  // Further connections are refused; those that are there stay.
  void stop_listening() { listener_.stop_listening(); }

 private:
  static Owned<SSL_CTX> make_context(const TestCertificate& certificate, const Options& options) {
    Owned<SSL_CTX> context = make_test_tls_context(certificate, options.client_ca, "h2");
    if (options.needs_client_certificate) {
      SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    return context;
  }

  void serve(int fd, std::size_t number) {
    std::make_shared<TestHttp2Connection>(listeners_, number)->run(fd, context_.get(), options_.max_streams);
  }

  const Listeners listeners_;
  const Options options_;
  const Owned<SSL_CTX> context_;
  TestListener listener_;
};

}  // namespace berth::client
