#include "berth/codec/yaml_text_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace berth::codec {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

}  // namespace

bool YamlTextReader::read(int indent, YamlText& scalar) {
  scalar.line = in_.line;
  switch (in_.peek()) {
    case '\'': return parse_single_quoted(scalar);
    case '"': return parse_double_quoted(scalar);
    case '@':
    case '`':
    case '%':
    case ',':
    case ']':
    case '}':
    case '|':
    case '>':
    case '\t': return in_.fail(fmt::format("a value may not begin with {}; quote it", in_.here()));
    case ':':
      if (in_.flow_depth == 0 && in_.is_blank_or_end(1)) return in_.fail("expected a key in front of ':'");
      [[fallthrough]];
    default:
      if (in_.at_list_entry()) return in_.fail("a list entry may not stand here");
      return parse_plain(indent, scalar);
  }
}

bool YamlTextReader::at_end_of_plain() const {
  return (*in_.at == ':' && in_.is_blank_or_end(1)) || (in_.flow_depth > 0 && is_yaml_flow_indicator(*in_.at));
}

const char* YamlTextReader::skip_plain_words() {
  const char* words_end = in_.at;
  while (true) {
    while (!in_.at_end() && !is_yaml_blank(*in_.at) && *in_.at != '\n') {
      if (at_end_of_plain()) return words_end;
      ++in_.at;
      words_end = in_.at;
    }
    in_.skip_blanks();
    if (in_.at_end() || *in_.at == '\n' || *in_.at == '#') return words_end;
  }
}

bool YamlTextReader::parse_plain(int indent, YamlText& scalar) {
  scalar.is_plain = true;
  const char* begin = in_.at;
  const char* words_end = skip_plain_words();
  scalar.text = std::string_view(begin, words_end - begin);
  if (indent == kKeyOnly) {
    in_.at = words_end;
    return true;
  }
  // Further lines, as long as they are indented: a line end becomes a blank, empty lines become line ends.
  std::string* folded = nullptr;
  while (!in_.at_end() && *in_.at == '\n') {
    const char* line_end = in_.at;
    const char* saved_line_begin = in_.line_begin;
    const std::uint32_t saved_line = in_.line;
    std::size_t breaks = 0;
    bool has_tab_in_indentation = false;
    while (!in_.at_end() && *in_.at == '\n') {
      in_.next_line();
      ++breaks;
      if (in_.at_document_marker()) break;
      has_tab_in_indentation = false;
      while (!in_.at_end() && is_yaml_blank(*in_.at)) {
        if (*in_.at == '\t' && in_.column() <= indent) has_tab_in_indentation = true;
        ++in_.at;
      }
    }
    const bool goes_on = !in_.at_end_of_document() && *in_.at != '#' && (in_.flow_depth > 0 || in_.column() > indent) &&
                         !at_end_of_plain();
    if (goes_on && has_tab_in_indentation) return in_.fail("a tab may not be used for indentation");
    if (!goes_on) {
      in_.at = line_end;
      in_.line = saved_line;
      in_.line_begin = saved_line_begin;
      break;
    }
    if (folded == nullptr) folded = &texts_.emplace_back(scalar.text);
    folded->append(breaks == 1 ? 1 : breaks - 1, breaks == 1 ? ' ' : '\n');
    begin = in_.at;
    words_end = skip_plain_words();
    folded->append(begin, words_end - begin);
  }
  if (folded != nullptr) scalar.text = *folded;
  in_.at = words_end;
  return true;
}

bool YamlTextReader::parse_single_quoted(YamlText& scalar) {
  const char* opening = in_.at++;
  const std::uint32_t line = in_.line;
  const char* begin = in_.at;
  std::string* text = nullptr;
  while (!in_.at_end()) {
    if (*in_.at == '\'') {
      if (in_.peek(1) != '\'') {
        finish_quoted(scalar, text, begin);
        return true;
      }
      unquote_up_to_here(text, begin);
      text->push_back('\'');
      in_.at += 2;
      begin = in_.at;
    } else if (*in_.at == '\n') {
      unquote_up_to_here(text, begin);
      if (!fold_quoted_lines(*text, 0)) return false;
      begin = in_.at;
    } else {
      ++in_.at;
    }
  }
  return fail_without_end(opening, line);
}

bool YamlTextReader::parse_double_quoted(YamlText& scalar) {
  const char* opening = in_.at++;
  const std::uint32_t line = in_.line;
  const char* begin = in_.at;
  std::string* text = nullptr;
  escaped_end_ = 0;
  while (!in_.at_end()) {
    if (*in_.at == '"') {
      finish_quoted(scalar, text, begin);
      return true;
    }
    if (*in_.at == '\\') {
      unquote_up_to_here(text, begin);
      if (!parse_escape(*text)) return false;
      begin = in_.at;
    } else if (*in_.at == '\n') {
      unquote_up_to_here(text, begin);
      if (!fold_quoted_lines(*text, escaped_end_)) return false;
      escaped_end_ = text->size();
      begin = in_.at;
    } else {
      ++in_.at;
    }
  }
  return fail_without_end(opening, line);
}

bool YamlTextReader::fail_without_end(const char* opening, std::uint32_t line) {
  if (in_.has_failed) return false;
  if (line != in_.line) return in_.fail(fmt::format("the string that begins on line {} has no end", line));
  return in_.fail("the string that begins here has no end", opening);
}

void YamlTextReader::unquote_up_to_here(std::string*& text, const char* begin) {
  if (text == nullptr) text = &texts_.emplace_back();
  text->append(begin, in_.at - begin);
}

void YamlTextReader::finish_quoted(YamlText& scalar, std::string* text, const char* begin) {
  if (text != nullptr) {
    text->append(begin, in_.at - begin);
    scalar.text = *text;
  } else {
    scalar.text = std::string_view(begin, in_.at - begin);
  }
  ++in_.at;
}

bool YamlTextReader::fold_quoted_lines(std::string& text, std::size_t kept) {
  const std::size_t last = text.find_last_not_of(" \t");
  text.resize(std::max(last == std::string::npos ? 0 : last + 1, kept));
  std::size_t breaks = 0;
  while (!in_.at_end() && *in_.at == '\n') {
    in_.next_line();
    ++breaks;
    if (in_.at_document_marker()) return in_.fail("a document ends within a string");
    in_.skip_blanks();
  }
  text.append(breaks == 1 ? 1 : breaks - 1, breaks == 1 ? ' ' : '\n');
  return true;
}

bool YamlTextReader::parse_escape(std::string& text) {
  const char* begin = in_.at++;
  const char c = in_.peek();
  if (in_.at_end()) return in_.fail("a string may not end with \\", begin);
  ++in_.at;
  switch (c) {
    case '0': text += '\0'; break;
    case 'a': text += '\a'; break;
    case 'b': text += '\b'; break;
    case 't':
    case '\t': text += '\t'; break;
    case 'n': text += '\n'; break;
    case 'v': text += '\v'; break;
    case 'f': text += '\f'; break;
    case 'r': text += '\r'; break;
    case 'e': text += '\x1B'; break;
    case ' ': text += ' '; break;
    case '"': text += '"'; break;
    case '\'': text += '\''; break;
    case '/': text += '/'; break;
    case '\\': text += '\\'; break;
    case 'N': append_utf8(text, 0x85); break;
    case '_': append_utf8(text, 0xA0); break;
    case 'L': append_utf8(text, 0x2028); break;
    case 'P': append_utf8(text, 0x2029); break;
    case 'x': return parse_hex_escape(2, begin, text);
    case 'u': return parse_hex_escape(4, begin, text);
    case 'U': return parse_hex_escape(8, begin, text);
    case '\n':
      --in_.at;
      in_.next_line();
      if (in_.at_document_marker()) return in_.fail("a document ends within a string");
      in_.skip_blanks();
      // Empty lines behind it count as they do elsewhere.
      while (!in_.at_end() && *in_.at == '\n') {
        in_.next_line();
        if (in_.at_document_marker()) return in_.fail("a document ends within a string");
        in_.skip_blanks();
        text += '\n';
      }
      break;
    default: return in_.fail("found unknown escape character", begin);
  }
  escaped_end_ = text.size();
  return true;
}

bool YamlTextReader::parse_hex_escape(int digits, const char* begin, std::string& text) {
  auto code = parse_hex_digits(digits);
  if (!code) return in_.fail(fmt::format("expected {} hexadecimal digits", digits), begin);
  // JSON's way to write characters above U+FFFF, as goyaml does not know it, but JSON within YAML needs it.
  if (*code >= 0xD800 && *code < 0xDC00 && in_.peek() == '\\' && in_.peek(1) == 'u') {
    in_.at += 2;
    const auto low = parse_hex_digits(4);
    if (!low || *low < 0xDC00 || *low > 0xDFFF) return in_.fail("half of a surrogate pair in a string", begin);
    code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
  }
  if ((*code >= 0xD800 && *code <= 0xDFFF) || *code > 0x10FFFF) {
    return in_.fail("found invalid Unicode character escape code", begin);
  }
  append_utf8(text, *code);
  escaped_end_ = text.size();
  return true;
}

std::optional<std::uint32_t> YamlTextReader::parse_hex_digits(int digits) {
  std::uint32_t code = 0;
  for (int i = 0; i < digits; ++i, ++in_.at) {
    const char c = in_.peek();
    const int digit = c >= '0' && c <= '9'                     ? c - '0'
                      : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                               : -1;
    if (digit < 0 || in_.at_end()) return std::nullopt;
    code = code << 4 | static_cast<std::uint32_t>(digit);
  }
  return code;
}

bool YamlTextReader::read_block(int indent, YamlText& scalar) {
  scalar.line = in_.line;
  scalar.is_plain = false;
  const bool is_literal = *in_.at++ == '|';
  char chomping = ' ';
  int text_column = 0;
  for (int i = 0; i < 2; ++i) {
    if (in_.peek() == '+' || in_.peek() == '-') {
      if (chomping != ' ') break;
      chomping = *in_.at++;
    } else if (in_.peek() >= '1' && in_.peek() <= '9') {
      if (text_column != 0) break;
      text_column = std::max(indent, 0) + (*in_.at++ - '0');
    } else if (in_.peek() == '0') {
      return in_.fail("the indentation of a block of text may not be 0");
    }
  }
  const char* header_end = in_.at;
  in_.skip_blanks();
  if (in_.peek() == '#' && in_.at != header_end) {
    while (!in_.at_end() && *in_.at != '\n') ++in_.at;
  }
  if (!in_.at_end() && *in_.at != '\n')
    return in_.fail("expected the end of the line after '|' or '>', got " + in_.here());
  std::string& text = texts_.emplace_back();
  std::size_t breaks = 0;  // line ends that are read, but not yet part of the text
  bool has_text = false;
  bool was_blank = false;
  std::size_t trailing_breaks = 0;
  if (!in_.at_end()) in_.next_line();
  if (!skip_block_indentation(indent, text_column, trailing_breaks)) return false;
  while (!in_.at_end() && in_.column() == text_column && !(in_.column() == 0 && in_.at_document_marker())) {
    const bool begins_blank = is_yaml_blank(*in_.at);
    if (has_text) {
      const bool is_folded = !is_literal && !was_blank && !begins_blank;
      if (!is_folded) {
        text.append(breaks, '\n');
      } else if (trailing_breaks == 0) {
        text += ' ';
      }
    }
    text.append(trailing_breaks, '\n');
    trailing_breaks = 0;
    was_blank = begins_blank;
    has_text = true;
    const void* found = std::memchr(in_.at, '\n', in_.end - in_.at);
    const char* line_end = found == nullptr ? in_.end : static_cast<const char*>(found);
    text.append(in_.at, line_end - in_.at);
    in_.at = line_end;
    breaks = in_.at_end() ? 0 : 1;
    if (!in_.at_end()) in_.next_line();
    if (!skip_block_indentation(indent, text_column, trailing_breaks)) return false;
  }
  if (chomping != '-') text.append(breaks, '\n');
  if (chomping == '+') text.append(trailing_breaks, '\n');
  scalar.text = text;
  // Back to the line end, which is where other values leave off.
  if (in_.at != in_.begin && in_.at_end()) return true;
  in_.at = in_.line_begin;
  return true;
}

bool YamlTextReader::skip_block_indentation(int indent, int& text_column, std::size_t& breaks) {
  int widest = 0;
  while (true) {
    while (!in_.at_end() && *in_.at == ' ' && (text_column == 0 || in_.column() < text_column)) ++in_.at;
    widest = std::max(widest, in_.column());
    if (!in_.at_end() && *in_.at == '\t' && (text_column == 0 || in_.column() < text_column)) {
      return in_.fail("a tab may not be used for indentation");
    }
    if (in_.at_end() || *in_.at != '\n') break;
    in_.next_line();
    ++breaks;
  }
  if (text_column == 0) text_column = std::max({widest, indent + 1, 1});
  return true;
}

}  // namespace berth::codec
