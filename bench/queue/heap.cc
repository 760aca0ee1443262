#include "bench/queue/heap.h"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace berth::bench {

namespace {
std::int64_t calls = 0;  // the benchmark has one thread
}  // namespace

std::int64_t allocations() {
  return calls;
}

std::size_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace berth::bench

void* operator new(std::size_t size) {
  berth::bench::calls += 1;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
