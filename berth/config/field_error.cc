#include "berth/config/field_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/base/utf8.h"

namespace berth::config {

namespace {

// A character of UTF-8 text; `length` is 0 if the bytes are none.
struct Rune {
  char32_t code = 0;
  std::size_t length = 0;
};

Rune first_rune(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length > text.size() || !is_valid_utf8(text.substr(0, length))) return {};
  char32_t code = length == 1 ? lead : lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  return {code, length};
}

// As Go's unicode.IsPrint for what is likely in a configuration: all but controls, odd spaces, formatting characters,
// surrogates and private use.
bool is_printable(char32_t c) {
  struct Range {
    char32_t first, last;
  };
  static constexpr Range kNotPrintable[] = {
      {0x00, 0x1F},     {0x7F, 0xA0},     {0xAD, 0xAD},     {0x600, 0x605},   {0x61C, 0x61C},     {0x6DD, 0x6DD},
      {0x1680, 0x1680}, {0x180E, 0x180E}, {0x2000, 0x200F}, {0x2028, 0x202F}, {0x205F, 0x206F},   {0x3000, 0x3000},
      {0xD800, 0xF8FF}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE00FF}, {0xE01F0, 0x10FFFF}};
  return std::ranges::none_of(kNotPrintable, [c](Range range) { return range.first <= c && c <= range.last; });
}

Error at(const Path& path, std::string what) {
  return Error(std::move(what)).in(path.text());
}

}  // namespace

Path Path::child(std::string_view name) const {
  return Path(text_.empty() ? std::string(name) : fmt::format("{}.{}", text_, name));
}

Path Path::index(std::size_t i) const {
  return Path(fmt::format("{}[{}]", text_, i));
}

Path Path::key(std::string_view key) const {
  return Path(fmt::format("{}[{}]", text_, key));
}

std::string go_quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    if (rune.length == 0) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    switch (rune.code) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\a': out += "\\a"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\v': out += "\\v"; break;
      default:
        if (is_printable(rune.code)) {
          out += text.substr(0, rune.length);
        } else if (rune.code < 0x20 || rune.code == 0x7F) {
          fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(rune.code));
        } else if (rune.code < 0x10000) {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(rune.code));
        } else {
          fmt::format_to(std::back_inserter(out), "\\U{:08x}", static_cast<unsigned>(rune.code));
        }
    }
    text.remove_prefix(rune.length);
  }
  return out + "\"";
}

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    if (rune.length == 0) {
      out += "\\ufffd";
      text.remove_prefix(1);
      continue;
    }
    switch (rune.code) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (rune.code < 0x20 || rune.code == '<' || rune.code == '>' || rune.code == '&' || rune.code == 0x2028 ||
            rune.code == 0x2029) {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(rune.code));
        } else {
          out += text.substr(0, rune.length);
        }
    }
    text.remove_prefix(rune.length);
  }
  return out + "\"";
}

std::string show(std::span<const Symbol> values) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    out += json_quote(values[i].text());
  }
  return out + "]";
}

Error invalid(const Path& path, std::string_view shown, std::string_view detail) {
  return at(path, fmt::format("Invalid value: {}: {}", shown, detail));
}

Error duplicate(const Path& path, std::string_view shown) {
  return at(path, fmt::format("Duplicate value: {}", shown));
}

Error not_supported(const Path& path, std::string_view shown, std::span<const std::string_view> supported) {
  std::string list;
  for (const std::string_view value : supported) {
    if (!list.empty()) list += ", ";
    list += go_quote(value);
  }
  return at(path, fmt::format("Unsupported value: {}: supported values: {}", shown, list));
}

Error required(const Path& path, std::string_view detail) {
  return at(path, detail.empty() ? "Required value" : fmt::format("Required value: {}", detail));
}

Error forbidden(const Path& path, std::string_view detail) {
  return at(path, fmt::format("Forbidden: {}", detail));
}

void ErrorList::add(Error error) {
  if (std::ranges::find(errors_, error) == errors_.end()) errors_.push_back(std::move(error));
}

void ErrorList::add(std::vector<Error> errors) {
  for (Error& error : errors) add(std::move(error));
}

std::string aggregate(std::span<const Error> errors) {
  std::vector<std::string> texts;
  for (const Error& error : errors) {
    std::string text = error.message();
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  if (texts.size() == 1) return texts.front();
  std::string joined;
  for (const std::string& text : texts) {
    if (!joined.empty()) joined += ", ";
    joined += text;
  }
  return "[" + joined + "]";
}

}  // namespace berth::config
