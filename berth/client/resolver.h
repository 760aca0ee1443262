// The addresses behind a host's name. Asking may take many seconds when a name server is down, and there is no asking
// without waiting, so a thread of its own waits.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/error.h"
#include "berth/client/wakeup_fd.h"

namespace berth::client {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  int family() const { return storage.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};
using SocketAddresses = std::vector<SocketAddress>;

// Not thread safe.
class Resolver {
 public:
  // `host` without brackets.
  Resolver(std::string host, std::string port, std::shared_ptr<WakeupFd> wakeup);

  // Starts a new lookup. Its result signals the wakeup.
  void ask();
  bool is_asking() const { return question_ != nullptr; }
  // The answer to the last question, once.
  std::optional<Result<SocketAddresses>> take_answer();

 private:
  // Shared with the thread that waits, which may outlive us.
  struct Question;

  const std::string host_;
  const std::string port_;
  const std::shared_ptr<WakeupFd> wakeup_;
  std::shared_ptr<Question> question_;
};

}  // namespace berth::client
