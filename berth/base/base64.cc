#include "berth/base/base64.h"

#include <cstdint>

namespace berth {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_line_break(char c) {
  return c == '\n' || c == '\r';
}

bool is_digit(char c) {
  return kDigits.find(c) != std::string_view::npos;
}

}  // namespace

std::optional<std::size_t> first_invalid_base64(std::string_view text) {
  std::size_t at = 0;
  const auto skip_line_breaks = [&] {
    while (at < text.size() && is_line_break(text[at])) ++at;
  };
  while (true) {
    // One group of four digits.
    for (std::size_t digits = 0; digits < 4; ++digits) {
      skip_line_breaks();
      if (at == text.size()) return digits == 0 ? std::nullopt : std::optional(at - digits);
      const char c = text[at++];
      if (is_digit(c)) continue;
      // Padding ends the text: one character after three digits, two after two.
      if (c != '=' || digits < 2) return at - 1;
      if (digits == 2) {
        skip_line_breaks();
        if (at == text.size()) return at;
        if (text[at] != '=') return at;
        ++at;
      }
      skip_line_breaks();
      return at == text.size() ? std::nullopt : std::optional(at);
    }
  }
}

std::optional<std::string> from_base64(std::string_view text) {
  if (first_invalid_base64(text)) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) continue;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>(bits >> count & 0xFF));
    }
  }
  return bytes;
}

std::string base64_of(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<std::uint8_t>(c);
    count += 8;
    while (count >= 6) {
      count -= 6;
      text.push_back(kDigits[bits >> count & 63]);
    }
  }
  if (count > 0) text.push_back(kDigits[bits << (6 - count) & 63]);
  while (text.size() % 4 != 0) text.push_back('=');
  return text;
}

}  // namespace berth
