// The writing half of yaml.h: the text that sigs.k8s.io/yaml's Marshal gives, byte for byte, because people compare the
// two. It goes the same way: the object becomes JSON, and the JSON's values are written as YAML by goyaml's rules,
// which are old (long lines are folded at 80 columns, keys are in a natural order, characters above U+FFFF are
// escaped).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "berth/codec/json.h"
#include "berth/codec/json_text.h"
#include "berth/codec/yaml.h"
#include "berth/codec/yaml_parser.h"
#include "berth/codec/yaml_scalar.h"
#include "berth/codec/yaml_tree.h"

namespace berth::codec {
namespace {

constexpr int kIndent = 2;
// A line is folded at the first blank behind this column.
constexpr int kWidth = 80;
// Longer keys are written as "? key".
constexpr std::size_t kMaxSimpleKey = 128;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::size_t width_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

char32_t decode_at(std::string_view text, std::size_t at) {
  const std::size_t width = width_of(text[at]);
  if (width == 1) return static_cast<unsigned char>(text[at]);
  char32_t code = static_cast<unsigned char>(text[at]) & (0x7F >> width);
  for (std::size_t i = 1; i < width; ++i) code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3F);
  return code;
}

bool is_break(char32_t c) {
  return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_printable(char32_t c) {
  return c == '\n' || (c >= 0x20 && c <= 0x7E) || (c >= 0xA0 && c <= 0xFFFD && c != 0xFEFF);
}

// ---- The order of keys ----

// Close to Go's unicode.IsLetter: outside of ASCII by whole ranges. Names in Kubernetes are ASCII.
bool is_letter(char32_t c) {
  if (c < 0x80) return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
  const bool is_symbol =
      c < 0xC0 || c == 0xD7 || c == 0xF7 || (c >= 0x2000 && c < 0x2C00) || (c >= 0xE000 && c < 0xF900) || c >= 0xFFF0;
  return !is_symbol;
}
bool is_digit(char32_t c) {
  return c >= '0' && c <= '9';
}

// Letters come after everything else, and runs of digits compare as numbers: "a2" is before "a10".
bool is_key_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  if (i == a.size() || i == b.size()) return a.size() < b.size();
  while (i > 0 && (static_cast<unsigned char>(a[i]) & 0xC0) == 0x80) --i;
  const char32_t first = decode_at(a, i);
  const char32_t second = decode_at(b, i);
  if (is_letter(first) && is_letter(second)) return first < second;
  if (is_letter(first) || is_letter(second)) return is_letter(second);
  // Zeros in front of a number count only behind another digit.
  std::uint64_t prefix = 0;
  if (first == '0' || second == '0') {
    for (std::size_t k = i; k > 0 && is_digit(a[k - 1]); --k) {
      if (a[k - 1] != '0') {
        prefix = 1;
        break;
      }
    }
  }
  const auto number_at = [i, prefix](std::string_view text) {
    std::pair<std::uint64_t, std::size_t> number{prefix, i};
    for (; number.second < text.size() && is_digit(text[number.second]); ++number.second) {
      number.first = number.first * 10 + static_cast<std::uint64_t>(text[number.second] - '0');
    }
    return number;
  };
  const auto [first_number, first_end] = number_at(a);
  const auto [second_number, second_end] = number_at(b);
  if (first_number != second_number) {
    return static_cast<std::int64_t>(first_number) < static_cast<std::int64_t>(second_number);
  }
  if (first_end != second_end) return first_end < second_end;
  return first < second;
}

// ---- Scalars ----

enum class Style { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral };

// What a text allows, by the rules of the YAML emitter that goyaml is built on.
struct Analysis {
  bool is_multiline = false;
  bool allows_plain = true;
  bool allows_single_quotes = true;
  bool allows_literal = true;
};

Analysis analyze(std::string_view text) {
  Analysis analysis;
  if (text.empty()) {
    analysis.allows_literal = false;
    return analysis;
  }
  bool has_indicator = text.starts_with("---") || text.starts_with("...");
  bool has_special = false;
  bool has_space_before_break = false;
  bool has_space_after_break = false;
  bool was_space = false;
  bool was_break = false;
  bool follows_blank = true;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = decode_at(text, i);
    const std::size_t next = i + width_of(text[i]);
    const bool precedes_blank = next >= text.size() || text[next] == ' ' || text[next] == '\t';
    constexpr std::string_view kNeverFirst = "#,[]{}&*!|>'\"%@`";
    if (i == 0) {
      const bool is_never_first = c < 0x80 && kNeverFirst.find(static_cast<char>(c)) != std::string_view::npos;
      has_indicator |= is_never_first || ((c == '?' || c == ':' || c == '-') && precedes_blank);
    } else {
      has_indicator |= (c == ':' && precedes_blank) || (c == '#' && follows_blank);
    }
    has_special |= !is_printable(c);
    if (c == ' ') {
      has_space_after_break |= was_break;
    } else if (is_break(c)) {
      analysis.is_multiline = true;
      has_space_before_break |= was_space;
    }
    was_space = c == ' ';
    was_break = is_break(c);
    follows_blank = c == ' ' || c == '\t' || c == 0 || is_break(c);
    i = next;
  }
  const char32_t first = decode_at(text, 0);
  const bool is_surrounded = first == ' ' || is_break(first) || was_space || was_break;
  analysis.allows_plain = !is_surrounded && !has_space_after_break && !has_space_before_break && !has_special &&
                          !analysis.is_multiline && !has_indicator;
  analysis.allows_single_quotes = !has_space_after_break && !has_space_before_break && !has_special;
  analysis.allows_literal = !was_space && !has_space_before_break && !has_special;
  return analysis;
}

Style style_of(std::string_view text, const Analysis& analysis, bool is_simple_key) {
  Style style = text.find('\n') != std::string_view::npos ? Style::kLiteral
                : needs_yaml_quotes(text)                 ? Style::kDoubleQuoted
                                                          : Style::kPlain;
  // Berth's own addition: goyaml writes the key << plain and reads it back as a merge.
  if (is_simple_key && (analysis.is_multiline || text == "<<")) style = Style::kDoubleQuoted;
  if (style == Style::kPlain && !analysis.allows_plain) style = Style::kSingleQuoted;
  if (style == Style::kSingleQuoted && !analysis.allows_single_quotes) style = Style::kDoubleQuoted;
  if (style == Style::kLiteral && (!analysis.allows_literal || is_simple_key)) style = Style::kDoubleQuoted;
  return style;
}

// Writes YAML to the end of a text and knows the column, which decides where lines are folded.
class YamlOutput {
 public:
  std::string take() { return std::move(out_); }

  // Begins a new line with this indentation, unless it has just begun.
  void indent_to(int indent) {
    if (!is_indented_ || column_ > indent || (column_ == indent && !is_blank_)) line_end();
    while (column_ < indent) put(' ');
    is_blank_ = true;
    is_indented_ = true;
  }
  // "-", "?", ":", "[]". `keeps_indentation`: what follows on this line counts as being in the line's own column.
  void indicator(std::string_view text, bool needs_blank, bool keeps_indentation) {
    if (needs_blank && !is_blank_) put(' ');
    for (const char c : text) put(c);
    is_blank_ = false;
    is_indented_ = is_indented_ && keeps_indentation;
  }
  bool is_indented() const { return is_indented_; }

  void plain(std::string_view text, int indent, bool may_fold) {
    if (!is_blank_) put(' ');
    bool was_space = false;
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] == ' ') {
        const bool folds = may_fold && !was_space && column_ > kWidth && !has_space_at(text, i + 1);
        if (folds) {
          indent_to(indent);
          ++i;
        } else {
          copy(text, i);
        }
        was_space = true;
      } else {
        copy(text, i);
        is_indented_ = false;
        was_space = false;
      }
    }
    is_blank_ = false;
    is_indented_ = false;
  }

  void single_quoted(std::string_view text, int indent, bool may_fold) {
    indicator("'", true, false);
    bool was_space = false;
    bool was_break = false;
    for (std::size_t i = 0; i < text.size();) {
      const char32_t c = decode_at(text, i);
      if (c == ' ') {
        const bool folds =
            may_fold && !was_space && column_ > kWidth && i > 0 && i + 1 < text.size() && !has_space_at(text, i + 1);
        if (folds) {
          indent_to(indent);
          ++i;
        } else {
          copy(text, i);
        }
        was_space = true;
      } else if (is_break(c)) {
        if (!was_break && c == '\n') line_end();
        copy_break(text, i);
        is_indented_ = true;
        was_break = true;
      } else {
        if (was_break) indent_to(indent);
        if (c == '\'') put('\'');
        copy(text, i);
        is_indented_ = false;
        was_space = false;
        was_break = false;
      }
    }
    indicator("'", false, false);
  }

  void double_quoted(std::string_view text, int indent, bool may_fold) {
    indicator("\"", true, false);
    const bool escapes_all = text.starts_with(kByteOrderMark);
    bool was_space = false;
    for (std::size_t i = 0; i < text.size();) {
      const char32_t c = decode_at(text, i);
      if (escapes_all || !is_printable(c) || is_break(c) || c == '"' || c == '\\') {
        escape(c);
        i += width_of(text[i]);
        was_space = false;
      } else if (c == ' ') {
        if (may_fold && !was_space && column_ > kWidth && i > 0 && i + 1 < text.size()) {
          indent_to(indent);
          if (has_space_at(text, i + 1)) put('\\');
          ++i;
        } else {
          copy(text, i);
        }
        was_space = true;
      } else {
        copy(text, i);
        was_space = false;
      }
    }
    indicator("\"", false, false);
    is_indented_ = false;
  }

  void literal(std::string_view text, int indent) {
    indicator("|", true, false);
    const char32_t first = decode_at(text, 0);
    if (first == ' ' || is_break(first)) indicator("2", false, false);
    const std::size_t last = last_character(text, text.size());
    if (!is_break(decode_at(text, last))) {
      indicator("-", false, false);
    } else if (last == 0 || is_break(decode_at(text, last_character(text, last)))) {
      indicator("+", false, false);
    }
    line_end();
    is_indented_ = true;
    is_blank_ = true;
    bool was_break = true;
    for (std::size_t i = 0; i < text.size();) {
      if (is_break(decode_at(text, i))) {
        copy_break(text, i);
        is_indented_ = true;
        was_break = true;
      } else {
        if (was_break) indent_to(indent);
        copy(text, i);
        is_indented_ = false;
        was_break = false;
      }
    }
  }

 private:
  static bool has_space_at(std::string_view text, std::size_t i) { return i < text.size() && text[i] == ' '; }
  static std::size_t last_character(std::string_view text, std::size_t end) {
    --end;
    while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return end;
  }

  void put(char c) {
    out_ += c;
    ++column_;
  }
  void line_end() {
    out_ += '\n';
    column_ = 0;
  }
  void copy(std::string_view text, std::size_t& i) {
    const std::size_t width = width_of(text[i]);
    out_.append(text, i, width);
    ++column_;
    i += width;
  }
  void copy_break(std::string_view text, std::size_t& i) {
    copy(text, i);
    column_ = 0;
  }
  void escape(char32_t c) {
    put('\\');
    switch (c) {
      case 0x00: return put('0');
      case 0x07: return put('a');
      case 0x08: return put('b');
      case 0x09: return put('t');
      case 0x0A: return put('n');
      case 0x0B: return put('v');
      case 0x0C: return put('f');
      case 0x0D: return put('r');
      case 0x1B: return put('e');
      case '"': return put('"');
      case '\\': return put('\\');
      case 0x85: return put('N');
      case 0xA0: return put('_');
      case 0x2028: return put('L');
      case 0x2029: return put('P');
      default: break;
    }
    const std::string code = c <= 0xFF     ? fmt::format("x{:02X}", static_cast<std::uint32_t>(c))
                             : c <= 0xFFFF ? fmt::format("u{:04X}", static_cast<std::uint32_t>(c))
                                           : fmt::format("U{:08X}", static_cast<std::uint32_t>(c));
    for (const char digit : code) put(digit);
  }

  std::string out_;
  int column_ = 0;
  bool is_blank_ = true;     // what stands last is a blank or a line end
  bool is_indented_ = true;  // nothing but indentation and "- " stands on the line
};

// ---- Values ----

class YamlWriter {
 public:
  std::string write(const YamlNode& root) {
    value(root, -1, Context::kRoot);
    text_.indent_to(0);
    return text_.take();
  }

 private:
  enum class Context { kRoot, kListEntry, kMapValue };

  // `indent` is that of the collection around the value.
  void value(const YamlNode& node, int indent, Context context) {
    switch (node.kind()) {
      case NodeKind::kNull: return text_.plain("null", indent, false);
      case NodeKind::kBool: return text_.plain(node.boolean() ? "true" : "false", indent, false);
      case NodeKind::kInteger: return text_.plain(std::to_string(node.integer()), indent, false);
      case NodeKind::kBigInteger: return text_.plain(std::to_string(node.big_integer()), indent, false);
      case NodeKind::kReal: return text_.plain(number(node.real()), indent, false);
      case NodeKind::kString: return scalar(node.string(), indent, false);
      case NodeKind::kList: return list(node, indent, context);
      case NodeKind::kMap: return map(node, indent);
    }
  }

  static std::string number(double value) {
    std::string text;
    append_shortest_number(text, value);
    return text;
  }

  void scalar(std::string_view text, int indent, bool is_simple_key) {
    // Further lines of a scalar stand one level deeper than the collection it is in.
    const int inner = std::max(indent, 0) + kIndent;
    const Analysis analysis = analyze(text);
    switch (style_of(text, analysis, is_simple_key)) {
      case Style::kPlain: return text_.plain(text, inner, !is_simple_key);
      case Style::kSingleQuoted: return text_.single_quoted(text, inner, !is_simple_key);
      case Style::kDoubleQuoted: return text_.double_quoted(text, inner, !is_simple_key);
      case Style::kLiteral: return text_.literal(text, inner);
    }
  }

  void list(const YamlNode& node, int indent, Context context) {
    bool is_empty = true;
    // A list stands in the column of its key.
    const bool is_aligned = context == Context::kMapValue && !text_.is_indented();
    const int inner = indent < 0 ? 0 : is_aligned ? indent : indent + kIndent;
    node.each_element([&](const YamlNode& element) {
      is_empty = false;
      text_.indent_to(inner);
      text_.indicator("-", true, true);
      value(element, inner, Context::kListEntry);
      return true;
    });
    if (is_empty) text_.indicator("[]", true, false);
  }

  void map(const YamlNode& node, int indent) {
    std::vector<std::pair<std::string_view, YamlNode>> members;
    node.each_member([&members](std::string_view key, const YamlNode& member) {
      members.emplace_back(key, member);
      return true;
    });
    if (members.empty()) return text_.indicator("{}", true, false);
    std::ranges::sort(members, is_key_less, [](const auto& member) { return member.first; });
    const int inner = indent < 0 ? 0 : indent + kIndent;
    for (const auto& [key, member] : members) {
      text_.indent_to(inner);
      const bool is_simple = key.size() <= kMaxSimpleKey && !analyze(key).is_multiline;
      if (is_simple) {
        scalar(key, inner, true);
        text_.indicator(":", false, false);
      } else {
        text_.indicator("?", true, true);
        scalar(key, inner, false);
        text_.indent_to(inner);
        text_.indicator(":", true, true);
      }
      value(member, inner, Context::kMapValue);
    }
  }

  YamlOutput text_;
};

std::string yaml_of(std::string json) {
  YamlDocuments documents(json, {.keep_reals = true});
  YamlTree tree;
  if (documents.next(tree) == YamlDocuments::Next::kDocument) return YamlWriter().write(YamlNode(tree, tree.root));
  // null, or raw JSON that is none: it came from outside and is passed on as it is.
  return json + "\n";
}

}  // namespace

std::string to_yaml(const api::Type& type, const void* value) {
  return yaml_of(to_json(type, value));
}

std::string object_to_yaml(const api::AnyObject& object) {
  return yaml_of(object_to_json(object));
}

}  // namespace berth::codec
