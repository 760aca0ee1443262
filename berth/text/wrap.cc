#include "berth/text/wrap.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/text/escape.h"
#include "berth/text/page.h"
#include "berth/text/unicode.h"

namespace berth::text {
namespace {

// Of "select graphic rendition". The colours of the terminal's own theme: both dark and light ones have them readable.
std::string_view code_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::kPlain: return "";
    case Meaning::kStrong: return "1";
    case Meaning::kGood: return "32";
    case Meaning::kWarning: return "33";
    case Meaning::kBad: return "31";
    case Meaning::kDim: return "2";
    case Meaning::kName: return "36";
  }
  return "";
}

Painted part(const Painted& whole, std::size_t begin, std::size_t end) {
  Painted result;
  result.text = whole.text.substr(begin, end - begin);
  result.meanings.assign(whole.meanings.begin() + static_cast<std::ptrdiff_t>(begin),
                         whole.meanings.begin() + static_cast<std::ptrdiff_t>(end));
  return result;
}

}  // namespace

std::size_t Painted::columns() const {
  return text::columns(text);
}

Painted paint(const Line& line) {
  Painted result;
  for (const Span& span : line.spans()) {
    result.text += escaped(span.text);
    result.meanings.resize(result.text.size(), span.meaning);
  }
  return result;
}

std::vector<Painted> wrapped(const Painted& text, std::size_t width) {
  const std::string_view all = text.text;
  std::vector<Painted> lines;
  if (width == 0 || text.columns() <= width) return {text};
  std::size_t begin = 0;  // of the line
  std::size_t end = 0;    // of its last word
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t word = std::min(all.find_first_not_of(' ', at), all.size());
    const std::size_t word_end = std::min(all.find(' ', word), all.size());
    if (word == all.size()) break;
    const bool has_words = end > begin;
    if (has_words && columns(all.substr(begin, word_end - begin)) > width) {
      lines.push_back(part(text, begin, end));
      begin = word;
    }
    end = word_end;
    at = word_end;
  }
  lines.push_back(part(text, begin, end));
  return lines;
}

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    longest = std::max(longest, columns(text.substr(at, end - at)));
    at = end + 1;
  }
  return longest;
}

std::string coloured(const Painted& text, bool has_colour) {
  if (!has_colour) return text.text;
  std::string result;
  for (std::size_t begin = 0; begin < text.text.size();) {
    const Meaning meaning = text.meanings[begin];
    std::size_t end = begin;
    while (end < text.text.size() && text.meanings[end] == meaning) ++end;
    result += painted(std::string_view(text.text).substr(begin, end - begin), meaning, true);
    begin = end;
  }
  return result;
}

std::string painted(std::string_view text, Meaning meaning, bool has_colour) {
  const std::string_view code = code_of(meaning);
  if (!has_colour || code.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace berth::text
