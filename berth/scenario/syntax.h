// The form of a scenario, without any meaning: lines of words, where each word stands, and what is wrong with a text.
#pragma once

#include <compare>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::scenario {

// Counted from 1. A statement may go on over several lines, so each word knows its own.
struct Position {
  int line = 1;
  int column = 1;
  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Word {
  std::string text;  // without the quotes
  Position at;
  bool is_quoted = false;  // begins with a quote: a text, never a keyword
  // Of KEY=VALUE: where the first `=` outside quotes is in `text`, and where the value begins in the line.
  std::size_t equals = std::string::npos;
  int value_column = 0;

  bool has_value() const { return equals != std::string::npos; }
  // The whole text of a word without a value.
  std::string_view key() const { return std::string_view(text).substr(0, equals); }
  // Requires: has_value().
  std::string_view value() const { return std::string_view(text).substr(equals + 1); }
  Position value_at() const { return has_value() ? Position{at.line, value_column} : at; }
};

// Lines that a statement brings along: `apply <<END`, then the lines, then END.
struct Document {
  std::string end;  // the word that ends it
  std::string text;
  int first_line = 0;
};

// The words of one statement. If it has a document, its last word is `<<END`.
struct Line {
  std::vector<Word> words;
  std::optional<Document> document;
  // The plugins that a condition may name. Set before the statement is read.
  std::shared_ptr<const std::vector<std::string>> plugins = nullptr;
};

// Something that is wrong in a scenario.
struct Mistake {
  Position at;
  std::string what;
  std::string fix;  // empty if there is nothing to say
};

template <typename T>
using Parsed = std::expected<T, Mistake>;

inline std::unexpected<Mistake> mistake(Position at, std::string what, std::string fix = {}) {
  return std::unexpected(Mistake{at, std::move(what), std::move(fix)});
}

struct Lexed {
  std::vector<Line> lines;  // that have a word, and are whole
  std::vector<Mistake> mistakes;
};

// Words are separated by blanks. `#` at the start of a word begins a comment. Double quotes keep blanks together, with
// \" \\ \n in them; a backslash at the end of a line continues it.
Lexed lex(std::string_view text);

// Words as lex() reads them, with quotes where they need them.
std::string to_text(const Line& line);

}  // namespace berth::scenario
