// Texts without the blanks around them; what is a blank differs from format to format.
#pragma once

#include <cstddef>
#include <string_view>

namespace berth {

constexpr std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace berth
