// Lets hash tables with std::string keys be asked with a std::string_view.
#pragma once

#include <cstddef>
#include <string_view>

#include "berth/base/hash.h"

namespace berth::sim {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return hash_bytes(text); }
};

}  // namespace berth::sim
