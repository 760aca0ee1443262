// An HTTPS server for few clients: probes, Prometheus, people with kubectl and curl. HTTP/1.1, one thread per
// open connection, both bounded.
//
// A client that is slow, silent or hostile costs others nothing: each step (handshake, head, body, answer) has a
// deadline that further bytes do not extend, and if all connections are taken, the one that has kept the server waiting
// longest is closed in favour of the new one. So a probe is answered even while a client holds every connection open.
//
// Client certificates are asked for and may be missing; whether one counts is the handler's affair, since that depends
// on what for. The handler decides about everything: see guard.h for who may read what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/base/error.h"
#include "berth/base/time.h"
#include "berth/serve/call.h"
#include "berth/serve/certificate.h"
#include "berth/serve/certificate_choice.h"

namespace berth::serve {

struct TlsOptions {
  std::string min_version = "VersionTLS12";  // Go's names: VersionTLS10 to VersionTLS13
  // Go's names ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"); empty: those with forward secrecy and authenticated
  // encryption. As in Go, TLS 1.3 has its own, which cannot be chosen.
  std::vector<std::string> cipher_suites;
};

struct ServerLimits {
  std::size_t connections = 64;
  // Accepted but not yet served, while all connections are at work.
  std::size_t waiting_connections = 64;
  std::size_t head_bytes = 64 * 1024;
  std::size_t body_bytes = 64 * 1024;
  Duration handshake = Duration::seconds(10);
  Duration head = Duration::seconds(10);
  Duration body = Duration::seconds(10);
  Duration write = Duration::seconds(30);
  // Between two requests of one connection.
  Duration idle = Duration::seconds(90);
};

struct ServerOptions {
  std::string bind_address = "0.0.0.0";  // an address, not a name; "::" for both families
  // 0: the kernel chooses. (--secure-port=0 means no server at all, which is for the caller to see.)
  std::uint16_t port = 10259;
  bool share_port = false;  // --permit-port-sharing: SO_REUSEPORT
  TlsOptions tls;
  std::vector<NamedCertificate> named_certificates;
  ServerLimits limits;
  std::function<Instant()> now;  // of the wall clock, for the header Date; unset: there is none
};

// Whether these can be used: an unknown name is an error in kube-scheduler's words.
Result<void> check_tls_options(const TlsOptions& options);

class HttpsServer {
 public:
  // Listens when it returns. The errors: an address that cannot be bound, TLS options that mean nothing.
  static Result<std::unique_ptr<HttpsServer>> start(const ServerOptions& options,
                                                    std::shared_ptr<CertificateSource> certificate, Handler handler);
  // As stop() without grace.
  ~HttpsServer();
  HttpsServer(const HttpsServer&) = delete;
  HttpsServer& operator=(const HttpsServer&) = delete;

  std::uint16_t port() const;

  // Accepts nothing more, ends connections that wait for a client, and gives calls under way so much time. No handler
  // runs when it returns.
  void stop(Duration grace);

 private:
  class Machine;
  explicit HttpsServer(std::unique_ptr<Machine> machine);
  std::unique_ptr<Machine> machine_;
};

}  // namespace berth::serve
