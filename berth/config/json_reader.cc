#include "berth/config/json_reader.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "berth/base/utf8.h"
#include "berth/config/field_error.h"

namespace berth::config {

namespace {

// As Go names a character in a syntax error.
std::string quote_char(char c) {
  if (c == '\'') return R"('\'')";
  if (c == '"') return R"('"')";
  // Go takes the byte for a code point.
  const auto byte = static_cast<unsigned char>(c);
  const std::string text =
      byte < 0x80 ? std::string(1, c)
                  : std::string{static_cast<char>(0xC0 | (byte >> 6)), static_cast<char>(0x80 | (byte & 0x3F))};
  const std::string quoted = go_quote(text);
  return "'" + quoted.substr(1, quoted.size() - 2) + "'";
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

void append_utf8(std::string& out, char32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::expected<Value, Problem> read() {
    Value root;
    if (read_value(root, 0)) {
      skip_space();
      if (!at_end()) unexpected_char("after top-level value");
    }
    if (error_) return std::unexpected(std::move(*error_));
    return root;
  }

 private:
  bool at_end() const { return at_ == text_.size(); }

  void skip_space() {
    while (!at_end() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n')) {
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
  }

  bool fail_with(std::string what) {
    if (!error_) error_ = Problem{Error(std::move(what)), line_};
    return false;
  }

  // The text ends, or goes on with a character that cannot be here.
  bool unexpected_char(std::string_view context) {
    if (at_end()) return fail_with("unexpected end of JSON input");
    return fail_with(fmt::format("invalid character {} {}", quote_char(text_[at_]), context));
  }

  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool read_value(Value& value, int depth) {
    skip_space();
    value.line = line_;
    if (depth > kMaxJsonDepth) return fail_with("exceeded max depth");
    if (at_end()) return unexpected_char("");
    switch (text_[at_]) {
      case '{': return read_map(value, depth);
      case '[': return read_list(value, depth);
      case '"': value.kind = Value::Kind::kString; return read_string(value.text);
      case 't':
        value.kind = Value::Kind::kBool;
        value.text = "true";
        return read_literal("true");
      case 'f':
        value.kind = Value::Kind::kBool;
        value.text = "false";
        return read_literal("false");
      case 'n': return read_literal("null");
      default:
        if (text_[at_] != '-' && !is_digit(text_[at_])) return unexpected_char("looking for beginning of value");
        value.kind = Value::Kind::kNumber;
        return read_number(value.text);
    }
  }

  bool read_map(Value& value, int depth) {
    value.kind = Value::Kind::kMap;
    ++at_;
    skip_space();
    if (take('}')) return true;
    while (true) {
      skip_space();
      if (at_end() || text_[at_] != '"') return unexpected_char("looking for beginning of object key string");
      Member& member = value.members.emplace_back();
      if (!read_string(member.key)) return false;
      skip_space();
      if (!take(':')) return unexpected_char("after object key");
      if (!read_value(member.value, depth + 1)) return false;
      skip_space();
      if (take('}')) return true;
      if (!take(',')) return unexpected_char("after object key:value pair");
    }
  }

  bool read_list(Value& value, int depth) {
    value.kind = Value::Kind::kList;
    ++at_;
    skip_space();
    if (take(']')) return true;
    while (true) {
      if (!read_value(value.elements.emplace_back(), depth + 1)) return false;
      skip_space();
      if (take(']')) return true;
      if (!take(',')) return unexpected_char("after array element");
    }
  }

  bool read_literal(std::string_view literal) {
    for (const char c : literal) {
      if (!take(c)) return unexpected_char(fmt::format("in literal {} (expecting {})", literal, quote_char(c)));
    }
    return true;
  }

  bool read_digits(std::string_view context) {
    if (at_end() || !is_digit(text_[at_])) return unexpected_char(context);
    while (!at_end() && is_digit(text_[at_])) ++at_;
    return true;
  }

  bool read_number(std::string& literal) {
    const std::size_t start = at_;
    take('-');
    if (!take('0') && !read_digits("in numeric literal")) return false;
    if (take('.') && !read_digits("after decimal point in numeric literal")) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!read_digits("in exponent of numeric literal")) return false;
    }
    literal = text_.substr(start, at_ - start);
    return true;
  }

  std::optional<char32_t> read_hex4() {
    char32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_end() ? ' ' : text_[at_];
      const int digit = is_digit(c)            ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) {
        unexpected_char("in \\u hexadecimal character escape");
        return std::nullopt;
      }
      code = code * 16 + static_cast<char32_t>(digit);
    }
    return code;
  }

  bool read_escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (at_end()) return unexpected_char("");
    if (const std::size_t which = kLetters.find(text_[at_]); which != std::string_view::npos) {
      out += kMeanings[which];
      ++at_;
      return true;
    }
    if (!take('u')) return unexpected_char("in string escape code");
    std::optional<char32_t> code = read_hex4();
    if (!code) return false;
    const auto is_surrogate = [](char32_t c) { return c >= 0xD800 && c < 0xE000; };
    if (*code >= 0xD800 && *code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      const std::size_t back = at_;
      at_ += 2;
      const std::optional<char32_t> low = read_hex4();
      if (!low) return false;
      if (*low >= 0xDC00 && *low < 0xE000) {
        code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
      } else {
        at_ = back;
      }
    }
    append_utf8(out, is_surrogate(*code) ? U'�' : *code);
    return true;
  }

  bool read_string(std::string& out) {
    ++at_;
    while (true) {
      if (at_end()) return unexpected_char("");
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return unexpected_char("in string literal");
      ++at_;
      if (c == '\\') {
        if (!read_escape(out)) return false;
      } else {
        out += c;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::optional<Problem> error_;
};

}  // namespace

std::expected<Value, Problem> read_json_value(std::string_view text) {
  if (!is_valid_utf8(text)) return std::unexpected(Problem{Error("the text is not UTF-8"), 0});
  return Reader(text).read();
}

}  // namespace berth::config
