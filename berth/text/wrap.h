// Lines of a terminal: escaped text with a meaning for every byte, broken at blanks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "berth/text/line.h"

namespace berth::text {

struct Painted {
  std::string text;               // escaped
  std::vector<Meaning> meanings;  // of each byte

  std::size_t columns() const;
};

// With every text escaped.
Painted paint(const Line& line);

// At blanks, into lines of at most `width` columns; 0: no limit. A word that is longer stands alone. Blanks at a break
// are dropped, others stay. At least one line, which may be empty.
std::vector<Painted> wrapped(const Painted& text, std::size_t width);

// The columns of the longest word.
std::size_t longest_word(std::string_view text);

// With the codes of an ANSI terminal, or without.
std::string coloured(const Painted& text, bool has_colour);

}  // namespace berth::text
