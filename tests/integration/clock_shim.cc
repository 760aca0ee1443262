// Preloaded into a scheduler under test (LD_PRELOAD), this moves its clock on the wall, and no other: by as many
// seconds as the first eight bytes of the file BERTH_TEST_CLOCK say, a signed number that the test may change any time.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

using Offset = std::atomic<std::int64_t>;

const Offset* map_offset() {
  static const Offset none = 0;
  const char* path = std::getenv("BERTH_TEST_CLOCK");
  const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return &none;
  void* mapped = mmap(nullptr, sizeof(Offset), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return mapped == MAP_FAILED ? &none : static_cast<const Offset*>(mapped);
}

std::int64_t offset_seconds() {
  static const Offset* const offset = map_offset();
  return offset->load();
}

using ClockGettime = int (*)(clockid_t, timespec*);

int real_clock_gettime(clockid_t clock, timespec* into) {
  static const auto real = reinterpret_cast<ClockGettime>(dlsym(RTLD_NEXT, "clock_gettime"));
  return real(clock, into);
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* into) noexcept {
  const int done = real_clock_gettime(clock, into);
  if (done == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) into->tv_sec += offset_seconds();
  return done;
}

int gettimeofday(timeval* into, void*) noexcept {
  timespec now;
  const int done = clock_gettime(CLOCK_REALTIME, &now);
  if (done == 0) *into = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return done;
}

time_t time(time_t* into) noexcept {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
