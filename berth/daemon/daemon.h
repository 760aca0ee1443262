// The scheduler as a process: all parts, run until a signal asks to terminate.
//
//   thread       what runs there
//   main         waits for signals
//   reading      lists and watches, decoding
//   writing      bindings and other requests, events, the lease; not under SCHED_BATCH, as all others are, if there is
//                a lease to renew in time
//   engine       decisions
//   serving      one per open connection
//
// Exit codes: 0 after SIGTERM or SIGINT, 1 when the lease is lost, when something that is needed cannot be had at
// start, or at the second signal.
#pragma once

#include <string>

#include "berth/daemon/log.h"
#include "berth/daemon/settings.h"

namespace berth::daemon {

struct BuildInfo {
  std::string version;     // of Berth: "0.1.0"
  std::string user_agent;  // what API servers log
};

// Runs until a signal, and returns the exit code. It blocks the signals that it waits for in the calling thread, which
// should be the process' only one, and may exit the process itself.
int run(const Settings& settings, const BuildInfo& build, Log& log);

}  // namespace berth::daemon
