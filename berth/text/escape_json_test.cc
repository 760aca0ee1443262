#include "berth/text/escape_json.h"

#include <gtest/gtest.h>

namespace berth::text {
namespace {

TEST(EscapedJson, KeepsWhatAReaderSees) {
  EXPECT_EQ(escaped_json("{\n  \"a\": \"\\u001b \xC3\xA4\"\n}"), "{\n  \"a\": \"\\u001b \xC3\xA4\"\n}");
}

TEST(EscapedJson, EscapesWhatMovesTheCursorOrTheDirection) {
  EXPECT_EQ(escaped_json("\"\xC2\x9B"
                         "2J\""),
            "\"\\u009b2J\"");
  EXPECT_EQ(escaped_json("\"\xE2\x80\xAE\""), "\"\\u202e\"");
  EXPECT_EQ(escaped_json("\"\x7F\""), "\"\\u007f\"");
  EXPECT_EQ(escaped_json("\"\xF3\xA0\x80\x81\""), "\"\\udb40\\udc01\"") << "a tag character, of two units";
}

}  // namespace
}  // namespace berth::text
