// Reads the words of one statement from left to right. Whatever is not as expected is a Mistake that says what was
// expected at that place, and what a misspelt word was probably meant to be.
#pragma once

#include <cstdint>
#include <expected>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "berth/base/time.h"
#include "berth/scenario/syntax.h"

namespace berth::scenario {

// What a reader of values returns if the text is not one: what was expected, such as "a duration such as 30s".
template <typename T>
using Value = std::expected<T, std::string>;

class Reader {
 public:
  // The line outlives the reader.
  explicit Reader(const Line& line) : line_(line), words_(line.words) {}
  // Some of the line's words, or others in their place.
  Reader(const Line& line, std::span<const Word> words) : line_(line), words_(words) {}

  bool at_end() const { return next_ == words_.size(); }
  // Null at the end.
  const Word* peek() const { return at_end() ? nullptr : &words_[next_]; }
  void skip() { ++next_; }
  // Of the next word, or behind the last one.
  Position here() const;
  const Line& line() const { return line_; }
  std::span<const Word> rest() const { return words_.subspan(next_); }

  // Whether the next word is this one; takes it if so.
  bool accept(std::string_view keyword);
  bool is_next(std::string_view keyword) const;

  // "expected WHAT, found ..." here.
  std::unexpected<Mistake> expected(std::string_view what) const;
  // The same with the nearest of the words that were possible.
  std::unexpected<Mistake> expected(std::string_view what, std::span<const std::string_view> known) const;

  Parsed<void> keyword(std::string_view keyword);
  // One of these words.
  Parsed<std::string_view> one_of(std::span<const std::string_view> words, std::string_view what);
  // Any plain word: a name, or a pattern.
  Parsed<std::string> name(std::string_view what);
  // Any word, quoted or not.
  Parsed<std::string> text(std::string_view what);
  Parsed<Duration> duration();
  Parsed<std::int64_t> number(std::string_view what, std::int64_t least = 0,
                              std::int64_t most = std::numeric_limits<std::int64_t>::max());
  // A word read by `read`, which gets its text and returns a Value.
  template <typename Read>
  auto value(Read read) -> Parsed<typename decltype(read(std::string_view()))::value_type> {
    if (at_end()) {
      const auto nothing = read(std::string_view());
      return expected(nothing ? std::string("a value") : nothing.error());
    }
    auto result = read(std::string_view(peek()->text));
    if (!result) return expected(result.error());
    skip();
    return *std::move(result);
  }
  Parsed<void> end();

 private:
  const Line& line_;
  std::span<const Word> words_;
  std::size_t next_ = 0;
};

// `expected WHAT, found "TEXT"` at a place.
Mistake unexpected_text(Position at, std::string_view what, std::string_view found);
// "did you mean X?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace berth::scenario
