// A bell for a thread that sleeps in poll(): anybody may ring it, the sleeper sees a readable file.
//
// Thread safe. Shared, so that somebody who rings late does not ring a bell that is gone.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "berth/base/check.h"

namespace berth::client {

class WakeUp {
 public:
  WakeUp() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) { BERTH_CHECK(fd_ >= 0, "no file is left for a bell"); }
  ~WakeUp() { ::close(fd_); }
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  void ring() {
    const std::uint64_t one = 1;
    (void)!::write(fd_, &one, sizeof(one));  // it fails only if it is ringing already
  }
  void silence() {
    std::uint64_t rings = 0;
    (void)!::read(fd_, &rings, sizeof(rings));
  }
  // Readable from ring() until silence().
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace berth::client
