// What a terminal makes of a character: how many columns it takes up, and whether a reader sees it at all.
//
// The tables (unicode_tables.h) are of Unicode 14. A terminal with other tables is off by a column in a rare case,
// which moves a cell and breaks nothing.
#pragma once

#include <cstddef>
#include <string_view>

namespace berth::text {

struct Character {
  char32_t code = 0;      // of a byte that is not UTF-8: the byte
  std::size_t bytes = 1;  // that it takes in the text
  bool is_valid = true;
};

// Requires: at < text.size().
Character character_at(std::string_view text, std::size_t at);

// Control characters, and those that change the direction of text, join, or take up no room: shown as they are they
// move the cursor, hide something or make one name look like another.
bool is_unseen(char32_t code);

// 0 for a combining mark, 2 for a wide character, else 1.
std::size_t columns_of(char32_t code);

// Of a UTF-8 text that has been escaped, in a terminal.
std::size_t columns(std::string_view text);
// The beginning of a UTF-8 text that takes up `width` columns at most.
std::string_view cut_to(std::string_view text, std::size_t width);

}  // namespace berth::text
