// Takes a text apart at a separator, one part at a time: for headers and lists that people and programs write.
#pragma once

#include <algorithm>
#include <string_view>

#include "berth/base/trimmed.h"

namespace berth {

// The part up to the separator, without blanks around it. It is taken off `rest`, and so is the separator.
inline std::string_view take_part(std::string_view& rest, char separator) {
  const std::string_view part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return trimmed(part, " \t");
}

}  // namespace berth
