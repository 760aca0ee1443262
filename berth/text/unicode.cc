#include "berth/text/unicode.h"

#include <algorithm>
#include <span>

#include "berth/base/utf8.h"
#include "berth/text/unicode_tables.h"

namespace berth::text {
namespace {

bool is_in(std::span<const CodeRange> ranges, char32_t code) {
  const auto after = std::ranges::upper_bound(ranges, code, {}, &CodeRange::first);
  return after != ranges.begin() && code <= std::prev(after)->last;
}

std::size_t length_by_first(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xF0) return 4;
  if (first >= 0xE0) return 3;
  return 2;
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = length_by_first(first);
  if (bytes == 1) return {first, 1, true};
  const std::string_view sequence = text.substr(at, bytes);
  // A sequence that is cut short is not valid either.
  if (!is_valid_utf8(sequence)) return {first, 1, false};
  char32_t code = first & (0xFFu >> (bytes + 1));
  for (const char c : sequence.substr(1)) code = (code << 6) | (static_cast<unsigned char>(c) & 0x3Fu);
  return {code, bytes, true};
}

bool is_unseen(char32_t code) {
  if (code >= 0x20 && code < 0x7F) return false;
  return code < 0xA0 || is_in(kUnseen, code);
}

std::size_t columns_of(char32_t code) {
  if (code < 0x300) return 1;
  if (is_in(kCombining, code)) return 0;
  return is_in(kWide, code) ? 2 : 1;
}

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    count += columns_of(character.code);
    at += character.bytes;
  }
  return count;
}

std::string_view cut_to(std::string_view text, std::size_t width) {
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    column += columns_of(character.code);
    if (column > width) return text.substr(0, at);
    at += character.bytes;
  }
  return text;
}

}  // namespace berth::text
