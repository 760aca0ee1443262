#include "berth/config/base64.h"

namespace berth::config {

namespace {

bool is_line_break(char c) {
  return c == '\n' || c == '\r';
}

bool is_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
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

std::string decode_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (!is_digit(c)) continue;
    bits = bits << 6 | static_cast<unsigned>(kDigits.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xFF);
    }
  }
  return bytes;
}

}  // namespace berth::config
