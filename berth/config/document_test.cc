#include "berth/config/document.h"

#include <gtest/gtest.h>

#include <string>

#include "berth/config/suggest.h"

namespace berth::config {
namespace {

TEST(Document, KnowsTheLineOfEveryYamlValue) {
  const auto document = parse_document("a: 1\nb:\n- c: x\n- c: y\n");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->line_of("a"), 1u);
  EXPECT_EQ(document->line_of("b[1].c"), 4u);
  EXPECT_EQ(document->line_of("b[1].missing.more"), 4u);  // the nearest around it
  EXPECT_EQ(document->at("b[0].c")->text, "x");
  EXPECT_EQ(document->at("b[2].c"), nullptr);
}

TEST(Document, SortsYamlAndKeepsTheOrderOfJson) {
  EXPECT_EQ(to_json(parse_document("b: 1.0\na: [yes, ~, 'x']\n")->root), R"({"a":[true,null,"x"],"b":1})");
  EXPECT_EQ(to_json(parse_document(R"({"b": 1.0, "a": 1, "b": "<"})")->root), R"({"b":1.0,"a":1,"b":"\u003c"})");
}

TEST(Document, NotesKeysThatYamlGivesTwice) {
  const auto document = parse_document("a: 1\nb: 2\na: 3\n");
  ASSERT_TRUE(document.has_value());
  ASSERT_EQ(document->duplicates.size(), 1u);
  EXPECT_EQ(document->duplicates[0].error.what(), "key \"a\" already set in map");
  EXPECT_EQ(document->duplicates[0].line, 3u);
  EXPECT_EQ(document->root.find("a")->text, "3");
}

TEST(Document, RefusesWhatIsNotJsonInGosWords) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"{", "unexpected end of JSON input"},
      {"{\"a\":1,}", "invalid character '}' looking for beginning of object key string"},
      {"{\"a\" 1}", "invalid character '1' after object key"},
      {"{\"a\":1 \"b\":2}", "invalid character '\"' after object key:value pair"},
      {"{\"a\":[1 2]}", "invalid character '2' after array element"},
      {"{\"a\":'x'}", "invalid character '\\'' looking for beginning of value"},
      {"{\"a\":trux}", "invalid character 'x' in literal true (expecting 'e')"},
      {"{\"a\":1.}", "invalid character '}' after decimal point in numeric literal"},
      {"{\"a\":-}", "invalid character '}' in numeric literal"},
      {"{\"a\":1e}", "invalid character '}' in exponent of numeric literal"},
      {"{\"a\":01}", "invalid character '1' after object key:value pair"},
      {"{\"a\":\"\\q\"}", "invalid character 'q' in string escape code"},
      {"{\"a\":\"\\u12x4\"}", "invalid character 'x' in \\u hexadecimal character escape"},
      {"{\"a\":\"\n\"}", "invalid character '\\n' in string literal"},
      {"{} x", "invalid character 'x' after top-level value"},
  };
  for (const auto& test : cases) {
    const auto document = parse_document(test.text);
    ASSERT_FALSE(document.has_value()) << test.text;
    EXPECT_EQ(document.error().problem.error.what(), test.message) << test.text;
  }
}

TEST(Document, ReadsEscapesOfJson) {
  EXPECT_EQ(parse_document(R"({"a":"\u00e9\ud83d\ude00\ud800\n\/"})")->root.find("a")->text, "é😀\uFFFD\n/");
}

TEST(Document, DoesNotNestWithoutEnd) {
  EXPECT_FALSE(parse_document("{\"a\":" + std::string(100'000, '[')).has_value());
}

TEST(Suggest, FindsTheNearestName) {
  constexpr std::string_view kNames[] = {"parallelism", "profiles", "extenders"};
  EXPECT_EQ(nearest_name("paralelism", kNames), "parallelism");
  EXPECT_EQ(nearest_name("Profiles", kNames), "profiles");
  EXPECT_EQ(nearest_name("foo", kNames), "");
}

}  // namespace
}  // namespace berth::config
