#include "berth/scenario/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/config/suggest.h"
#include "berth/scenario/values.h"

namespace berth::scenario {

namespace {

// Words are short here, and two letters in the wrong order count as two mistakes: "pdo" is meant to be "pod".
std::string_view same_letters(std::string_view word, std::span<const std::string_view> known) {
  const auto sorted = [](std::string_view text) {
    std::string letters(text);
    std::ranges::sort(letters);
    return letters;
  };
  const auto found = std::ranges::find_if(
      known, [&, letters = sorted(word)](std::string_view each) { return sorted(each) == letters; });
  return found == known.end() ? std::string_view() : *found;
}

}  // namespace

Position Reader::here() const {
  if (!at_end()) return peek()->at;
  // Behind the last word; quotes make it look shorter than it is, which only moves the column.
  const Word& last = words_.empty() ? line_.words.back() : words_.back();
  return {last.at.line, last.at.column + static_cast<int>(last.text.size()) + (last.is_quoted ? 2 : 0)};
}

bool Reader::is_next(std::string_view keyword) const {
  return !at_end() && !peek()->is_quoted && peek()->text == keyword;
}

bool Reader::accept(std::string_view keyword) {
  if (!is_next(keyword)) return false;
  skip();
  return true;
}

Mistake unexpected_text(Position at, std::string_view what, std::string_view found) {
  return {at, fmt::format("expected {}, found \"{}\"", what, found), {}};
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  std::string_view nearest = config::nearest_name(word, known);
  if (nearest.empty()) nearest = same_letters(word, known);
  return nearest.empty() ? std::string() : fmt::format("did you mean \"{}\"?", nearest);
}

std::unexpected<Mistake> Reader::expected(std::string_view what) const {
  if (at_end()) return mistake(here(), fmt::format("expected {}, found the end of the line", what));
  return std::unexpected(unexpected_text(here(), what, peek()->text));
}

std::unexpected<Mistake> Reader::expected(std::string_view what, std::span<const std::string_view> known) const {
  auto result = expected(what);
  if (!at_end()) result.error().fix = did_you_mean(peek()->text, known);
  return result;
}

Parsed<void> Reader::keyword(std::string_view keyword) {
  if (accept(keyword)) return {};
  return expected(fmt::format("\"{}\"", keyword));
}

Parsed<std::string_view> Reader::one_of(std::span<const std::string_view> words, std::string_view what) {
  if (!at_end() && !peek()->is_quoted) {
    const auto found = std::ranges::find(words, std::string_view(peek()->text));
    if (found != words.end()) {
      skip();
      return *found;
    }
  }
  return expected(what, words);
}

Parsed<std::string> Reader::name(std::string_view what) {
  if (at_end() || peek()->is_quoted || peek()->has_value() || peek()->text.empty()) return expected(what);
  std::string name = peek()->text;
  skip();
  return name;
}

Parsed<std::string> Reader::text(std::string_view what) {
  if (at_end()) return expected(what);
  std::string text = peek()->text;
  skip();
  return text;
}

Parsed<Duration> Reader::duration() {
  return value(read_duration);
}

Parsed<std::int64_t> Reader::number(std::string_view what, std::int64_t least, std::int64_t most) {
  if (at_end()) return expected(what);
  const auto number = read_number(peek()->text, least, most);
  if (!number) return expected(what);
  skip();
  return *number;
}

Parsed<void> Reader::end() {
  if (at_end()) return {};
  return mistake(here(), fmt::format("expected the end of the line, found \"{}\"", peek()->text));
}

}  // namespace berth::scenario
