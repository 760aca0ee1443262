// Reads the scalars of a YAML text: plain, quoted, and blocks of text. Internal to this folder.
//
// A text that stands in the document as it is meant stays there; only what has to be unescaped or folded is copied.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "berth/codec/yaml_cursor.h"

namespace berth::codec {

// A scalar before its meaning is known.
struct YamlText {
  std::string_view text;
  bool is_plain = false;
  std::uint32_t line = 0;  // on which it begins
};

// The functions begin at the first character and leave the cursor behind the last; false after an error.
class YamlTextReader {
 public:
  // `texts` takes the copies.
  YamlTextReader(YamlCursor& in, std::deque<std::string>& texts) : in_(in), texts_(texts) {}

  // For `indent`: the scalar is a key and ends with its line.
  static constexpr int kKeyOnly = std::numeric_limits<int>::max();

  // For parse_flow_scalar: a key ends with its line.
  // Plain or quoted, in block or flow context.
  bool read(int indent, YamlText& scalar);
  // "|" keeps the lines as they are, ">" folds them.
  bool read_block(int indent, YamlText& scalar);

 private:
  // True where a plain scalar ends within a line: at ": ", and in flow context at brackets and commas.
  bool at_end_of_plain() const;
  // Moves over the words of one line; gives where the last one ends.
  const char* skip_plain_words();
  bool parse_plain(int indent, YamlText& scalar);
  bool parse_single_quoted(YamlText& scalar);
  bool parse_double_quoted(YamlText& scalar);
  bool fail_without_end(const char* opening, std::uint32_t line);
  void unquote_up_to_here(std::string*& text, const char* begin);
  void finish_quoted(YamlText& scalar, std::string* text, const char* begin);
  // in_.at is on a line end within quotes. Blanks around line ends do not count; one line end is a blank, more are line
  // ends. The first `kept` bytes of the text are not trimmed.
  bool fold_quoted_lines(std::string& text, std::size_t kept);
  bool parse_escape(std::string& text);
  bool parse_hex_escape(int digits, const char* begin, std::string& text);
  std::optional<std::uint32_t> parse_hex_digits(int digits);
  // Moves over the indentation of a block's next line and over empty lines, which it counts. Finds the block's column
  // by its first line if it is not known (0).
  bool skip_block_indentation(int indent, int& text_column, std::size_t& breaks);

  YamlCursor& in_;
  std::deque<std::string>& texts_;
  // Up to where the string being read must not be trimmed at a line end: blanks there came from escapes.
  std::size_t escaped_end_ = 0;
};

}  // namespace berth::codec
