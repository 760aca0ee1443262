// A place in a YAML text: the characters that follow, the line and column, and the first error that was found. Internal
// to this folder.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "berth/codec/value_node.h"

namespace berth::codec {

inline bool is_yaml_blank(char c) {
  return c == ' ' || c == '\t';
}
inline bool is_yaml_flow_indicator(char c) {
  return c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '?';
}

struct YamlCursor {
  explicit YamlCursor(std::string_view text)
      : begin(text.data()), end(begin + text.size()), at(begin), line_begin(begin) {}

  bool at_end() const { return at == end; }
  char peek(std::size_t ahead = 0) const { return static_cast<std::size_t>(end - at) > ahead ? at[ahead] : '\0'; }
  bool is_blank_or_end(std::size_t ahead) const {
    if (static_cast<std::size_t>(end - at) <= ahead) return true;
    return is_yaml_blank(at[ahead]) || at[ahead] == '\n';
  }
  int column() const { return static_cast<int>(std::min<std::ptrdiff_t>(at - line_begin, 1 << 30)); }
  void next_line() {  // `at` is on a line end
    ++at;
    ++line;
    line_begin = at;
  }
  void skip_blanks() {
    while (!at_end() && is_yaml_blank(*at)) ++at;
  }
  bool at_document_marker() const {
    return at == line_begin && end - at >= 3 && (at[0] == '-' || at[0] == '.') && at[1] == at[0] && at[2] == at[0] &&
           is_blank_or_end(3);
  }

  bool fail(std::string what, const char* place = nullptr) {
    if (has_failed) return false;
    has_failed = true;
    if (place == nullptr) place = at;
    problem = Problem{Error(std::move(what)), line, 0};
    // A place on an earlier line has no column: the line says enough.
    if (place >= line_begin) {
      const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
      problem.column = static_cast<std::uint32_t>(std::count_if(line_begin, place, is_first_byte) + 1);
    }
    return false;
  }

  std::string here() const {
    if (at_end()) return "the end of the text";
    if (*at == '\n') return "the end of the line";
    const auto c = static_cast<unsigned char>(*at);
    return c < 0x20 || c >= 0x7F ? fmt::format("byte 0x{:02x}", c) : fmt::format("'{}'", *at);
  }

  // Moves to the next character that means something, over blanks, comments and line ends. Gives whether a line end was
  // crossed. Stops at document markers; see at_document_marker().
  bool skip_to_content() {
    bool crossed = false;
    while (true) {
      while (!at_end() && *at == ' ') ++at;
      // Tabs may stand between words, but not where they would count as indentation.
      if (!at_end() && *at == '\t') {
        const char* tab = at;
        skip_blanks();
        const bool is_indentation = flow_depth == 0 && !at_end() && *at != '\n' && *at != '#' && line_begins_at(tab);
        if (is_indentation) {
          at = tab;
          return crossed;
        }
      }
      if (!at_end() && *at == '#' && (at == line_begin || is_yaml_blank(at[-1]))) {
        while (!at_end() && *at != '\n') ++at;
      }
      if (at_end() || *at != '\n') return crossed;
      next_line();
      crossed = true;
      if (at_document_marker()) return crossed;
    }
  }
  bool at_end_of_document() const { return at_end() || at_document_marker(); }

  // Marks that need a blank behind them to be one.
  bool at_list_entry() const { return peek() == '-' && is_blank_or_end(1); }
  bool at_explicit_key() const { return peek() == '?' && is_blank_or_end(1); }
  bool at_map_value() const { return peek() == ':' && is_blank_or_end(1); }

  // Nothing but indentation stands in front.
  bool line_begins_at(const char* place) const {
    return std::all_of(line_begin, place, [](char c) { return c == ' '; });
  }
  bool line_begins_here() const { return line_begins_at(at); }

  const char* begin;
  const char* end;
  const char* at;
  const char* line_begin;
  std::uint32_t line = 1;
  // How many brackets are open; within them indentation means nothing.
  int flow_depth = 0;
  bool has_failed = false;
  Problem problem;
};

}  // namespace berth::codec
