// Starts threads with all signals blocked: signals are for the main thread, and a SIGPIPE of a write to a closed
// connection must not terminate the process.
#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace berth::client {

template <typename Fn>
std::thread start_signal_free_thread(Fn fn) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // which the thread inherits
  std::thread thread(std::move(fn));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace berth::client
