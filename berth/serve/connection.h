// One client from the handshake to the end: reads requests, one after the other, and answers them. Internal to this
// folder. Runs on one thread; see server.h for how it is interrupted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "berth/base/time.h"
#include "berth/serve/call.h"
#include "berth/serve/http_head.h"
#include "berth/serve/server.h"
#include "berth/serve/tls.h"

namespace berth::serve {

// What a connection is doing, for those who choose which one to end.
enum class Phase : std::uint8_t {
  kHandshake,
  kIdle,  // between two requests
  kReading,
  kHandling,  // the one that does not wait for the client
  kWriting,
};

struct ConnectionOptions {
  ServerLimits limits;
  std::function<Instant()> now;  // of the wall clock, for Date; may be unset
};

class Connection {
 public:
  // Says that a phase begins; false: the connection has to end instead.
  using Enter = std::function<bool(Phase)>;

  // `options` and `handler` outlive this.
  Connection(SSL_CTX& context, int fd, std::string remote_address, const ConnectionOptions& options,
             const Handler& handler, Enter enter);

  void serve();

 private:
  // Whether another request may follow.
  bool serve_one();
  // The bytes of the head, or nothing if the client went away, was too slow, or was told what is wrong.
  bool read_head(std::string& head);
  bool read_body(const RequestHead& head, std::string& body);
  bool read_more(Deadline deadline);
  Reply call(const Call& call) const;
  bool send(const Reply& reply, bool is_head_request, bool keeps_alive);
  // Says what is wrong and lets it arrive: closing while the client still sends would tear the answer away.
  void refuse(const HeadProblem& problem);

  TlsStream stream_;
  const int fd_;
  const std::string remote_address_;
  const ServerLimits& limits_;
  const std::function<Instant()>& now_;
  const Handler& handler_;
  const Enter enter_;
  std::shared_ptr<const ClientCertificate> certificate_;
  std::string received_;  // and not yet used
};

}  // namespace berth::serve
