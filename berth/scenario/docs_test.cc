// docs/scenarios.md against the tables of the language and against the world: every word is mentioned, every example
// runs and passes.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "berth/scenario/runner.h"
#include "berth/scenario/scenario.h"
#include "berth/scenario/statements.h"

namespace berth::scenario {
namespace {

std::string documentation() {
  const auto text = read_file(std::string(BERTH_SOURCE_DIR) + "/docs/scenarios.md");
  EXPECT_TRUE(text) << "docs/scenarios.md cannot be read";
  return text.value_or("");
}

// As code, alone or at the start of it: `cpu=AMOUNT`.
bool mentions(std::string_view text, std::string_view word) {
  const std::string opening = "`" + std::string(word);
  for (std::size_t at = text.find(opening); at != std::string_view::npos; at = text.find(opening, at + 1)) {
    const char next = text[at + opening.size()];
    if (word.ends_with('.') || word.ends_with('-') || next == '`' || next == ' ' || next == '=') return true;
  }
  return false;
}

TEST(ScenarioDocumentation, MentionsEveryWordOfTheLanguage) {
  const std::string text = documentation();
  for (const VocabularyEntry& entry : vocabulary()) {
    EXPECT_TRUE(mentions(text, entry.word)) << entry.title << ": " << entry.word << " " << entry.form;
  }
}

struct Example {
  std::string text;
  int line = 0;
};

std::vector<Example> examples(const std::string& text) {
  std::vector<Example> result;
  bool is_inside = false;
  int line = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view current = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++line;
    if (current == "```berth") {
      is_inside = true;
      result.push_back({"", line});
    } else if (current == "```") {
      is_inside = false;
    } else if (is_inside) {
      result.back().text.append(current).append("\n");
    }
  }
  return result;
}

TEST(ScenarioDocumentation, HasExamplesThatPass) {
  const std::vector<Example> found = examples(documentation());
  EXPECT_GE(found.size(), 5U);
  for (const Example& example : found) {
    SCOPED_TRACE("docs/scenarios.md:" + std::to_string(example.line));
    const auto scenario = parse(example.text, {.file = "example"});
    if (!scenario) {
      for (const Error& error : scenario.error()) ADD_FAILURE() << error.message();
      continue;
    }
    const auto result = run(*scenario);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_GT(result->expectations, 0U);
    for (const Failure& failure : result->failures) ADD_FAILURE() << to_text(failure);
  }
}

}  // namespace
}  // namespace berth::scenario
