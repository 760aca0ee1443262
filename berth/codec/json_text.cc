#include "berth/codec/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "berth/base/utf8.h"
#include "berth/codec/decode.h"

namespace berth::codec {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// The first two bytes of U+2028 and U+2029; the third is A8 or A9.
constexpr std::string_view kLineSeparatorPrefix = "\xE2\x80";

constexpr std::array<bool, 256> kNeedsEscape = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) {
    table[c] = c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0xE2;
  }
  return table;
}();

// A finite number as its digits and the place of the decimal point: 0.d1d2d3... times 10^point.
struct Digits {
  bool negative;
  std::string text;
  int point;
};

Digits shortest_digits(double value, bool single) {
  std::array<char, 64> buffer;
  const double magnitude = std::fabs(value);
  const auto end =
      single ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(magnitude),
                             std::chars_format::scientific)
             : std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, std::chars_format::scientific);
  const std::string_view text(buffer.data(), end.ptr - buffer.data());
  const std::size_t exponent_at = text.find('e');
  Digits digits{std::signbit(value), {}, 0};
  for (const char c : text.substr(0, exponent_at)) {
    if (c != '.') digits.text += c;
  }
  const std::size_t exponent_digits_at = exponent_at + (text[exponent_at + 1] == '+' ? 2 : 1);
  std::from_chars(text.data() + exponent_digits_at, end.ptr, digits.point);
  ++digits.point;
  if (magnitude == 0) digits.point = 1;
  return digits;
}

void append_fixed(std::string& out, const Digits& digits) {
  const int count = static_cast<int>(digits.text.size());
  if (digits.point <= 0) {
    out += "0.";
    out.append(-digits.point, '0');
    out += digits.text;
  } else if (digits.point >= count) {
    out += digits.text;
    out.append(digits.point - count, '0');
  } else {
    out.append(digits.text, 0, digits.point);
    out += '.';
    out.append(digits.text, digits.point);
  }
}

// `exponent_digits`: 1 or 2, the least that the exponent has.
void append_scientific(std::string& out, const Digits& digits, std::size_t exponent_digits) {
  out += digits.text[0];
  if (digits.text.size() > 1) {
    out += '.';
    out.append(digits.text, 1);
  }
  const int exponent = digits.point - 1;
  out += exponent < 0 ? "e-" : "e+";
  const std::string exponent_text = std::to_string(std::abs(exponent));
  if (exponent_text.size() < exponent_digits) out += '0';
  out += exponent_text;
}

// Walks over a text as JSON's grammar wants it and stops at the first character that does not fit.
class JsonSyntax {
 public:
  explicit JsonSyntax(std::string_view text) : text_(text) {}

  // The reason, with at() as the place; nothing if the text is JSON.
  std::optional<std::string> check() {
    skip_blanks();
    if (at_end()) return "the text is empty";
    if (auto error = value()) return error;
    while (!open_.empty()) {
      if (auto error = inside()) return error;
    }
    skip_blanks();
    if (!at_end()) return "expected the end after the value, got " + here();
    return std::nullopt;
  }
  std::size_t at() const { return at_; }

 private:
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++at_;
  }
  std::string here() const {
    if (at_end()) return "the end of the text";
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c < 0x20 || c >= 0x7F) return fmt::format("byte 0x{:02x}", c);
    return fmt::format("'{}'", text_[at_]);
  }

  // What comes after a value within an open list or object, up to the next value or the closing bracket.
  std::optional<std::string> inside() {
    Open& open = open_.back();
    const char closing = open.is_list ? ']' : '}';
    skip_blanks();
    if (take(closing)) {
      open_.pop_back();
      return std::nullopt;
    }
    if (!open.is_empty) {
      if (!take(',')) return fmt::format("expected ',' or '{}', got {}", closing, here());
      skip_blanks();
    }
    open.is_empty = false;
    if (!open.is_list) {
      if (peek() != '"') return fmt::format("expected a field name in quotes, got {}", here());
      if (auto error = string()) return error;
      skip_blanks();
      if (!take(':')) return fmt::format("expected ':' after the field name, got {}", here());
      skip_blanks();
    }
    return value();
  }

  // A scalar, or the opening bracket of what inside() goes on with.
  std::optional<std::string> value() {
    switch (peek()) {
      case '{':
      case '[':
        // The outermost value is at depth 1.
        if (open_.size() >= kMaxDepth) return fmt::format("nested deeper than {} levels", kMaxDepth);
        open_.push_back(Open{peek() == '[', true});
        ++at_;
        return std::nullopt;
      case '"': return string();
      case 't': return word("true");
      case 'f': return word("false");
      case 'n': return word("null");
      default:
        if (peek() == '-' || is_digit(peek())) return number();
        return "expected a value, got " + here();
    }
  }

  std::optional<std::string> word(std::string_view expected) {
    const bool continues = at_ + expected.size() < text_.size() && std::isalnum(text_[at_ + expected.size()]) != 0;
    if (text_.substr(at_, expected.size()) != expected || continues) {
      return fmt::format("expected {}, got something like it", expected);
    }
    at_ += expected.size();
    return std::nullopt;
  }

  std::optional<std::string> string() {
    const std::size_t begin = at_++;
    while (!at_end()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return std::nullopt;
      }
      if (static_cast<unsigned char>(c) < 0x20) return "a string may not hold " + here() + "; escape it";
      if (c == '\\') {
        if (auto error = escape()) return error;
      } else {
        ++at_;
      }
    }
    at_ = begin;
    return "the string that begins here has no end";
  }

  std::optional<std::string> escape() {
    const std::size_t begin = at_++;
    const char c = peek();
    if (std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos && c != '\0') {
      ++at_;
      return std::nullopt;
    }
    if (c != 'u') {
      at_ = begin;
      return "unknown escape in a string";
    }
    const auto unit = four_hex_digits();
    if (unit && *unit >= 0xD800 && *unit <= 0xDFFF) {
      const bool has_second = *unit < 0xDC00 && text_.substr(at_, 2) == "\\u";
      if (has_second) ++at_;
      const auto second = has_second ? four_hex_digits() : std::nullopt;
      if (!second || *second < 0xDC00 || *second > 0xDFFF) {
        at_ = begin;
        return "half of a surrogate pair in a string";
      }
    }
    if (!unit) {
      at_ = begin;
      return "expected four hexadecimal digits after \\u";
    }
    return std::nullopt;
  }

  // The digits after the 'u' that at_ is on; moves behind them.
  std::optional<unsigned> four_hex_digits() {
    unsigned unit = 0;
    const std::string_view digits = text_.substr(std::min(at_ + 1, text_.size()), 4);
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
    if (digits.size() < 4 || end.ptr != digits.data() + 4) return std::nullopt;
    at_ += 5;
    return unit;
  }

  std::optional<std::string> number() {
    const std::size_t begin = at_;
    bool is_integer = true;
    take('-');
    if (!is_digit(peek())) return "expected a digit, got " + here();
    if (!take('0')) {
      skip_digits();
    } else if (is_digit(peek())) {
      at_ = begin;
      return "a number may not begin with 0";
    }
    if (take('.')) {
      is_integer = false;
      if (!is_digit(peek())) return "expected a digit after the decimal point, got " + here();
      skip_digits();
    }
    if (take('e') || take('E')) {
      is_integer = false;
      if (!take('+')) take('-');
      if (!is_digit(peek())) return "expected a digit in the exponent, got " + here();
      skip_digits();
    }
    if (std::isalpha(static_cast<unsigned char>(peek())) != 0) return "expected the number to end, got " + here();
    const std::string digits(text_.substr(begin, at_ - begin));
    const bool fits = is_integer ? fits_64_bits(digits) : std::isfinite(std::strtod(digits.c_str(), nullptr));
    if (!fits) {
      at_ = begin;
      constexpr std::size_t kShown = 40;
      return fmt::format("the number {}{} is out of range", digits.substr(0, kShown),
                         digits.size() > kShown ? "..." : "");
    }
    return std::nullopt;
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  void skip_digits() {
    while (is_digit(peek())) ++at_;
  }
  static bool fits_64_bits(const std::string& digits) {
    std::int64_t as_signed;
    std::uint64_t as_unsigned;
    const char* end = digits.data() + digits.size();
    return std::from_chars(digits.data(), end, as_signed).ec == std::errc() ||
           std::from_chars(digits.data(), end, as_unsigned).ec == std::errc();
  }

  struct Open {
    bool is_list;
    bool is_empty;
  };
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
};

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (!kNeedsEscape[c]) continue;
    if (c == 0xE2) {
      const bool is_separator = text.substr(i, 2) == kLineSeparatorPrefix && i + 2 < text.size() &&
                                (text[i + 2] == '\xA8' || text[i + 2] == '\xA9');
      if (!is_separator) continue;
      out.append(text, copied, i - copied);
      out += text[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
      copied = i + 1;
      continue;
    }
    out.append(text, copied, i - copied);
    copied = i + 1;
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        out += "\\u00";
        out += kHexDigits[c >> 4];
        out += kHexDigits[c & 15];
    }
  }
  out.append(text, copied);
  out += '"';
}

void append_json_number(std::string& out, double value) {
  const Digits digits = shortest_digits(value, false);
  if (digits.negative) out += '-';
  const double magnitude = std::fabs(value);
  if (magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21)) {
    append_scientific(out, digits, digits.point - 1 < 0 ? 1 : 2);
  } else {
    append_fixed(out, digits);
  }
}

void append_shortest_number(std::string& out, double value, bool single) {
  const Digits digits = shortest_digits(value, single);
  if (digits.negative) out += '-';
  const int exponent = digits.point - 1;
  if (exponent < -4 || exponent >= 6) {
    append_scientific(out, digits, 2);
  } else {
    append_fixed(out, digits);
  }
}

std::string indent_json(std::string_view json, int indent) {
  std::string out;
  out.reserve(json.size() * 2);
  int depth = 0;
  const auto new_line = [&] {
    out += '\n';
    out.append(static_cast<std::size_t>(depth) * indent, ' ');
  };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    switch (c) {
      case ' ':
      case '\t':
      case '\n':
      case '\r': break;
      case '"': {
        const std::size_t begin = i++;
        while (json[i] != '"') i += json[i] == '\\' ? 2 : 1;
        out.append(json, begin, i + 1 - begin);
        break;
      }
      case '{':
      case '[':
        out += c;
        if (i + 1 < json.size() && (json[i + 1] == '}' || json[i + 1] == ']')) {
          out += json[++i];
        } else {
          ++depth;
          new_line();
        }
        break;
      case '}':
      case ']':
        --depth;
        new_line();
        out += c;
        break;
      case ',':
        out += c;
        new_line();
        break;
      case ':': out += ": "; break;
      default: out += c;
    }
  }
  return out;
}

Problem find_json_error(std::string_view text, std::string_view nothing_found) {
  JsonSyntax syntax(text);
  std::optional<std::string> reason = syntax.check();
  std::size_t at = syntax.at();
  const auto invalid = first_invalid_utf8(text);
  // A string without an end is reported where it begins; the cause lies further on if bytes are broken there.
  if (invalid && (!reason || *invalid <= at || text[at] == '"')) {
    reason = fmt::format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text[*invalid]));
    at = *invalid;
  }
  if (!reason) return Problem{Error(std::string(nothing_found))};
  const std::string_view before = text.substr(0, at);
  const std::size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  Problem problem{Error(*std::move(reason))};
  problem.line = static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1);
  problem.column = static_cast<std::uint32_t>(std::ranges::count_if(before.substr(line_begin), is_first_byte) + 1);
  return problem;
}

std::size_t json_value_length(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          if (text[i] == '\\') ++i;
        }
        if (depth == 0) return std::min(i + 1, text.size());
        break;
      case '{':
      case '[': ++depth; break;
      case '}':
      case ']':
        if (depth <= 1) return i + 1;
        --depth;
        break;
      default: break;
    }
  }
  return text.size();
}

}  // namespace berth::codec
