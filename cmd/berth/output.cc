#include "cmd/berth/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

namespace berth::cmd {
namespace {

// Of a terminal that does not say.
constexpr std::size_t kUnknownColumns = 100;
constexpr std::size_t kHelpColumns = 80;
// Longer lines of prose are hard to read, and descriptions need some room beside the options.
constexpr std::size_t kMostHelpColumns = 100;
constexpr std::size_t kLeastHelpColumns = 50;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::optional<std::size_t> columns_of_environment() {
  const std::string_view text = environment("COLUMNS");
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && columns > 0;
  return is_number ? std::optional(columns) : std::nullopt;
}

// Whether the terminal knows the codes that move its cursor and set its colours.
bool is_term_capable() {
  const std::string_view term = environment("TERM");
  return !term.empty() && term != "dumb";
}

// no-color.org and bixense.com/clicolors: what the user forbids comes before what is forced.
bool has_colour(std::string_view color) {
  if (color != "auto") return color == "always";
  if (!environment("NO_COLOR").empty()) return false;
  if (const std::string_view forced = environment("CLICOLOR_FORCE"); !forced.empty() && forced != "0") return true;
  return can_redraw(stdout);
}

}  // namespace

bool is_terminal(std::FILE* file) {
  return isatty(fileno(file)) == 1;
}

bool can_redraw(std::FILE* file) {
  return is_terminal(file) && is_term_capable();
}

std::optional<std::size_t> terminal_columns(std::FILE* file) {
  if (!is_terminal(file)) return std::nullopt;
  winsize size = {};
  if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return columns_of_environment();
}

text::Style output_style(std::string_view color) {
  text::Style style;
  style.has_colour = has_colour(color);
  if (is_terminal(stdout)) style.width = terminal_columns(stdout).value_or(kUnknownColumns);
  return style;
}

std::size_t help_columns() {
  return std::clamp(terminal_columns(stdout).value_or(kHelpColumns), kLeastHelpColumns, kMostHelpColumns);
}

}  // namespace berth::cmd
