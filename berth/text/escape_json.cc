#include "berth/text/escape_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "berth/text/unicode.h"

namespace berth::text {

std::string escaped_json(std::string_view json) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x7F; };
  if (std::ranges::all_of(json, is_ascii)) return std::string(json);
  std::string result;
  result.reserve(json.size() + 16);
  for (std::size_t at = 0; at < json.size();) {
    const Character character = character_at(json, at);
    const auto code = static_cast<std::uint32_t>(character.code);
    if (code < 0x7F || (character.is_valid && !is_unseen(character.code))) {
      result += json.substr(at, character.bytes);
    } else if (!character.is_valid) {
      result += "\\ufffd";
    } else if (code <= 0xFFFF) {
      fmt::format_to(std::back_inserter(result), "\\u{:04x}", code);
    } else {
      const std::uint32_t rest = code - 0x10000;
      fmt::format_to(std::back_inserter(result), "\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10U),
                     0xDC00 + (rest & 0x3FFU));
    }
    at += character.bytes;
  }
  return result;
}

}  // namespace berth::text
