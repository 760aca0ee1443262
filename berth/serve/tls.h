// TLS on one socket, with deadlines. Internal to this folder.
//
// The socket does not block; waiting is done here, up to the deadline of the step. Another thread ends a wait by
// shutting the socket down. A write to a client that is gone must not raise a signal: whoever calls blocks SIGPIPE.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include "berth/base/error.h"
#include "berth/serve/certificate.h"
#include "berth/serve/certificate_choice.h"
#include "berth/serve/openssl.h"
#include "berth/serve/server.h"

namespace berth::serve {

using Deadline = std::chrono::steady_clock::time_point;

// `certificates` outlive it. Client certificates are asked for and taken as they come.
Result<SslContextPtr> make_tls_context(const TlsOptions& options, const CertificateChoice& certificates);

class TlsStream {
 public:
  // `fd` stays the caller's.
  TlsStream(SSL_CTX& context, int fd);

  bool handshake(Deadline deadline);
  // 0: the end, a failure, or the deadline.
  std::size_t read(char* into, std::size_t size, Deadline deadline);
  bool write(std::string_view bytes, Deadline deadline);
  // Says good-bye; does not wait for an answer.
  void close();
  // What the client showed; null if nothing.
  std::shared_ptr<const ClientCertificate> peer_certificate() const;

 private:
  // Whether to try again after this result; waits for the socket.
  bool wait_after(int result, Deadline deadline);

  SslPtr ssl_;
  int fd_;
  bool is_broken_ = false;
};

}  // namespace berth::serve
