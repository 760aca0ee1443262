#include "berth/base/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace berth {
namespace {

struct Case {
  std::string text;
  std::optional<std::size_t> first_invalid;
};

TEST(Utf8, FindsTheFirstSequenceThatIsNotValid) {
  const Case cases[] = {
      {"", std::nullopt},
      {"plain ascii that is longer than a word", std::nullopt},
      {"gr\u00fc\u00df dich, \u4e16\u754c \U0001F6A2", std::nullopt},
      {std::string("zero \0 byte", 11), std::nullopt},
      {"\uFFFD", std::nullopt},
      {"\xEF\xBF\xBF", std::nullopt},      // U+FFFF, a noncharacter, is valid UTF-8.
      {"\xF4\x8F\xBF\xBF", std::nullopt},  // U+10FFFF, the last one.
      {"\xF4\x90\x80\x80", 0},             // One above.
      {"\xF5\x80\x80\x80", 0},
      {"ab\xff", 2},
      {"abcdefgh\x80", 8},   // A continuation without a start.
      {"abcdefghi\xC3", 9},  // A start without its continuation.
      {"abc\xE4\xB8", 3},    // Cut off in the middle.
      {"abc\xE4\xB8z", 3},
      {"\xC0\x80", 0},  // Overlong zero.
      {"\xC1\xBF", 0},
      {"\xE0\x9F\xBF", 0},      // Overlong U+07FF.
      {"\xF0\x8F\xBF\xBF", 0},  // Overlong U+FFFF.
      {"\xED\x9F\xBF", std::nullopt},
      {"\xED\xA0\x80", 0},  // The first surrogate.
      {"\xED\xBF\xBF", 0},  // The last surrogate.
      {"\xEE\x80\x80", std::nullopt},
      {"ok \u00fc then \xfe", 11},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(first_invalid_utf8(c.text), c.first_invalid) << testing::PrintToString(c.text);
    EXPECT_EQ(is_valid_utf8(c.text), !c.first_invalid.has_value());
  }
}

std::string encode(std::uint32_t point) {
  const auto byte = [](std::uint32_t bits) { return std::string(1, static_cast<char>(bits)); };
  const auto tail = [&](int shift) { return byte(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) return byte(0xC0 | point >> 6) + tail(0);
  if (point < 0x10000) return byte(0xE0 | point >> 12) + tail(6) + tail(0);
  return byte(0xF0 | point >> 18) + tail(12) + tail(6) + tail(0);
}

TEST(Utf8, AcceptsEveryCodePointButSurrogates) {
  for (std::uint32_t point = 0; point < 0x110400; ++point) {
    const bool valid = point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
    ASSERT_EQ(is_valid_utf8(encode(point)), valid) << point;
  }
}

}  // namespace
}  // namespace berth
