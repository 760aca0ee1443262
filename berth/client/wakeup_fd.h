// Wakes a thread that blocks in poll(): signal() makes an eventfd readable.
//
// Thread safe. Held by shared_ptr, so that a late signal() does not write to a closed file descriptor.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "berth/base/check.h"

namespace berth::client {

class WakeupFd {
 public:
  WakeupFd() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) { BERTH_CHECK(fd_ >= 0, "cannot create an eventfd"); }
  ~WakeupFd() { ::close(fd_); }
  WakeupFd(const WakeupFd&) = delete;
  WakeupFd& operator=(const WakeupFd&) = delete;

  void signal() {
    const std::uint64_t one = 1;
    (void)!::write(fd_, &one, sizeof(one));  // fails only if the counter is full: the file is readable then
  }
  void clear() {
    std::uint64_t count = 0;
    (void)!::read(fd_, &count, sizeof(count));
  }
  // Readable from signal() until clear().
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace berth::client
