#include "berth/text/escape.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "berth/base/rng.h"
#include "berth/text/unicode.h"

namespace berth::text {
namespace {

TEST(Escaped, ShowsWhatATerminalWouldObeyOrHide) {
  using namespace std::string_view_literals;
  struct Case {
    std::string_view text, shown;
  };
  const Case cases[] = {
      {"n1", "n1"},
      {"", ""},
      {"n1\x1b[31mRED\x1b[0m\x07", R"(n1\x1b[31mRED\x1b[0m\x07)"},
      {"two\nlines\r\n\tand a tab", R"(two\nlines\r\n\tand a tab)"},
      {"nul\0inside"sv, R"(nul\x00inside)"},
      {"\x7f", R"(\x7f)"},
      {"\xc2\x9b"
       "31m",
       R"(\u009b31m)"},  // C1: the one-character form of ESC [
      {"\u202eevil\u2066x\u2069", R"(\u202eevil\u2066x\u2069)"},
      {"a\u200bb\ufeff", R"(a\u200bb\ufeff)"},
      {"line\u2028separator", R"(line\u2028separator)"},
      {"tag\U000e0041", R"(tag\U000e0041)"},
      {"\xff\xc3", R"(\xff\xc3)"},
      {"\xed\xa0\x80", R"(\xed\xa0\x80)"},  // a surrogate
      {"\xc0\x9b", R"(\xc0\x9b)"},          // ESC in an overlong form
      {"Knoten-\u00fc \u6771\u4eac \U0001f600 e\u0301", "Knoten-\u00fc \u6771\u4eac \U0001f600 e\u0301"},
      {R"(C:\path\n)", R"(C:\path\n)"},
  };
  for (const auto& [text, shown] : cases) {
    EXPECT_EQ(escaped(text), shown);
    EXPECT_EQ(escaped(escaped(text)), shown) << "escaping twice is the same as once";
  }
}

TEST(Escaped, LetsNoUnseenCharacterThroughWhateverTheBytes) {
  Rng rng(7);
  for (int run = 0; run < 5000; ++run) {
    std::string text;
    for (std::uint64_t i = 0, size = rng.below(24); i < size; ++i) {
      // Bytes that begin or continue sequences come up often enough to form some.
      text += static_cast<char>(rng.below(4) == 0 ? rng.below(256) : "\x1b\xe2\x80\xae\xc2\x9b\n\xf0"[rng.below(8)]);
    }
    const std::string shown = escaped(text);
    for (std::size_t at = 0; at < shown.size();) {
      const Character character = character_at(shown, at);
      EXPECT_TRUE(character.is_valid && !is_unseen(character.code)) << shown;
      at += character.bytes;
    }
  }
}

TEST(Escaped, KeepsTheEndsOfOurOwnLines) {
  EXPECT_EQ(escaped_lines("one\ntwo\x1b\n"), "one\ntwo\\x1b\n");
}

TEST(Escaped, TakesTheMeaningFromPunctuationInMarkdown) {
  EXPECT_EQ(escaped_markdown("a|b *c* <d> [e](f) `g` \x1b"), R"(a\|b \*c\* \<d\> \[e\](f) \`g\` \\x1b)");
}

TEST(Columns, CountWideAndCombiningCharacters) {
  EXPECT_EQ(columns("abc"), 3u);
  EXPECT_EQ(columns("\u00fc"), 1u);
  EXPECT_EQ(columns("\u6771\u4eac"), 4u);
  EXPECT_EQ(columns("\U0001f600"), 2u);
  EXPECT_EQ(columns("e\u0301"), 1u);
  EXPECT_EQ(columns("\uff21"), 2u);
}

TEST(Columns, AreCutBetweenCharacters) {
  EXPECT_EQ(cut_to("abcdef", 4), "abcd");
  EXPECT_EQ(cut_to("abcd", 4), "abcd");
  EXPECT_EQ(cut_to("\u00e9\u00e9\u00e9", 2), "\u00e9\u00e9");
  EXPECT_EQ(cut_to("\u6771\u4eac", 3), "\u6771");
  EXPECT_EQ(cut_to("e\u0301x", 1), "e\u0301");
  EXPECT_EQ(cut_to("abc", 0), "");
}

}  // namespace
}  // namespace berth::text
