// A hash map by text that is looked into without making a string first.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <string>

#include "berth/base/hash.h"

namespace berth::engine {

template <typename Value>
using TextMap = absl::flat_hash_map<std::string, Value, TextHash, std::equal_to<>>;

}  // namespace berth::engine
