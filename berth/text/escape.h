// Makes text that came from outside (names, labels, messages, lines of a file) harmless to a terminal.
//
// An object's name may hold an escape sequence that clears the screen, a newline that looks like a line of ours, or an
// override of the writing direction that makes one name look like another. Such characters are shown as people write
// them in YAML and in C: "\x1b", "\n", "\u202e"; a byte that is not UTF-8 as "\xff". Everything else, also letters of
// other scripts, stays as it is. A backslash stays too, so that escaping twice is the same as escaping once.
#pragma once

#include <string>
#include <string_view>

namespace berth::text {

std::string escaped(std::string_view text);

// The same for text of several lines that are ours: ends of lines stay.
std::string escaped_lines(std::string_view text);

// For Markdown, in which the rest of the punctuation would have a meaning too.
std::string escaped_markdown(std::string_view text);

}  // namespace berth::text
