// What the program knows of where its output goes: a terminal of some width, with or without colours, or a pipe.
//
// On a terminal answers are wrapped at its width and coloured by meaning. In a pipe or a file they are neither: each
// sentence is one line. `--color`, NO_COLOR, CLICOLOR_FORCE and TERM=dumb are heeded (docs/output.md).
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string_view>

#include "berth/text/page.h"

namespace berth::cmd {

bool is_terminal(std::FILE* file);

// Whether a line on it can be drawn over: not on a dumb terminal.
bool can_redraw(std::FILE* file);

// How wide the terminal is; nothing if `file` is none, or it does not say.
std::optional<std::size_t> terminal_columns(std::FILE* file);

// How answers are put on standard output. `color` is "auto", "always" or "never".
text::Style output_style(std::string_view color);

// How wide help is: as the terminal, within reason, and 80 columns elsewhere.
std::size_t help_columns();

}  // namespace berth::cmd
