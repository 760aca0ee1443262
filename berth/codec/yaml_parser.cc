#include "berth/codec/yaml_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <utility>

#include "berth/base/utf8.h"
#include "berth/codec/decode.h"
#include "berth/codec/yaml_builder.h"
#include "berth/codec/yaml_text_reader.h"

namespace berth::codec {
namespace {

// One document, by recursive descent. Each parse_ function begins at its first character and leaves the cursor behind
// its last; it returns false after an error.
//
// Indentation: `indent` is the column of the block collection that a value belongs to, -1 for the document; the value's
// own lines have to stand further right.
class YamlParser {
 public:
  YamlParser(YamlCursor& in, YamlTree& tree, YamlDocuments::Options options)
      : in_(in), tree_(tree), build_(in, tree, options), scalars_(in, tree.texts) {}

  // `keys_allowed_at_start`: the document does not begin on the line of its "---".
  bool parse_document(bool keys_allowed_at_start) {
    if (!parse_block_value(-1, false, keys_allowed_at_start, tree_.root)) return false;
    in_.skip_to_content();
    if (in_.at_end_of_document()) return build_.check_growth();
    return in_.fail("expected the end of the document, got " + in_.here());
  }

 private:
  using Index = YamlBuilder::Index;
  using Entry = YamlBuilder::Entry;
  using Collection = YamlBuilder::Collection;

  // ---- Block style ----

  // The value behind a "- ", a "key:" or "---". `list_may_align`: a list may begin in the column of its key.
  // `keys_allowed`: the value may be a map that begins on this very line.
  bool parse_block_value(int indent, bool list_may_align, bool keys_allowed, Index& result) {
    YamlProperties outer;  // on a line before the content: of the whole value
    YamlProperties inner;  // on the line of the content: of the first key, if there is one
    const std::uint32_t first_line = in_.line;
    while (true) {
      const bool crossed = in_.skip_to_content();
      if (crossed) {
        keys_allowed = true;
        if (!inner.empty()) {
          if (!outer.empty()) return in_.fail("a value may have one anchor and one tag");
          outer = std::exchange(inner, YamlProperties());
        }
      }
      const bool is_list = in_.at_list_entry();
      const bool is_outside = in_.at_end_of_document() || (in_.line_begins_here() && in_.column() <= indent &&
                                                           !(list_may_align && is_list && in_.column() == indent));
      if (is_outside) {
        if (!inner.empty()) outer = inner;
        return build_.add_scalar(YamlText{{}, true, first_line}, outer, result);
      }
      if (in_.peek() != '&' && in_.peek() != '!') break;
      if (inner.at == nullptr) inner.at = in_.at;
      if (!parse_property(inner)) return false;
    }
    if (in_.peek() == '\t') return in_.fail("a tab may not be used for indentation");
    const int start_column = inner.at != nullptr ? static_cast<int>(inner.at - in_.line_begin) : in_.column();
    if (in_.at_list_entry()) {
      if (!inner.empty()) return in_.fail("expected a value, got a list entry");
      if (!keys_allowed) return in_.fail("a list may not begin on the line of its key");
      return parse_block_list(start_column, outer, result);
    }
    if (in_.at_explicit_key()) {
      if (!keys_allowed || !inner.empty()) return in_.fail("a map may not begin here");
      return parse_block_map(start_column, outer, nullptr, result);
    }
    if (in_.peek() == '|' || in_.peek() == '>') {
      YamlText scalar;
      if (!merge_properties(outer, inner) || !scalars_.read_block(indent, scalar)) return false;
      return build_.add_scalar(scalar, outer, result);
    }
    return parse_block_atom(indent, keys_allowed, start_column, outer, inner, result);
  }

  // A scalar, alias or flow collection; or, if a ':' follows, the map that it is the first key of.
  bool parse_block_atom(int indent, bool keys_allowed, int start_column, YamlProperties& outer, YamlProperties& inner,
                        Index& result) {
    const std::uint32_t line = in_.line;
    const bool is_flow = in_.peek() == '[' || in_.peek() == '{';
    Index value = 0;
    YamlText scalar;
    if (in_.peek() == '*') {
      if (!inner.empty() || !outer.empty()) return in_.fail("an alias may have no anchor and no tag");
      if (!parse_alias(value)) return false;
      scalar.line = line;
    } else if (is_flow) {
      if (!merge_properties(outer, inner) || !parse_flow_collection(outer, value)) return false;
    } else if (!scalars_.read(indent, scalar)) {
      return false;
    }
    const bool is_alias = !is_flow && scalar.text.data() == nullptr;
    const char* behind = in_.at;
    if (in_.line == line) in_.skip_blanks();
    if (in_.line == line && in_.at_map_value()) {
      if (!keys_allowed) return in_.fail("a map may not begin here: \"key: value\" within a value has to be quoted");
      if (is_flow) return in_.fail("a list or an object cannot be a key");
      if (is_alias && !build_.read_as_key(value, scalar)) return false;
      YamlTree::Member key;
      bool is_merge = false;
      if (!build_.make_key(scalar, is_alias ? YamlProperties() : inner, key, is_merge)) return false;
      const Entry first{key, is_merge};
      return parse_block_map(start_column, outer, &first, result);
    }
    in_.at = behind;
    if (is_flow || is_alias) {
      result = value;
      return true;
    }
    return merge_properties(outer, inner) && build_.add_scalar(scalar, outer, result);
  }

  bool parse_block_list(int list_column, const YamlProperties& properties, Index& result) {
    const std::uint32_t line = in_.line;
    const std::size_t first = build_.mark();
    Collection collection;
    if (!build_.open(properties, collection)) return false;
    while (true) {
      ++in_.at;
      Index value = 0;
      if (!parse_block_value(list_column, false, true, value)) return false;
      build_.push(Entry{{nullptr, 0, value}});
      if (!next_block_entry(list_column)) return false;
      if (in_.at_end_of_document() || in_.column() < list_column || !in_.at_list_entry()) break;
    }
    result = build_.add_list(first, line);
    build_.close(properties, collection, result);
    return true;
  }

  // `first` is the first key, if it has been read already; in_.at is then on its ':'.
  bool parse_block_map(int map_column, const YamlProperties& properties, const Entry* first_key, Index& result) {
    const std::uint32_t line = in_.line;
    const std::size_t first = build_.mark();
    Collection collection;
    if (!build_.open(properties, collection)) return false;
    while (true) {
      Entry entry;
      if (first_key != nullptr) {
        entry = *std::exchange(first_key, nullptr);
        ++in_.at;
        if (!parse_block_value(map_column, true, false, entry.member.value)) return false;
      } else if (in_.at_explicit_key()) {
        if (!parse_explicit_entry(map_column, entry)) return false;
      } else {
        if (!parse_block_key(entry)) return false;
        ++in_.at;
        if (!parse_block_value(map_column, true, false, entry.member.value)) return false;
      }
      build_.push(entry);
      if (!next_block_entry(map_column)) return false;
      if (in_.at_end_of_document() || in_.column() < map_column) break;
    }
    if (!build_.add_map(first, line, result)) return false;
    build_.close(properties, collection, result);
    return true;
  }

  // Behind an entry: the next one stands in the same column on a line of its own, or the collection ends.
  bool next_block_entry(int entry_column) {
    in_.skip_to_content();
    if (in_.at_end_of_document()) return true;
    if (in_.peek() == '\t') return in_.fail("a tab may not be used for indentation");
    if (!in_.line_begins_here()) return in_.fail(fmt::format("expected the end of the line, got {}", in_.here()));
    if (in_.column() > entry_column) {
      return in_.fail(fmt::format("expected column {}, as the entries before, or less", entry_column + 1));
    }
    return true;
  }
  bool parse_block_key(Entry& entry) {
    YamlProperties properties;
    const std::uint32_t line = in_.line;
    while (in_.peek() == '&' || in_.peek() == '!') {
      if (!parse_property(properties)) return false;
      in_.skip_blanks();
    }
    YamlText scalar;
    if (in_.at_list_entry()) return in_.fail("expected a key, got a list entry");
    if (in_.peek() == '[' || in_.peek() == '{') return in_.fail("a list or an object cannot be a key");
    if (in_.peek() == '|' || in_.peek() == '>') return in_.fail("expected a key, got a block of text");
    if (in_.peek() == '*') {
      Index value = 0;
      if (!properties.empty()) return in_.fail("an alias may have no anchor and no tag");
      if (!parse_alias(value) || !build_.read_as_key(value, scalar)) return false;
    } else if (!scalars_.read(YamlTextReader::kKeyOnly, scalar)) {
      return false;
    }
    if (in_.line == line) in_.skip_blanks();
    if (in_.line != line || !in_.at_map_value()) return in_.fail("expected ':' after the key");
    return build_.make_key(scalar, properties, entry.member, entry.is_merge);
  }

  // "? key" and, on a later line, ": value".
  bool parse_explicit_entry(int map_column, Entry& entry) {
    ++in_.at;
    Index key = 0;
    const std::uint32_t line = in_.line;
    if (!parse_block_value(map_column, false, true, key)) return false;
    YamlText scalar;
    scalar.line = line;
    if (!build_.read_as_key(key, scalar) || !build_.make_key(scalar, YamlProperties(), entry.member, entry.is_merge))
      return false;
    if (!next_block_entry(map_column)) return false;
    if (!in_.at_end_of_document() && in_.column() == map_column && in_.at_map_value()) {
      ++in_.at;
      return parse_block_value(map_column, true, true, entry.member.value);
    }
    return build_.add_scalar(YamlText{{}, true, line}, YamlProperties(), entry.member.value);
  }

  // ---- Flow style ----

  bool parse_flow_collection(const YamlProperties& properties, Index& result) {
    const bool is_list = *in_.at == '[';
    const char closing = is_list ? ']' : '}';
    const std::uint32_t line = in_.line;
    const std::size_t first = build_.mark();
    Collection collection;
    if (!build_.open(properties, collection)) return false;
    ++in_.flow_depth;
    ++in_.at;
    while (true) {
      if (!skip_in_flow()) return false;
      if (in_.peek() == closing) break;
      Entry entry;
      if (is_list ? !parse_flow_list_entry(entry) : !parse_flow_map_entry(entry)) return false;
      build_.push(entry);
      if (!skip_in_flow()) return false;
      if (in_.peek() == closing) break;
      if (in_.peek() != ',') return in_.fail(fmt::format("expected ',' or '{}', got {}", closing, in_.here()));
      ++in_.at;
    }
    ++in_.at;
    --in_.flow_depth;
    if (is_list) {
      result = build_.add_list(first, line);
    } else if (!build_.add_map(first, line, result)) {
      return false;
    }
    build_.close(properties, collection, result);
    return true;
  }

  bool skip_in_flow() {
    in_.skip_to_content();
    if (in_.at_end()) return in_.fail("expected ']' or '}', got the end of the text");
    if (in_.at_document_marker()) return in_.fail("expected ']' or '}', got the end of the document");
    return true;
  }

  // A value, or "key: value", which stands for a map of its own.
  bool parse_flow_list_entry(Entry& entry) {
    const std::uint32_t line = in_.line;
    if (in_.peek() == '?') return parse_flow_pair(entry);
    YamlText scalar;
    YamlProperties properties;
    bool is_scalar = false;
    if (!parse_flow_atom(false, entry.member.value, scalar, properties, is_scalar)) return false;
    if (!skip_in_flow()) return false;
    if (in_.line == line && in_.peek() == ':') {
      if (!is_scalar) return in_.fail("a list or an object cannot be a key");
      Entry pair;
      if (!build_.make_key(scalar, properties, pair.member, pair.is_merge)) return false;
      return parse_flow_pair_value(pair, entry);
    }
    return !is_scalar || build_.add_scalar(scalar, properties, entry.member.value);
  }

  bool parse_flow_pair(Entry& entry) {
    Entry pair;
    return parse_flow_key(pair) && parse_flow_pair_value(pair, entry);
  }

  bool parse_flow_pair_value(Entry& pair, Entry& entry) {
    const std::size_t first = build_.mark();
    const std::uint32_t line = in_.line;
    Collection collection;
    if (!build_.open(YamlProperties(), collection) || !parse_flow_value(pair)) return false;
    build_.push(pair);
    if (!build_.add_map(first, line, entry.member.value)) return false;
    build_.close(YamlProperties(), collection, entry.member.value);
    return true;
  }

  bool parse_flow_map_entry(Entry& entry) { return parse_flow_key(entry) && parse_flow_value(entry); }

  bool parse_flow_key(Entry& entry) {
    const bool is_explicit = in_.peek() == '?';
    if (is_explicit) {
      ++in_.at;
      if (!skip_in_flow()) return false;
    }
    Index value = 0;
    YamlText scalar;
    YamlProperties properties;
    bool is_scalar = false;
    if (!parse_flow_atom(is_explicit, value, scalar, properties, is_scalar)) return false;
    if (!is_scalar && !build_.read_as_key(value, scalar)) return false;
    return build_.make_key(scalar, is_scalar ? properties : YamlProperties(), entry.member, entry.is_merge);
  }

  // ": value", or nothing, which is null.
  bool parse_flow_value(Entry& entry) {
    if (!skip_in_flow()) return false;
    if (in_.peek() != ':') return build_.add_scalar(YamlText{{}, true, in_.line}, YamlProperties(), entry.member.value);
    ++in_.at;
    if (!skip_in_flow()) return false;
    YamlText scalar;
    YamlProperties properties;
    bool is_scalar = false;
    if (!parse_flow_atom(true, entry.member.value, scalar, properties, is_scalar)) return false;
    return !is_scalar || build_.add_scalar(scalar, properties, entry.member.value);
  }

  // What stands between the commas and colons; if that is nothing, an empty scalar.
  bool parse_flow_atom(bool allow_empty, Index& value, YamlText& scalar, YamlProperties& properties, bool& is_scalar) {
    while (in_.peek() == '&' || in_.peek() == '!') {
      if (!parse_property(properties) || !skip_in_flow()) return false;
    }
    is_scalar = false;
    if (in_.peek() == '[' || in_.peek() == '{') return parse_flow_collection(properties, value);
    if (in_.peek() == '*') {
      if (!properties.empty()) return in_.fail("an alias may have no anchor and no tag");
      return parse_alias(value);
    }
    is_scalar = true;
    scalar.line = in_.line;
    if (is_yaml_flow_indicator(in_.peek()) || in_.peek() == ':') {
      const bool may_be_empty = allow_empty || !properties.empty();
      if (!may_be_empty || in_.peek() == '?') return in_.fail("expected a value, got " + in_.here());
      scalar.is_plain = true;
      return true;
    }
    return scalars_.read(-1, scalar);
  }

  // ---- YamlProperties and aliases ----

  bool parse_name(std::string_view& name) {
    const char* begin = ++in_.at;
    while (!in_.at_end() &&
           (std::isalnum(static_cast<unsigned char>(*in_.at)) != 0 || *in_.at == '_' || *in_.at == '-'))
      ++in_.at;
    name = std::string_view(begin, in_.at - begin);
    constexpr std::string_view kMayFollow = "?:,]}%@`";
    if (name.empty() || !(in_.is_blank_or_end(0) || kMayFollow.find(in_.peek()) != std::string_view::npos)) {
      return in_.fail("the name of an anchor or alias has letters, digits, '-' and '_'");
    }
    return true;
  }

  bool parse_property(YamlProperties& properties) {
    if (properties.at == nullptr) properties.at = in_.at;
    if (*in_.at == '&') {
      if (properties.anchor.data() != nullptr) return in_.fail("a value may have one anchor");
      return parse_name(properties.anchor);
    }
    if (properties.tag.data() != nullptr) return in_.fail("a value may have one tag");
    const char* begin = in_.at;
    constexpr std::string_view kTagCharacters = "-_;/?:@&=+$.,!~*'()[]%<>#";
    while (!in_.at_end() && (std::isalnum(static_cast<unsigned char>(*in_.at)) != 0 ||
                             kTagCharacters.find(*in_.at) != std::string_view::npos)) {
      ++in_.at;
    }
    if (!in_.is_blank_or_end(0)) return in_.fail("expected a blank after the tag, got " + in_.here());
    properties.tag = std::string_view(begin, in_.at - begin);
    return true;
  }

  bool merge_properties(YamlProperties& into, const YamlProperties& from) {
    if (into.empty()) {
      into = from;
      return true;
    }
    if (from.empty()) return true;
    if ((into.anchor.data() != nullptr && from.anchor.data() != nullptr) ||
        (into.tag.data() != nullptr && from.tag.data() != nullptr)) {
      return in_.fail("a value may have one anchor and one tag");
    }
    if (into.anchor.data() == nullptr) into.anchor = from.anchor;
    if (into.tag.data() == nullptr) into.tag = from.tag;
    return true;
  }

  bool parse_alias(Index& value) {
    std::string_view name;
    const char* begin = in_.at;
    return parse_name(name) && build_.follow_alias(name, begin, value);
  }

  YamlCursor& in_;
  YamlTree& tree_;
  YamlBuilder build_;
  YamlTextReader scalars_;
};

// YAML ends lines with \r\n, \n or \r; the parser knows \n. Nothing is copied if there is no \r.
std::string unix_line_ends(std::string_view text) {
  std::string converted;
  if (text.find('\r') == std::string_view::npos) return converted;
  converted.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_half_of_crlf = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!is_half_of_crlf) converted += text[i] == '\r' ? '\n' : text[i];
  }
  return converted;
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

}  // namespace

YamlDocuments::YamlDocuments(std::string_view text, Options options)
    : options_(options),
      with_unix_line_ends_(unix_line_ends(text)),
      in_(without_byte_order_mark(with_unix_line_ends_.empty() ? text : std::string_view(with_unix_line_ends_))) {}

YamlDocuments::Next YamlDocuments::next(YamlTree& tree) {
  if (!is_checked_ && !check_characters()) return Next::kError;
  while (true) {
    tree = YamlTree();
    in_.flow_depth = 0;
    bool has_content = false;
    bool keys_allowed = true;
    if (!start_document(has_content, keys_allowed)) {
      if (!in_.has_failed) return Next::kEnd;
      recover();
      return Next::kError;
    }
    if (!has_content) continue;
    if (!YamlParser(in_, tree, options_).parse_document(keys_allowed)) {
      recover();
      return Next::kError;
    }
    if (tree.value(tree.root).kind != NodeKind::kNull) return Next::kDocument;
  }
}

Problem YamlDocuments::take_problem() {
  in_.has_failed = false;
  return std::move(in_.problem);
}

// Control characters and broken UTF-8 are no part of YAML.
bool YamlDocuments::check_characters() {
  is_checked_ = true;
  const std::string_view text(in_.begin, in_.end - in_.begin);
  if (text.size() > kMaxDocumentBytes) {
    in_.fail(fmt::format("the document is larger than {} bytes", kMaxDocumentBytes));
    in_.at = in_.end;
    return false;
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n'; };
  const std::size_t invalid = first_invalid_utf8(text).value_or(text.size());
  const std::size_t control = std::find_if(text.begin(), text.begin() + invalid, is_control) - text.begin();
  if (control == text.size()) return true;
  in_.line += static_cast<std::uint32_t>(std::ranges::count(text.substr(0, control), '\n'));
  in_.line_begin = in_.begin + (text.substr(0, control).rfind('\n') + 1);
  const auto byte = static_cast<unsigned char>(text[control]);
  in_.fail(control == invalid ? fmt::format("byte 0x{:02x} is not UTF-8", byte)
                              : fmt::format("the control character 0x{:02x} is not allowed", byte),
           in_.begin + control);
  in_.at = in_.end;
  return false;
}

// Moves to the content of the next document. False at the end of the text, or after an error.
bool YamlDocuments::start_document(bool& has_content, bool& keys_allowed) {
  keys_allowed = true;
  bool has_directive = false;
  while (true) {
    if (!in_.at_document_marker()) in_.skip_to_content();
    if (in_.at_end()) return has_directive ? in_.fail("expected \"---\" after a directive") : false;
    if (in_.at == in_.line_begin && *in_.at == '%') {
      if (std::string_view(in_.at, in_.end - in_.at).starts_with("%TAG")) return in_.fail("%TAG is not supported");
      has_directive = true;
      while (!in_.at_end() && *in_.at != '\n') ++in_.at;
      continue;
    }
    if (!in_.at_document_marker()) {
      if (has_directive) return in_.fail("expected \"---\" after a directive");
      has_content = true;
      return true;
    }
    const bool is_start = *in_.at == '-';
    in_.at += 3;
    if (!is_start) {
      in_.skip_to_content();
      continue;
    }
    keys_allowed = in_.skip_to_content();
    has_content = !in_.at_end_of_document();
    return has_content || !in_.at_end();
  }
}

// Goes to the next "---", so that an error in one document leaves the others readable.
void YamlDocuments::recover() {
  while (!in_.at_end() && !in_.at_document_marker()) {
    if (*in_.at == '\n') {
      in_.next_line();
    } else {
      const void* line_end = std::memchr(in_.at, '\n', in_.end - in_.at);
      in_.at = line_end == nullptr ? in_.end : static_cast<const char*>(line_end);
    }
  }
}

}  // namespace berth::codec
