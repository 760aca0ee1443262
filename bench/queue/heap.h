// What the program has asked the heap for. heap.cc replaces operator new and delete to count calls, so nothing has to
// be declared where memory is used.
#pragma once

#include <cstddef>
#include <cstdint>

namespace berth::bench {

// Calls of operator new since the program started.
std::int64_t allocations();

// Bytes allocated and not freed, in arenas and in mappings of their own, with the allocator's overhead.
std::size_t heap_bytes();

}  // namespace berth::bench
