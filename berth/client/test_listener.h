// What servers of tests stand on: a listening socket on loopback, on a port that the kernel picks, a thread per
// connection, and TLS with certificates of the test's own.
//
// The destructor cuts all connections and waits for the threads.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "berth/base/check.h"
#include "berth/client/test_certificates.h"
#include "berth/client/tls_context.h"
#include "berth/client/transport.h"

namespace berth::client {

class TestListener {
 public:
  // Gets a connection and its number, the first is 1; it is closed when this returns.
  using Serve = std::function<void(int fd, std::size_t number)>;

  explicit TestListener(Serve serve, int family = AF_INET)
      : serve_(std::move(serve)), fd_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (family == AF_INET6) {
      sockaddr_in6 address{};
      address.sin6_family = AF_INET6;
      address.sin6_addr = in6addr_loopback;
      port_ = ntohs(listen_at(address).sin6_port);
    } else {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      port_ = ntohs(listen_at(address).sin_port);
    }
    acceptor_ = std::thread([this] { accept_connections(); });
  }
  ~TestListener() {
    stop_listening();
    {
      const std::scoped_lock lock(mutex_);
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
  }
  TestListener(const TestListener&) = delete;
  TestListener& operator=(const TestListener&) = delete;

  int port() const { return port_; }
  // How many connections were made so far.
  std::size_t connections() {
    const std::scoped_lock lock(mutex_);
    return threads_.size();
  }
  // Further connections are refused; those that are there stay.
  void stop_listening() {
    if (!acceptor_.joinable()) return;
    ::shutdown(fd_, SHUT_RDWR);
    acceptor_.join();
    ::close(fd_);
  }

 private:
  template <typename Address>
  Address listen_at(Address address) {
    socklen_t size = sizeof(address);
    BERTH_CHECK(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size) == 0, "no port");
    BERTH_CHECK(::listen(fd_, 64) == 0, "cannot listen");
    BERTH_CHECK(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0, "no port");
    return address;
  }

  void accept_connections() {
    while (true) {
      const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const int on = 1;  // no waiting for more to send
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      const std::scoped_lock lock(mutex_);
      open_.push_back(fd);
      threads_.emplace_back([this, fd, number = threads_.size() + 1] { run(fd, number); });
    }
  }

  void run(int fd, std::size_t number) {
    // OpenSSL writes to connections that the client has closed.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    serve_(fd, number);
    const std::scoped_lock lock(mutex_);
    std::erase(open_, fd);
    ::close(fd);
  }

  Serve serve_;
  int fd_;
  int port_ = 0;
  std::thread acceptor_;
  std::mutex mutex_;
  std::vector<int> open_;           // guarded by mutex_
  std::list<std::thread> threads_;  // guarded by mutex_ until the acceptor has ended
};

// A port that is taken, so that nobody else gets it, and where nobody listens.
class ClosedPort {
 public:
  ClosedPort() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    BERTH_CHECK(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size) == 0, "no port");
    BERTH_CHECK(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0, "no port");
    port_ = ntohs(address.sin_port);
  }
  ~ClosedPort() { ::close(fd_); }
  ClosedPort(const ClosedPort&) = delete;
  ClosedPort& operator=(const ClosedPort&) = delete;

  int port() const { return port_; }

 private:
  int fd_;
  int port_ = 0;
};

// A server's side of TLS. Clients may show a certificate of `client_ca`; `protocol` is what ALPN ends with if the
// client offers it: "h2" or "http/1.1", or nullptr for a server that has never heard of ALPN.
inline Owned<SSL_CTX> make_test_tls_context(const TestCertificate& certificate, const std::string& client_ca,
                                            const char* protocol) {
  Owned<SSL_CTX> context(SSL_CTX_new(TLS_server_method()));
  const auto bio = [](const std::string& text) {
    return std::unique_ptr<BIO, int (*)(BIO*)>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
  };
  X509* own = PEM_read_bio_X509(bio(certificate.certificate).get(), nullptr, nullptr, nullptr);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio(certificate.key).get(), nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context.get(), own);
  SSL_CTX_use_PrivateKey(context.get(), key);
  X509_free(own);
  EVP_PKEY_free(key);
  if (!client_ca.empty()) {
    X509* ca = PEM_read_bio_X509(bio(client_ca).get(), nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), ca);
    X509_free(ca);
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  }
  if (protocol == nullptr) return context;
  const auto choose = [](SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                         unsigned offered_size, void* wanted) {
    const std::string_view text = static_cast<const char*>(wanted);
    const std::string_view offer(reinterpret_cast<const char*>(offered), offered_size);
    const std::size_t at = offer.find(static_cast<char>(text.size()) + std::string(text));
    if (at == std::string_view::npos) return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = offered + at + 1;
    *size = static_cast<unsigned char>(text.size());
    return SSL_TLSEXT_ERR_OK;
  };
  SSL_CTX_set_alpn_select_cb(context.get(), choose, const_cast<char*>(protocol));
  return context;
}

// The value of the first header of that name, in any case; "" if there is none.
inline std::string header_of(const std::vector<Header>& headers, std::string_view name) {
  Response finder;
  finder.headers = headers;
  return std::string(finder.header(name));
}

// Of the client's certificate; "" if it has shown none.
inline std::string client_name_of(SSL* tls) {
  X509* certificate = tls == nullptr ? nullptr : SSL_get1_peer_certificate(tls);
  if (certificate == nullptr) return {};
  std::array<char, 128> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(), name.size());
  X509_free(certificate);
  return name.data();
}

}  // namespace berth::client
