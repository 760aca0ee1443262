// Letters as protocols mean them, whatever the locale.
#pragma once

#include <algorithm>
#include <string_view>

namespace berth {

constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, ascii_lower, ascii_lower);
}

}  // namespace berth
