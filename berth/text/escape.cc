#include "berth/text/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "berth/text/unicode.h"

namespace berth::text {
namespace {

void append_visible(const Character& character, std::string& to) {
  const auto code = static_cast<std::uint32_t>(character.code);
  if (!character.is_valid || code < 0x80) {
    switch (code) {
      case '\n': to += "\\n"; break;
      case '\r': to += "\\r"; break;
      case '\t': to += "\\t"; break;
      default: fmt::format_to(std::back_inserter(to), "\\x{:02x}", code); break;
    }
  } else if (code <= 0xFFFF) {
    fmt::format_to(std::back_inserter(to), "\\u{:04x}", code);
  } else {
    fmt::format_to(std::back_inserter(to), "\\U{:08x}", code);
  }
}

bool is_plain_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace

std::string escaped(std::string_view text) {
  if (is_plain_ascii(text)) return std::string(text);
  std::string result;
  result.reserve(text.size() + 16);
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (!character.is_valid || is_unseen(character.code)) {
      append_visible(character, result);
    } else {
      result += text.substr(at, character.bytes);
    }
    at += character.bytes;
  }
  return result;
}

std::string escaped_lines(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += escaped(text.substr(begin, end - begin));
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

std::string escaped_markdown(std::string_view text) {
  constexpr std::string_view kPunctuation = "\\`*_[]<>|~";
  std::string result;
  for (const char c : escaped(text)) {
    if (kPunctuation.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

}  // namespace berth::text
