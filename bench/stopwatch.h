// What the benchmarks time with.
#pragma once

#include <time.h>

namespace berth::bench {

// Counts the processor time of this thread, so that what else the machine does disturbs little.
class Stopwatch {
 public:
  double nanoseconds() const { return now() - start_; }

 private:
  static double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  }
  double start_ = now();
};

}  // namespace berth::bench
