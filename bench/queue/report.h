// The result lines of the benchmark: JSON, one a line, with the names that tests/oracle/queuebench uses too.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace berth::bench {

// `calls` calls of the queue took `nanoseconds` in the best of several runs. `order` sums up the order of the pods
// popped.
inline void report_speed(std::string_view item, std::size_t pods, std::size_t calls, double nanoseconds,
                         std::uint64_t order) {
  fmt::print("{{\"item\":\"{}\",\"pods\":{},\"calls\":{},\"ns\":{:.0f},\"order\":\"{:016x}\"}}\n", item, pods, calls,
             nanoseconds, order);
}

inline void report_value(std::string_view item, std::size_t pods, double value) {
  fmt::print("{{\"item\":\"{}\",\"pods\":{},\"value\":{:.3f}}}\n", item, pods, value);
}

}  // namespace berth::bench
