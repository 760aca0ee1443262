#include <gtest/gtest.h>

#include "berth/scenario/syntax.h"

namespace berth::scenario {
namespace {

std::vector<std::string> texts(const Line& line) {
  std::vector<std::string> result;
  for (const Word& word : line.words) result.push_back(word.text);
  return result;
}

TEST(Lexer, SplitsLinesIntoWordsAndKnowsWhereTheyStand) {
  const Lexed lexed = lex("# nothing\n\n  node  n1\tcpu=2 # the first\npod p#1\n");
  ASSERT_EQ(lexed.lines.size(), 2U);
  EXPECT_EQ(texts(lexed.lines[0]), (std::vector<std::string>{"node", "n1", "cpu=2"}));
  EXPECT_EQ(lexed.lines[0].words[1].at, (Position{3, 9}));
  EXPECT_EQ(lexed.lines[0].words[2].key(), "cpu");
  EXPECT_EQ(lexed.lines[0].words[2].value(), "2");
  EXPECT_EQ(lexed.lines[0].words[2].value_at(), (Position{3, 16}));
  EXPECT_EQ(texts(lexed.lines[1]), (std::vector<std::string>{"pod", "p#1"}));
}

TEST(Lexer, KeepsQuotedTextTogether) {
  const Lexed lexed = lex(R"(reject p at permit "not \"now\", \\ please" key="a b"c "k=v")");
  ASSERT_EQ(lexed.lines.size(), 1U);
  const std::vector<Word>& words = lexed.lines[0].words;
  EXPECT_EQ(words[4].text, R"(not "now", \ please)");
  EXPECT_TRUE(words[4].is_quoted);
  EXPECT_EQ(words[5].key(), "key");
  EXPECT_EQ(words[5].value(), "a bc");
  EXPECT_FALSE(words[6].has_value());
}

TEST(Lexer, ContinuesALineAfterABackslash) {
  const Lexed lexed = lex("pod p \\\n  cpu=1\npod q\n");
  ASSERT_EQ(lexed.lines.size(), 2U);
  EXPECT_EQ(texts(lexed.lines[0]), (std::vector<std::string>{"pod", "p", "cpu=1"}));
  EXPECT_EQ(lexed.lines[0].words[2].at, (Position{2, 3}));
}

TEST(Lexer, TakesADocumentUpToItsEnd) {
  const Lexed lexed = lex("apply <<END\nkind: Pod # kept\n\n  END\nrun 1s\n");
  ASSERT_EQ(lexed.lines.size(), 2U);
  ASSERT_TRUE(lexed.lines[0].document.has_value());
  EXPECT_EQ(lexed.lines[0].document->text, "kind: Pod # kept\n\n");
  EXPECT_EQ(lexed.lines[0].document->first_line, 2);
}

TEST(Lexer, SaysWhatHasNoEnd) {
  const Lexed open_quote = lex("pod p \"oh\n");
  ASSERT_EQ(open_quote.mistakes.size(), 1U);
  EXPECT_EQ(open_quote.mistakes[0].at, (Position{1, 7}));
  EXPECT_EQ(open_quote.mistakes[0].what, "the text that begins here has no end");
  const Lexed open_document = lex("apply <<END\nkind: Pod\n");
  ASSERT_EQ(open_document.mistakes.size(), 1U);
  EXPECT_EQ(open_document.mistakes[0].what, "the document that begins here has no end");
}

TEST(Lexer, PrintsWordsSoThatTheyReadTheSame) {
  for (const std::string text : {
           R"(pod p cpu=1 label.app=web)",
           R"(reject p at permit "a \"b\" \\ c")",
           R"(pod p annotation.note="two words")",
           R"(expect pod p message contains "line\nnext")",
           "apply <<END\nkind: Pod\nEND",
       }) {
    const Lexed lexed = lex(text);
    ASSERT_EQ(lexed.lines.size(), 1U);
    EXPECT_EQ(to_text(lexed.lines[0]), text);
  }
}

}  // namespace
}  // namespace berth::scenario
