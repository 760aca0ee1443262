#include "berth/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace berth {

void check_failed(const char* condition, const char* file, int line, const std::string& state) {
  std::fprintf(stderr, "berth: check failed: %s at %s:%d%s%s\n", condition, file, line, state.empty() ? "" : ": ",
               state.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace berth
