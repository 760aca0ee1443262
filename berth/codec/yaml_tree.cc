#include "berth/codec/yaml_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "berth/base/utf8.h"
#include "berth/codec/json_text.h"
#include "berth/codec/yaml_scalar.h"

namespace berth::codec {

namespace {

// Aliases in documents that stay below this size are never too many.
constexpr std::size_t kSmallDocumentNodes = 10'000;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_flow_indicator(char c) { return c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '?'; }

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

void YamlNode::append_json(std::string& out) const {
  switch (kind()) {
    case NodeKind::kNull: out += "null"; return;
    case NodeKind::kBool: out += boolean() ? "true" : "false"; return;
    case NodeKind::kInteger: fmt::format_to(std::back_inserter(out), "{}", integer()); return;
    case NodeKind::kBigInteger: fmt::format_to(std::back_inserter(out), "{}", big_integer()); return;
    case NodeKind::kReal: append_json_number(out, real()); return;
    case NodeKind::kString: append_json_string(out, string()); return;
    case NodeKind::kList: {
      char separator = '[';
      each_element([&](const YamlNode& element) {
        out += std::exchange(separator, ',');
        element.append_json(out);
        return true;
      });
      out += separator == '[' ? "[]" : "]";
      return;
    }
    case NodeKind::kMap: {
      char separator = '{';
      each_member([&](std::string_view key, const YamlNode& element) {
        out += std::exchange(separator, ',');
        append_json_string(out, key);
        out += ':';
        element.append_json(out);
        return true;
      });
      out += separator == '{' ? "{}" : "}";
      return;
    }
  }
}

// A recursive descent over the text. Each parse_ function begins at its first character and leaves at_ behind its last;
// it returns false after fail(), which keeps the first problem.
//
// Indentation: `indent` is the column of the block collection that a value belongs to, -1 for the document; the value's
// own lines have to stand further right.
class YamlDocuments::Parser {
 public:
  Parser(std::string_view text, Options options) : options_(options) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (text.find('\r') != std::string_view::npos) {
      with_unix_line_ends_.reserve(text.size());
      for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_half_of_crlf = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
        if (!is_half_of_crlf) with_unix_line_ends_ += text[i] == '\r' ? '\n' : text[i];
      }
      text = with_unix_line_ends_;
    }
    begin_ = line_begin_ = at_ = text.data();
    end_ = begin_ + text.size();
  }

  Next next(YamlTree& tree) {
    if (!is_checked_ && !check_characters()) return Next::kError;
    while (true) {
      tree = YamlTree();
      tree_ = &tree;
      anchors_.clear();
      pending_.clear();
      depth_ = flow_depth_ = height_ = 0;
      expanded_nodes_ = 0;
      bool has_content = false;
      if (!start_document(has_content)) {
        if (!has_failed_) return Next::kEnd;
        recover();
        return Next::kError;
      }
      if (!has_content) continue;
      if (!parse_document()) {
        recover();
        return Next::kError;
      }
      if (tree.value(tree.root).kind == NodeKind::kNull) continue;
      return Next::kDocument;
    }
  }

  Problem take_problem() {
    has_failed_ = false;
    return std::move(problem_);
  }

 private:
  using Index = std::uint32_t;

  // A value or key before it is put into the tree.
  struct Properties {
    std::string_view anchor;
    std::string_view tag;
    const char* at = nullptr;
    bool empty() const { return anchor.data() == nullptr && tag.data() == nullptr; }
  };
  struct Scalar {
    std::string_view text;
    bool is_plain = false;
    std::uint32_t line = 0;
    bool is_one_line = true;
  };
  struct Anchor {
    Index value;
    bool is_open;
    std::size_t nodes;
    int height;
  };
  // What was counted before a list or map began.
  struct Collection {
    std::size_t nodes_before = 0;
    int height_before = 0;
  };
  // An element or member of a list or map that is being read; lists have no keys.
  struct Pending {
    YamlTree::Member member;
    bool is_merge = false;
  };

  // ---- Characters ----

  bool at_end() const { return at_ == end_; }
  char peek(std::size_t ahead = 0) const {
    return static_cast<std::size_t>(end_ - at_) > ahead ? at_[ahead] : '\0';
  }
  bool is_blank_or_end(std::size_t ahead) const {
    if (static_cast<std::size_t>(end_ - at_) <= ahead) return true;
    return is_blank(at_[ahead]) || at_[ahead] == '\n';
  }
  int column() const { return static_cast<int>(std::min<std::ptrdiff_t>(at_ - line_begin_, 1 << 30)); }
  void next_line() {  // at_ is on a line end
    ++at_;
    ++line_;
    line_begin_ = at_;
  }
  void skip_blanks() {
    while (!at_end() && is_blank(*at_)) ++at_;
  }
  bool at_document_marker() const {
    return at_ == line_begin_ && end_ - at_ >= 3 && (at_[0] == '-' || at_[0] == '.') && at_[1] == at_[0] &&
           at_[2] == at_[0] && is_blank_or_end(3);
  }

  bool fail(std::string what, const char* at = nullptr) {
    if (has_failed_) return false;
    has_failed_ = true;
    if (at == nullptr) at = at_;
    problem_ = Problem{Error(std::move(what)), line_, 0};
    // A place on an earlier line has no column: the line says enough.
    if (at >= line_begin_) {
      const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
      problem_.column = static_cast<std::uint32_t>(std::count_if(line_begin_, at, is_first_byte) + 1);
    }
    return false;
  }

  std::string here() const {
    if (at_end()) return "the end of the text";
    if (*at_ == '\n') return "the end of the line";
    const auto c = static_cast<unsigned char>(*at_);
    return c < 0x20 || c >= 0x7F ? fmt::format("byte 0x{:02x}", c) : fmt::format("'{}'", *at_);
  }

  // Control characters and broken UTF-8 are no part of YAML.
  bool check_characters() {
    is_checked_ = true;
    const std::string_view text(begin_, end_ - begin_);
    if (text.size() > kMaxDocumentBytes) {
      fail(fmt::format("the document is larger than {} bytes", kMaxDocumentBytes));
      at_ = end_;
      return false;
    }
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n'; };
    const std::size_t invalid = first_invalid_utf8(text).value_or(text.size());
    const std::size_t control = std::find_if(text.begin(), text.begin() + invalid, is_control) - text.begin();
    if (control == text.size()) return true;
    line_ += static_cast<std::uint32_t>(std::ranges::count(text.substr(0, control), '\n'));
    line_begin_ = begin_ + (text.substr(0, control).rfind('\n') + 1);
    const auto byte = static_cast<unsigned char>(text[control]);
    fail(control == invalid ? fmt::format("byte 0x{:02x} is not UTF-8", byte)
                            : fmt::format("the control character 0x{:02x} is not allowed", byte),
         begin_ + control);
    at_ = end_;
    return false;
  }

  // Moves to the next character that means something, over blanks, comments and line ends. Gives whether a line end was
  // crossed. Stops at document markers; see at_document_marker().
  bool skip_to_content() {
    bool crossed = false;
    while (true) {
      while (!at_end() && *at_ == ' ') ++at_;
      // Tabs may stand between words, but not where they would count as indentation.
      if (!at_end() && *at_ == '\t') {
        const char* tab = at_;
        skip_blanks();
        const bool is_indentation =
            flow_depth_ == 0 && !at_end() && *at_ != '\n' && *at_ != '#' && line_begins_at(tab);
        if (is_indentation) {
          at_ = tab;
          return crossed;
        }
      }
      if (!at_end() && *at_ == '#' && (at_ == line_begin_ || is_blank(at_[-1]))) {
        while (!at_end() && *at_ != '\n') ++at_;
      }
      if (at_end() || *at_ != '\n') return crossed;
      next_line();
      crossed = true;
      if (at_document_marker()) return crossed;
    }
  }
  bool at_end_of_document() const { return at_end() || at_document_marker(); }

  // ---- Documents ----

  // Moves to the content of the next document. False at the end of the text, or after an error.
  bool start_document(bool& has_content) {
    keys_allowed_at_start_ = true;
    bool has_directive = false;
    while (true) {
      if (!at_document_marker()) skip_to_content();
      if (at_end()) return has_directive ? fail("expected \"---\" after a directive") : false;
      if (at_ == line_begin_ && *at_ == '%') {
        if (std::string_view(at_, end_ - at_).starts_with("%TAG")) return fail("%TAG is not supported");
        has_directive = true;
        while (!at_end() && *at_ != '\n') ++at_;
        continue;
      }
      if (!at_document_marker()) {
        if (has_directive) return fail("expected \"---\" after a directive");
        has_content = true;
        return true;
      }
      const bool is_start = *at_ == '-';
      at_ += 3;
      if (!is_start) {
        skip_to_content();
        continue;
      }
      keys_allowed_at_start_ = skip_to_content();
      has_content = !at_end_of_document();
      return has_content || !at_end();
    }
  }

  bool parse_document() {
    if (!parse_block_value(-1, false, keys_allowed_at_start_, tree_->root)) return false;
    skip_to_content();
    if (at_end_of_document()) return check_growth();
    return fail("expected the end of the document, got " + here());
  }

  // Goes to the next "---", so that an error in one document leaves the others readable.
  void recover() {
    while (!at_end()) {
      if (*at_ == '\n') {
        next_line();
        if (at_document_marker()) return;
      } else {
        const void* line_end = std::memchr(at_, '\n', end_ - at_);
        at_ = line_end == nullptr ? end_ : static_cast<const char*>(line_end);
      }
    }
  }

  // ---- Block style ----

  bool at_list_entry() const { return peek() == '-' && is_blank_or_end(1); }
  bool at_explicit_key() const { return peek() == '?' && is_blank_or_end(1); }
  bool at_map_value() const { return peek() == ':' && is_blank_or_end(1); }

  // The value behind a "- ", a "key:" or "---". `list_may_align`: a list may begin in the column of its key.
  // `keys_allowed`: the value may be a map that begins on this very line.
  bool parse_block_value(int indent, bool list_may_align, bool keys_allowed, Index& result) {
    Properties outer;  // on a line before the content: of the whole value
    Properties inner;  // on the line of the content: of the first key, if there is one
    const std::uint32_t first_line = line_;
    while (true) {
      const bool crossed = skip_to_content();
      if (crossed) {
        keys_allowed = true;
        if (!inner.empty()) {
          if (!outer.empty()) return fail("a value may have one anchor and one tag");
          outer = std::exchange(inner, Properties());
        }
      }
      const bool is_list = at_list_entry();
      const bool is_outside = at_end_of_document() ||
                              (line_begins_here() && column() <= indent &&
                               !(list_may_align && is_list && column() == indent));
      if (is_outside) {
        if (!inner.empty()) outer = inner;
        return finish_scalar(Scalar{{}, true, first_line}, outer, result);
      }
      if (peek() != '&' && peek() != '!') break;
      if (inner.at == nullptr) inner.at = at_;
      if (!parse_property(inner)) return false;
    }
    if (peek() == '\t') return fail("a tab may not be used for indentation");
    const int start_column = inner.at != nullptr ? static_cast<int>(inner.at - line_begin_) : column();
    if (at_list_entry()) {
      if (!inner.empty()) return fail("expected a value, got a list entry");
      if (!keys_allowed) return fail("a list may not begin on the line of its key");
      return parse_block_list(start_column, outer, result);
    }
    if (at_explicit_key()) {
      if (!keys_allowed || !inner.empty()) return fail("a map may not begin here");
      return parse_block_map(start_column, outer, nullptr, result);
    }
    if (peek() == '|' || peek() == '>') {
      Scalar scalar;
      if (!merge_properties(outer, inner) || !parse_block_scalar(indent, scalar)) return false;
      return finish_scalar(scalar, outer, result);
    }
    return parse_block_atom(indent, keys_allowed, start_column, outer, inner, result);
  }

  // A scalar, alias or flow collection; or, if a ':' follows, the map that it is the first key of.
  bool parse_block_atom(int indent, bool keys_allowed, int start_column, Properties& outer, Properties& inner,
                        Index& result) {
    const std::uint32_t line = line_;
    const bool is_flow = peek() == '[' || peek() == '{';
    Index value = 0;
    Scalar scalar;
    if (peek() == '*') {
      if (!inner.empty() || !outer.empty()) return fail("an alias may have no anchor and no tag");
      if (!parse_alias(value)) return false;
      scalar.line = line;
    } else if (is_flow) {
      if (!merge_properties(outer, inner) || !parse_flow_collection(outer, value)) return false;
    } else if (!parse_flow_scalar(indent, scalar)) {
      return false;
    }
    const bool is_alias = !is_flow && scalar.text.data() == nullptr;
    const char* behind = at_;
    if (line_ == line) skip_blanks();
    if (line_ == line && at_map_value()) {
      if (!keys_allowed) return fail("a map may not begin here: \"key: value\" within a value has to be quoted");
      if (is_flow) return fail("a list or an object cannot be a key");
      if (is_alias && !alias_as_key(value, scalar)) return false;
      YamlTree::Member key;
      bool is_merge = false;
      if (!finish_key(scalar, is_alias ? Properties() : inner, key, is_merge)) return false;
      const Pending first{key, is_merge};
      return parse_block_map(start_column, outer, &first, result);
    }
    at_ = behind;
    if (is_flow || is_alias) {
      result = value;
      return true;
    }
    return merge_properties(outer, inner) && finish_scalar(scalar, outer, result);
  }

  bool parse_block_list(int list_column, const Properties& properties, Index& result) {
    const std::uint32_t line = line_;
    const std::size_t first = pending_.size();
    Collection collection;
    if (!open_collection(properties, collection)) return false;
    while (true) {
      ++at_;
      Index value = 0;
      if (!parse_block_value(list_column, false, true, value)) return false;
      pending_.push_back(Pending{{nullptr, 0, value}});
      if (!next_block_entry(list_column)) return false;
      if (at_end_of_document() || column() < list_column || !at_list_entry()) break;
    }
    result = add_list(first, line);
    close_collection(properties, collection, result);
    return true;
  }

  // `first` is the first key, if it has been read already; at_ is then on its ':'.
  bool parse_block_map(int map_column, const Properties& properties, const Pending* first_key, Index& result) {
    const std::uint32_t line = line_;
    const std::size_t first = pending_.size();
    Collection collection;
    if (!open_collection(properties, collection)) return false;
    while (true) {
      Pending entry;
      if (first_key != nullptr) {
        entry = *std::exchange(first_key, nullptr);
        ++at_;
        if (!parse_block_value(map_column, true, false, entry.member.value)) return false;
      } else if (at_explicit_key()) {
        if (!parse_explicit_entry(map_column, entry)) return false;
      } else {
        if (!parse_block_key(entry)) return false;
        ++at_;
        if (!parse_block_value(map_column, true, false, entry.member.value)) return false;
      }
      pending_.push_back(entry);
      if (!next_block_entry(map_column)) return false;
      if (at_end_of_document() || column() < map_column) break;
    }
    if (!add_map(first, line, result)) return false;
    close_collection(properties, collection, result);
    return true;
  }

  // Behind an entry: the next one stands in the same column on a line of its own, or the collection ends.
  bool next_block_entry(int entry_column) {
    skip_to_content();
    if (at_end_of_document()) return true;
    if (peek() == '\t') return fail("a tab may not be used for indentation");
    if (!line_begins_here()) return fail(fmt::format("expected the end of the line, got {}", here()));
    if (column() > entry_column) {
      return fail(fmt::format("expected column {}, as the entries before, or less", entry_column + 1));
    }
    return true;
  }
  bool line_begins_at(const char* at) const {
    return std::all_of(line_begin_, at, [](char c) { return c == ' '; });
  }
  bool line_begins_here() const { return line_begins_at(at_); }

  bool parse_block_key(Pending& entry) {
    Properties properties;
    const std::uint32_t line = line_;
    while (peek() == '&' || peek() == '!') {
      if (!parse_property(properties)) return false;
      skip_blanks();
    }
    Scalar scalar;
    if (at_list_entry()) return fail("expected a key, got a list entry");
    if (peek() == '[' || peek() == '{') return fail("a list or an object cannot be a key");
    if (peek() == '|' || peek() == '>') return fail("expected a key, got a block of text");
    if (peek() == '*') {
      Index value = 0;
      if (!properties.empty()) return fail("an alias may have no anchor and no tag");
      if (!parse_alias(value) || !alias_as_key(value, scalar)) return false;
    } else if (!parse_flow_scalar(kKeyOnly, scalar)) {
      return false;
    }
    if (line_ == line) skip_blanks();
    if (line_ != line || !at_map_value()) return fail("expected ':' after the key");
    return finish_key(scalar, properties, entry.member, entry.is_merge);
  }

  // "? key" and, on a later line, ": value".
  bool parse_explicit_entry(int map_column, Pending& entry) {
    ++at_;
    Index key = 0;
    const std::uint32_t line = line_;
    if (!parse_block_value(map_column, false, true, key)) return false;
    Scalar scalar;
    scalar.line = line;
    if (!alias_as_key(key, scalar) || !finish_key(scalar, Properties(), entry.member, entry.is_merge)) return false;
    if (!next_block_entry(map_column)) return false;
    if (!at_end_of_document() && column() == map_column && at_map_value()) {
      ++at_;
      return parse_block_value(map_column, true, true, entry.member.value);
    }
    return finish_scalar(Scalar{{}, true, line}, Properties(), entry.member.value);
  }

  // ---- Flow style ----

  bool parse_flow_collection(const Properties& properties, Index& result) {
    const bool is_list = *at_ == '[';
    const char closing = is_list ? ']' : '}';
    const std::uint32_t line = line_;
    const std::size_t first = pending_.size();
    Collection collection;
    if (!open_collection(properties, collection)) return false;
    ++flow_depth_;
    ++at_;
    while (true) {
      if (!skip_in_flow()) return false;
      if (peek() == closing) break;
      Pending entry;
      if (is_list ? !parse_flow_list_entry(entry) : !parse_flow_map_entry(entry)) return false;
      pending_.push_back(entry);
      if (!skip_in_flow()) return false;
      if (peek() == closing) break;
      if (peek() != ',') return fail(fmt::format("expected ',' or '{}', got {}", closing, here()));
      ++at_;
    }
    ++at_;
    --flow_depth_;
    if (is_list) {
      result = add_list(first, line);
    } else if (!add_map(first, line, result)) {
      return false;
    }
    close_collection(properties, collection, result);
    return true;
  }

  bool skip_in_flow() {
    skip_to_content();
    if (at_end()) return fail("expected ']' or '}', got the end of the text");
    if (at_document_marker()) return fail("expected ']' or '}', got the end of the document");
    return true;
  }

  // A value, or "key: value", which stands for a map of its own.
  bool parse_flow_list_entry(Pending& entry) {
    const std::uint32_t line = line_;
    if (peek() == '?') return parse_flow_pair(entry);
    Scalar scalar;
    Properties properties;
    bool is_scalar = false;
    if (!parse_flow_atom(false, entry.member.value, scalar, properties, is_scalar)) return false;
    if (!skip_in_flow()) return false;
    if (line_ == line && peek() == ':') {
      if (!is_scalar) return fail("a list or an object cannot be a key");
      Pending pair;
      if (!finish_key(scalar, properties, pair.member, pair.is_merge)) return false;
      return parse_flow_pair_value(pair, entry);
    }
    return !is_scalar || finish_scalar(scalar, properties, entry.member.value);
  }

  bool parse_flow_pair(Pending& entry) {
    Pending pair;
    return parse_flow_key(pair) && parse_flow_pair_value(pair, entry);
  }

  bool parse_flow_pair_value(Pending& pair, Pending& entry) {
    const std::size_t first = pending_.size();
    const std::uint32_t line = line_;
    Collection collection;
    if (!open_collection(Properties(), collection) || !parse_flow_value(pair)) return false;
    pending_.push_back(pair);
    if (!add_map(first, line, entry.member.value)) return false;
    close_collection(Properties(), collection, entry.member.value);
    return true;
  }

  bool parse_flow_map_entry(Pending& entry) { return parse_flow_key(entry) && parse_flow_value(entry); }

  bool parse_flow_key(Pending& entry) {
    const bool is_explicit = peek() == '?';
    if (is_explicit) {
      ++at_;
      if (!skip_in_flow()) return false;
    }
    Index value = 0;
    Scalar scalar;
    Properties properties;
    bool is_scalar = false;
    if (!parse_flow_atom(is_explicit, value, scalar, properties, is_scalar)) return false;
    if (!is_scalar && !alias_as_key(value, scalar)) return false;
    return finish_key(scalar, is_scalar ? properties : Properties(), entry.member, entry.is_merge);
  }

  // ": value", or nothing, which is null.
  bool parse_flow_value(Pending& entry) {
    if (!skip_in_flow()) return false;
    if (peek() != ':') return finish_scalar(Scalar{{}, true, line_}, Properties(), entry.member.value);
    ++at_;
    if (!skip_in_flow()) return false;
    Scalar scalar;
    Properties properties;
    bool is_scalar = false;
    if (!parse_flow_atom(true, entry.member.value, scalar, properties, is_scalar)) return false;
    return !is_scalar || finish_scalar(scalar, properties, entry.member.value);
  }

  // What stands between the commas and colons; if that is nothing, an empty scalar.
  bool parse_flow_atom(bool allow_empty, Index& value, Scalar& scalar, Properties& properties, bool& is_scalar) {
    while (peek() == '&' || peek() == '!') {
      if (!parse_property(properties) || !skip_in_flow()) return false;
    }
    is_scalar = false;
    if (peek() == '[' || peek() == '{') return parse_flow_collection(properties, value);
    if (peek() == '*') {
      if (!properties.empty()) return fail("an alias may have no anchor and no tag");
      return parse_alias(value);
    }
    is_scalar = true;
    scalar.line = line_;
    if (is_flow_indicator(peek()) || peek() == ':') {
      const bool may_be_empty = allow_empty || !properties.empty();
      if (!may_be_empty || peek() == '?') return fail("expected a value, got " + here());
      scalar.is_plain = true;
      return true;
    }
    return parse_flow_scalar(-1, scalar);
  }

  // ---- Properties and aliases ----

  bool parse_name(std::string_view& name) {
    const char* begin = ++at_;
    while (!at_end() && (std::isalnum(static_cast<unsigned char>(*at_)) != 0 || *at_ == '_' || *at_ == '-')) ++at_;
    name = std::string_view(begin, at_ - begin);
    constexpr std::string_view kMayFollow = "?:,]}%@`";
    if (name.empty() || !(is_blank_or_end(0) || kMayFollow.find(peek()) != std::string_view::npos)) {
      return fail("the name of an anchor or alias has letters, digits, '-' and '_'");
    }
    return true;
  }

  bool parse_property(Properties& properties) {
    if (properties.at == nullptr) properties.at = at_;
    if (*at_ == '&') {
      if (properties.anchor.data() != nullptr) return fail("a value may have one anchor");
      return parse_name(properties.anchor);
    }
    if (properties.tag.data() != nullptr) return fail("a value may have one tag");
    const char* begin = at_;
    constexpr std::string_view kTagCharacters = "-_;/?:@&=+$.,!~*'()[]%<>#";
    while (!at_end() && (std::isalnum(static_cast<unsigned char>(*at_)) != 0 ||
                         kTagCharacters.find(*at_) != std::string_view::npos)) {
      ++at_;
    }
    if (!is_blank_or_end(0)) return fail("expected a blank after the tag, got " + here());
    properties.tag = std::string_view(begin, at_ - begin);
    return true;
  }

  bool merge_properties(Properties& into, const Properties& from) {
    if (into.empty()) {
      into = from;
      return true;
    }
    if (from.empty()) return true;
    if ((into.anchor.data() != nullptr && from.anchor.data() != nullptr) ||
        (into.tag.data() != nullptr && from.tag.data() != nullptr)) {
      return fail("a value may have one anchor and one tag");
    }
    if (into.anchor.data() == nullptr) into.anchor = from.anchor;
    if (into.tag.data() == nullptr) into.tag = from.tag;
    return true;
  }

  bool parse_alias(Index& value) {
    std::string_view name;
    const char* begin = at_;
    if (!parse_name(name)) return false;
    const auto anchor = anchors_.find(name);
    if (anchor == anchors_.end()) return fail(fmt::format("unknown anchor '{}' referenced", name), begin);
    if (anchor->second.is_open) return fail(fmt::format("anchor '{}' value contains itself", name), begin);
    value = anchor->second.value;
    expanded_nodes_ += anchor->second.nodes;
    height_ = std::max(height_, anchor->second.height);
    if (depth_ + anchor->second.height > kMaxDepth) {
      return fail(fmt::format("nested deeper than {} levels", kMaxDepth), begin);
    }
    return check_growth();
  }

  // Following the aliases must not make a small text into an endless document.
  bool check_growth() {
    const std::size_t in_text = std::max(tree_->values.size(), kSmallDocumentNodes);
    if (expanded_nodes_ > kMaxYamlNodes || expanded_nodes_ / kMaxYamlAliasGrowth > in_text) {
      return fail("document contains excessive aliasing");
    }
    return true;
  }

  // Every list and map is opened before and closed after its content, to keep count of depth, anchors and growth.
  bool open_collection(const Properties& properties, Collection& collection) {
    if (depth_ >= kMaxDepth) return fail(fmt::format("nested deeper than {} levels", kMaxDepth));
    ++depth_;
    if (properties.anchor.data() != nullptr) anchors_[properties.anchor] = Anchor{0, true, 0, 0};
    collection = Collection{expanded_nodes_, std::exchange(height_, 0)};
    return true;
  }
  void close_collection(const Properties& properties, const Collection& collection, Index value) {
    --depth_;
    ++height_;
    if (properties.anchor.data() != nullptr) {
      anchors_[properties.anchor] = Anchor{value, false, expanded_nodes_ - collection.nodes_before, height_};
    }
    height_ = std::max(collection.height_before, height_);
  }

  // ---- Scalars ----

  // For parse_flow_scalar: a key ends with its line.
  static constexpr int kKeyOnly = std::numeric_limits<int>::max();

  // Plain or quoted, in block or flow context.
  bool parse_flow_scalar(int indent, Scalar& scalar) {
    scalar.line = line_;
    bool is_parsed = false;
    switch (peek()) {
      case '\'': is_parsed = parse_single_quoted(scalar); break;
      case '"': is_parsed = parse_double_quoted(scalar); break;
      case '@':
      case '`':
      case '%':
      case ',':
      case ']':
      case '}':
      case '|':
      case '>':
      case '\t': return fail(fmt::format("a value may not begin with {}; quote it", here()));
      case ':':
        if (flow_depth_ == 0 && is_blank_or_end(1)) return fail("expected a key in front of ':'");
        [[fallthrough]];
      default:
        if (at_list_entry()) return fail("a list entry may not stand here");
        is_parsed = parse_plain(indent, scalar);
    }
    scalar.is_one_line = scalar.line == line_;
    return is_parsed;
  }

  // True where a plain scalar ends within a line: at ": ", and in flow context at brackets and commas.
  bool at_end_of_plain() const {
    return (*at_ == ':' && is_blank_or_end(1)) || (flow_depth_ > 0 && is_flow_indicator(*at_));
  }

  // Moves over the words of one line; gives where the last one ends.
  const char* skip_plain_words() {
    const char* words_end = at_;
    while (true) {
      while (!at_end() && !is_blank(*at_) && *at_ != '\n') {
        if (at_end_of_plain()) return words_end;
        ++at_;
        words_end = at_;
      }
      skip_blanks();
      if (at_end() || *at_ == '\n' || *at_ == '#') return words_end;
    }
  }

  bool parse_plain(int indent, Scalar& scalar) {
    scalar.is_plain = true;
    const char* begin = at_;
    const char* words_end = skip_plain_words();
    scalar.text = std::string_view(begin, words_end - begin);
    if (indent == kKeyOnly) {
      at_ = words_end;
      return true;
    }
    // Further lines, as long as they are indented: a line end becomes a blank, empty lines become line ends.
    std::string* folded = nullptr;
    while (!at_end() && *at_ == '\n') {
      const char* line_end = at_;
      const char* saved_line_begin = line_begin_;
      const std::uint32_t saved_line = line_;
      std::size_t breaks = 0;
      bool has_tab_in_indentation = false;
      while (!at_end() && *at_ == '\n') {
        next_line();
        ++breaks;
        if (at_document_marker()) break;
        has_tab_in_indentation = false;
        while (!at_end() && is_blank(*at_)) {
          if (*at_ == '\t' && column() <= indent) has_tab_in_indentation = true;
          ++at_;
        }
      }
      const bool goes_on = !at_end_of_document() && *at_ != '#' && (flow_depth_ > 0 || column() > indent) &&
                           !at_end_of_plain();
      if (goes_on && has_tab_in_indentation) return fail("a tab may not be used for indentation");
      if (!goes_on) {
        at_ = line_end;
        line_ = saved_line;
        line_begin_ = saved_line_begin;
        break;
      }
      if (folded == nullptr) folded = &tree_->texts.emplace_back(scalar.text);
      folded->append(breaks == 1 ? 1 : breaks - 1, breaks == 1 ? ' ' : '\n');
      begin = at_;
      words_end = skip_plain_words();
      folded->append(begin, words_end - begin);
    }
    if (folded != nullptr) scalar.text = *folded;
    at_ = words_end;
    return true;
  }

  bool parse_single_quoted(Scalar& scalar) {
    const char* opening = at_++;
    const std::uint32_t line = line_;
    const char* begin = at_;
    std::string* text = nullptr;
    while (!at_end()) {
      if (*at_ == '\'') {
        if (peek(1) != '\'') {
          finish_quoted(scalar, text, begin);
          return true;
        }
        unquote_up_to_here(text, begin);
        text->push_back('\'');
        at_ += 2;
        begin = at_;
      } else if (*at_ == '\n') {
        unquote_up_to_here(text, begin);
        if (!fold_quoted_lines(*text, 0)) return false;
        begin = at_;
      } else {
        ++at_;
      }
    }
    return fail_without_end(opening, line);
  }

  bool parse_double_quoted(Scalar& scalar) {
    const char* opening = at_++;
    const std::uint32_t line = line_;
    const char* begin = at_;
    std::string* text = nullptr;
    escaped_end_ = 0;
    while (!at_end()) {
      if (*at_ == '"') {
        finish_quoted(scalar, text, begin);
        return true;
      }
      if (*at_ == '\\') {
        unquote_up_to_here(text, begin);
        if (!parse_escape(*text)) return false;
        begin = at_;
      } else if (*at_ == '\n') {
        unquote_up_to_here(text, begin);
        if (!fold_quoted_lines(*text, escaped_end_)) return false;
        escaped_end_ = text->size();
        begin = at_;
      } else {
        ++at_;
      }
    }
    return fail_without_end(opening, line);
  }

  bool fail_without_end(const char* opening, std::uint32_t line) {
    if (has_failed_) return false;
    if (line != line_) return fail(fmt::format("the string that begins on line {} has no end", line));
    return fail("the string that begins here has no end", opening);
  }

  void unquote_up_to_here(std::string*& text, const char* begin) {
    if (text == nullptr) text = &tree_->texts.emplace_back();
    text->append(begin, at_ - begin);
  }

  void finish_quoted(Scalar& scalar, std::string* text, const char* begin) {
    if (text != nullptr) {
      text->append(begin, at_ - begin);
      scalar.text = *text;
    } else {
      scalar.text = std::string_view(begin, at_ - begin);
    }
    ++at_;
  }

  // at_ is on a line end within quotes. Blanks around line ends do not count; one line end is a blank, more are line ends.
  // The first `kept` bytes of the text are not trimmed.
  bool fold_quoted_lines(std::string& text, std::size_t kept) {
    const std::size_t last = text.find_last_not_of(" \t");
    text.resize(std::max(last == std::string::npos ? 0 : last + 1, kept));
    std::size_t breaks = 0;
    while (!at_end() && *at_ == '\n') {
      next_line();
      ++breaks;
      if (at_document_marker()) return fail("a document ends within a string");
      skip_blanks();
    }
    text.append(breaks == 1 ? 1 : breaks - 1, breaks == 1 ? ' ' : '\n');
    return true;
  }

  bool parse_escape(std::string& text) {
    const char* begin = at_++;
    const char c = peek();
    if (at_end()) return fail("a string may not end with \\", begin);
    ++at_;
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
        --at_;
        next_line();
        if (at_document_marker()) return fail("a document ends within a string");
        skip_blanks();
        // Empty lines behind it count as they do elsewhere.
        while (!at_end() && *at_ == '\n') {
          next_line();
          if (at_document_marker()) return fail("a document ends within a string");
          skip_blanks();
          text += '\n';
        }
        break;
      default: return fail("found unknown escape character", begin);
    }
    escaped_end_ = text.size();
    return true;
  }

  bool parse_hex_escape(int digits, const char* begin, std::string& text) {
    auto code = parse_hex_digits(digits);
    if (!code) return fail(fmt::format("expected {} hexadecimal digits", digits), begin);
    // JSON's way to write characters above U+FFFF, as goyaml does not know it, but JSON within YAML needs it.
    if (*code >= 0xD800 && *code < 0xDC00 && peek() == '\\' && peek(1) == 'u') {
      at_ += 2;
      const auto low = parse_hex_digits(4);
      if (!low || *low < 0xDC00 || *low > 0xDFFF) return fail("half of a surrogate pair in a string", begin);
      code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
    }
    if ((*code >= 0xD800 && *code <= 0xDFFF) || *code > 0x10FFFF) {
      return fail("found invalid Unicode character escape code", begin);
    }
    append_utf8(text, *code);
    escaped_end_ = text.size();
    return true;
  }
  std::optional<std::uint32_t> parse_hex_digits(int digits) {
    std::uint32_t code = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      const char c = peek();
      const int digit = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
      if (digit < 0 || at_end()) return std::nullopt;
      code = code << 4 | static_cast<std::uint32_t>(digit);
    }
    return code;
  }

  // "|" keeps the lines as they are, ">" folds them.
  bool parse_block_scalar(int indent, Scalar& scalar) {
    scalar.line = line_;
    scalar.is_plain = false;
    const bool is_literal = *at_++ == '|';
    char chomping = ' ';
    int text_column = 0;
    for (int i = 0; i < 2; ++i) {
      if (peek() == '+' || peek() == '-') {
        if (chomping != ' ') break;
        chomping = *at_++;
      } else if (peek() >= '1' && peek() <= '9') {
        if (text_column != 0) break;
        text_column = std::max(indent, 0) + (*at_++ - '0');
      } else if (peek() == '0') {
        return fail("the indentation of a block of text may not be 0");
      }
    }
    const char* header_end = at_;
    skip_blanks();
    if (peek() == '#' && at_ != header_end) {
      while (!at_end() && *at_ != '\n') ++at_;
    }
    if (!at_end() && *at_ != '\n') return fail("expected the end of the line after '|' or '>', got " + here());
    std::string& text = tree_->texts.emplace_back();
    std::size_t breaks = 0;  // line ends that are read, but not yet part of the text
    bool has_text = false;
    bool was_blank = false;
    std::size_t trailing_breaks = 0;
    if (!at_end()) next_line();
    if (!skip_block_indentation(indent, text_column, trailing_breaks)) return false;
    while (!at_end() && column() == text_column && !(column() == 0 && at_document_marker())) {
      const bool begins_blank = is_blank(*at_);
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
      const void* found = std::memchr(at_, '\n', end_ - at_);
      const char* line_end = found == nullptr ? end_ : static_cast<const char*>(found);
      text.append(at_, line_end - at_);
      at_ = line_end;
      breaks = at_end() ? 0 : 1;
      if (!at_end()) next_line();
      if (!skip_block_indentation(indent, text_column, trailing_breaks)) return false;
    }
    if (chomping != '-') text.append(breaks, '\n');
    if (chomping == '+') text.append(trailing_breaks, '\n');
    scalar.text = text;
    // Back to the line end, which is where other values leave off.
    if (at_ != begin_ && at_end()) return true;
    at_ = line_begin_;
    return true;
  }

  // Moves over the indentation of a block's next line and over empty lines, which it counts. Finds the block's column by
  // its first line if it is not known (0).
  bool skip_block_indentation(int indent, int& text_column, std::size_t& breaks) {
    int widest = 0;
    while (true) {
      while (!at_end() && *at_ == ' ' && (text_column == 0 || column() < text_column)) ++at_;
      widest = std::max(widest, column());
      if (!at_end() && *at_ == '\t' && (text_column == 0 || column() < text_column)) {
        return fail("a tab may not be used for indentation");
      }
      if (at_end() || *at_ != '\n') break;
      next_line();
      ++breaks;
    }
    if (text_column == 0) text_column = std::max({widest, indent + 1, 1});
    return true;
  }

  // ---- Into the tree ----

  Index add_value(YamlTree::Value value) {
    tree_->values.push_back(value);
    ++expanded_nodes_;
    return static_cast<Index>(tree_->values.size() - 1);
  }

  // The meaning of a scalar by its tag, or by its look if it has none and no quotes.
  bool resolve(const Scalar& scalar, std::string_view tag, YamlScalar& resolved) {
    if (tag == "!!str" || tag == "!<tag:yaml.org,2002:str>" || (tag.data() == nullptr && !scalar.is_plain)) return true;
    const bool is_custom_tag = tag.data() != nullptr && tag != "!!int" && tag != "!!float" && tag != "!!bool" &&
                               tag != "!!null" && tag != "!!timestamp";
    if (tag == "!!binary") return fail("!!binary is not supported; write the base64 text as it is");
    if (is_custom_tag) return true;
    resolved = resolve_yaml_scalar(scalar.text);
    const auto is_real = [&] { return resolved.kind == NodeKind::kReal || resolved.kind == NodeKind::kInteger; };
    const bool fits = tag.data() == nullptr || tag == "!!timestamp" ||
                      (tag == "!!int" && (resolved.kind == NodeKind::kInteger || resolved.kind == NodeKind::kBigInteger)) ||
                      (tag == "!!float" && is_real()) || (tag == "!!bool" && resolved.kind == NodeKind::kBool) ||
                      (tag == "!!null" && resolved.kind == NodeKind::kNull);
    if (!fits) return fail(fmt::format("cannot read `{}` as {}", scalar.text, tag));
    if (tag == "!!timestamp") resolved = YamlScalar();
    return true;
  }

  bool finish_scalar(const Scalar& scalar, const Properties& properties, Index& result) {
    YamlScalar resolved;
    if (!resolve(scalar, properties.tag, resolved)) return false;
    YamlTree::Value value;
    value.kind = resolved.kind;
    value.line = scalar.line;
    switch (resolved.kind) {
      case NodeKind::kBool: value.boolean = resolved.boolean; break;
      case NodeKind::kInteger: value.integer = resolved.integer; break;
      case NodeKind::kBigInteger: value.big_integer = resolved.big_integer; break;
      case NodeKind::kReal:
        if (!std::isfinite(resolved.real)) {
          return fail(fmt::format("the number {} cannot be used: JSON has no such value", scalar.text));
        }
        if (!options_.keep_reals && resolved.real == std::trunc(resolved.real) && std::fabs(resolved.real) < 0x1p63) {
          value.kind = NodeKind::kInteger;
          value.integer = static_cast<std::int64_t>(resolved.real);
        } else {
          value.real = resolved.real;
        }
        break;
      case NodeKind::kString:
        if (scalar.text.size() > std::numeric_limits<std::uint32_t>::max()) return fail("a string is too long");
        value.text = scalar.text.data();
        value.size = static_cast<std::uint32_t>(scalar.text.size());
        break;
      case NodeKind::kNull:
      case NodeKind::kList:
      case NodeKind::kMap: break;
    }
    result = add_value(value);
    if (properties.anchor.data() != nullptr) anchors_[properties.anchor] = Anchor{result, false, 1, 0};
    return true;
  }

  // The text of a key. Numbers and booleans become what sigs.k8s.io/yaml makes of them.
  bool finish_key(const Scalar& scalar, const Properties& properties, YamlTree::Member& key, bool& is_merge) {
    is_merge = scalar.is_plain && properties.tag.data() == nullptr && scalar.text == "<<";
    YamlScalar resolved;
    if (!resolve(scalar, properties.tag, resolved)) return false;
    std::string_view text = scalar.text;
    switch (resolved.kind) {
      case NodeKind::kString: break;
      case NodeKind::kBool: text = resolved.boolean ? "true" : "false"; break;
      case NodeKind::kInteger: text = tree_->texts.emplace_back(std::to_string(resolved.integer)); break;
      case NodeKind::kReal: {
        std::string& number = tree_->texts.emplace_back();
        if (std::isfinite(resolved.real)) {
          append_shortest_number(number, resolved.real, true);
        } else {
          number = std::isnan(resolved.real) ? ".nan" : resolved.real > 0 ? ".inf" : "-.inf";
        }
        text = number;
        break;
      }
      default: return fail(scalar.text.empty() ? "an empty key is not supported" : "this cannot be a key; quote it");
    }
    if (properties.anchor.data() != nullptr) {
      Index ignored = 0;
      if (!finish_scalar(scalar, properties, ignored)) return false;
    }
    if (text.size() > std::numeric_limits<std::uint32_t>::max()) return fail("a key is too long");
    key = YamlTree::Member{text.data(), static_cast<std::uint32_t>(text.size()), 0};
    return true;
  }

  // A value that is in the tree already, as a key.
  bool alias_as_key(Index index, Scalar& scalar) {
    const YamlTree::Value& value = tree_->value(index);
    scalar.line = value.line;
    switch (value.kind) {
      case NodeKind::kString: scalar.text = {value.text, value.size}; return true;
      case NodeKind::kBool: scalar.text = value.boolean ? "true" : "false"; return true;
      case NodeKind::kInteger: scalar.text = tree_->texts.emplace_back(std::to_string(value.integer)); return true;
      case NodeKind::kReal:
        append_shortest_number(tree_->texts.emplace_back(), value.real, true);
        scalar.text = tree_->texts.back();
        return true;
      case NodeKind::kNull: return fail("an empty key is not supported");
      default: return fail("a list or an object cannot be a key");
    }
  }

  Index add_list(std::size_t first, std::uint32_t line) {
    YamlTree::Value list;
    list.kind = NodeKind::kList;
    list.line = line;
    list.size = static_cast<std::uint32_t>(pending_.size() - first);
    list.first = static_cast<std::uint32_t>(tree_->elements.size());
    for (std::size_t i = first; i < pending_.size(); ++i) tree_->elements.push_back(pending_[i].member.value);
    pending_.resize(first);
    return add_value(list);
  }

  bool add_map(std::size_t first, std::uint32_t line, Index& result) {
    const bool has_merge = std::any_of(pending_.begin() + static_cast<std::ptrdiff_t>(first), pending_.end(),
                                       [](const Pending& entry) { return entry.is_merge; });
    if (has_merge && !expand_merges(first)) return false;
    drop_duplicates(first);
    const auto begin = pending_.begin() + static_cast<std::ptrdiff_t>(first);
    if (options_.sort_keys) {
      std::sort(begin, pending_.end(),
                [](const Pending& a, const Pending& b) { return a.member.name() < b.member.name(); });
    }
    YamlTree::Value map;
    map.kind = NodeKind::kMap;
    map.line = line;
    map.size = static_cast<std::uint32_t>(pending_.size() - first);
    map.first = static_cast<std::uint32_t>(tree_->members.size());
    for (auto entry = begin; entry != pending_.end(); ++entry) tree_->members.push_back(entry->member);
    pending_.resize(first);
    result = add_value(map);
    return true;
  }

  // Puts the members of the maps that stand behind "<<" in their place. As in goyaml, what comes later counts, also if
  // it is merged; of a list of maps, the first counts.
  bool expand_merges(std::size_t first) {
    std::vector<Pending> entries(pending_.begin() + static_cast<std::ptrdiff_t>(first), pending_.end());
    pending_.resize(first);
    const auto add_members_of = [this](Index index) {
      const YamlTree::Value& map = tree_->value(index);
      if (map.kind != NodeKind::kMap) return fail("map merge requires map or sequence of maps as the value");
      expanded_nodes_ += map.size;
      for (std::uint32_t i = 0; i < map.size; ++i) pending_.push_back(Pending{tree_->members[map.first + i]});
      return check_growth();
    };
    for (const Pending& entry : entries) {
      if (!entry.is_merge) {
        pending_.push_back(entry);
        continue;
      }
      const YamlTree::Value& merged = tree_->value(entry.member.value);
      if (merged.kind != NodeKind::kList) {
        if (!add_members_of(entry.member.value)) return false;
        continue;
      }
      for (std::uint32_t i = merged.size; i > 0; --i) {
        if (!add_members_of(tree_->elements[merged.first + i - 1])) return false;
      }
    }
    return true;
  }

  // Of members with the same key the last value counts.
  void drop_duplicates(std::size_t first) {
    constexpr std::size_t kFewMembers = 24;
    const std::size_t count = pending_.size() - first;
    std::unordered_map<std::string_view, std::size_t> places;
    if (count > kFewMembers) places.reserve(count);
    std::size_t kept = first;
    for (std::size_t i = first; i < pending_.size(); ++i) {
      const Pending entry = pending_[i];
      const std::string_view name = entry.member.name();
      std::size_t place = kept;
      if (count > kFewMembers) {
        place = places.try_emplace(name, kept).first->second;
      } else {
        for (std::size_t k = first; k < kept && place == kept; ++k) {
          if (pending_[k].member.name() == name) place = k;
        }
      }
      pending_[place] = entry;
      if (place == kept) {
        ++kept;
      } else {
        std::string quoted;
        append_json_string(quoted, name);
        tree_->duplicates.push_back(Problem{Error(fmt::format("key {} already set in map", quoted)),
                                            tree_->value(entry.member.value).line});
      }
    }
    pending_.resize(kept);
  }

  const char* begin_;
  const char* end_;
  const char* at_;
  const char* line_begin_;
  std::uint32_t line_ = 1;
  std::string with_unix_line_ends_;
  Options options_;
  bool is_checked_ = false;
  bool keys_allowed_at_start_ = true;
  int depth_ = 0;
  int flow_depth_ = 0;
  // Of the document with its aliases followed: nodes so far, and how deep the open collection's content nests.
  std::size_t expanded_nodes_ = 0;
  int height_ = 0;
  // Up to where the string being read must not be trimmed at a line end: blanks there came from escapes.
  std::size_t escaped_end_ = 0;

  YamlTree* tree_ = nullptr;
  std::unordered_map<std::string_view, Anchor> anchors_;
  std::vector<Pending> pending_;
  bool has_failed_ = false;
  Problem problem_;
};

YamlDocuments::YamlDocuments(std::string_view text, Options options)
    : parser_(std::make_unique<Parser>(text, options)) {}
YamlDocuments::~YamlDocuments() = default;

YamlDocuments::Next YamlDocuments::next(YamlTree& tree) { return parser_->next(tree); }
Problem YamlDocuments::take_problem() { return parser_->take_problem(); }

}  // namespace berth::codec
