// Time and turn-taking for everything that talks over a network: reflectors, leader election, the dispatcher of
// commands. Such code is a state machine on one loop: it starts requests and timers, and gets called back, always on
// the loop's own thread and never from within the call that started something. So it needs no locks, and a test drives
// it with a loop of virtual time (testing.h).
//
// The real loop is HttpLoop (http_loop.h).
#pragma once

#include <cstdint>
#include <functional>

#include "berth/base/time.h"

namespace berth::client {

// Unique in the life of a loop; 0 is none.
using TimerId = std::uint64_t;

class Loop {
 public:
  virtual ~Loop() = default;

  // Never goes back; says nothing about the time of day.
  virtual Instant now() const = 0;
  // What a clock on the wall shows; may jump.
  virtual Instant wall_now() const = 0;

  // Only on the loop's thread. A duration of zero or less means: soon, after what is running now.
  virtual TimerId after(Duration delay, std::function<void()> fn) = 0;
  // Nothing happens if it has run already.
  virtual void cancel_timer(TimerId timer) = 0;

  // From any thread: run this on the loop's thread, in the order of the calls.
  virtual void post(std::function<void()> fn) = 0;
};

}  // namespace berth::client
