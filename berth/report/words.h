// How reports put times and counts: as all of Berth does (berth/text/words.h), under the names that reports use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/text/unicode.h"
#include "berth/text/words.h"

namespace berth::report {

using text::columns;
using text::cut_to;
using text::grouped;
using text::percent;
using text::short_time;

// "1 pod", "1,234 pods"
inline std::string count_of(std::int64_t number, std::string_view thing) {
  return text::counted(number, thing);
}

}  // namespace berth::report
