// How help is laid out: within the terminal's width, or 80 columns, whoever wrote the descriptions.
//
// A footer is written in lines. A line that begins with a blank or with "Example" is a command: it stays a line of its
// own, and one that is too long is continued behind a backslash. Other lines are prose: neighbours are one paragraph.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace berth::cmd {

std::shared_ptr<CLI::FormatterBase> make_help_formatter();

}  // namespace berth::cmd
