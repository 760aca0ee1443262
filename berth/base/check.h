// Assertions that stay on in release builds. A failed check is a bug in Berth: it prints the condition, the place and
// the state that broke it, and ends the process, because going on from a broken invariant places pods wrongly.
#pragma once

#include <fmt/format.h>

#include <string>

namespace berth {

[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& state);

}  // namespace berth

// BERTH_CHECK(a == b, "pod {} is in {} places", name, n)
#define BERTH_CHECK(condition, ...)                                                         \
  do {                                                                                      \
    if (!(condition)) [[unlikely]] {                                                        \
      ::berth::check_failed(#condition, __FILE__, __LINE__, ::fmt::format("" __VA_ARGS__)); \
    }                                                                                       \
  } while (false)
