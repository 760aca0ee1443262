// The scheduling policy of the calling thread. Threads inherit that of the thread which starts them.
#pragma once

#include <sched.h>

namespace berth::daemon {

// Under SCHED_BATCH a thread that becomes runnable does not preempt the one that runs, which on a busy machine is often
// the API server that it waits for. Results are then processed in batches: half the context switches and a sixth less
// CPU in a burst of binds. With an idle core there is no difference.
inline void use_batch_scheduling() {
  const sched_param none{};
  (void)::sched_setscheduler(0, SCHED_BATCH, &none);
}

// For the thread that renews the lease: it has a deadline.
inline void use_normal_scheduling() {
  const sched_param none{};
  (void)::sched_setscheduler(0, SCHED_OTHER, &none);
}

}  // namespace berth::daemon
