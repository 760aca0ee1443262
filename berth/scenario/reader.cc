#include "berth/scenario/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/base/ascii.h"
#include "berth/config/suggest.h"
#include "berth/scenario/fields.h"
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

// Words of Kubernetes, and of other languages, for what is called otherwise here.
constexpr auto kOtherWords = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"mem", "memory"},
    {"ram", "memory"},
    {"disk", "ephemeral-storage"},
    {"storage", "ephemeral-storage"},
    {"affinity", "near"},
    {"podaffinity", "near"},
    {"antiaffinity", "away"},
    {"podantiaffinity", "away"},
    {"nodeaffinity", "requires"},
    {"nodeselector", "node-selector."},
    {"selector", "node-selector."},
    {"toleration", "tolerates"},
    {"tolerations", "tolerates"},
    {"taints", "taint"},
    {"label", "label."},
    {"labels", "label."},
    {"annotations", "annotation."},
    {"priorityclass", "class"},
    {"priorityclassname", "class"},
    {"preemptionpolicy", "preemption"},
    {"topologyspread", "spread"},
    {"maxskew", "spread"},
    {"hostport", "port"},
    {"ports", "port"},
    {"pvc", "claim"},
    {"volume", "claim"},
    {"gates", "gate"},
    {"schedulername", "scheduler"},
    {"nodename", "node"},
    {"duration", "runs"},
    {"count", "replicas"},
    {"parallelism", "replicas"},
    {"completion", "completions"},
    {"cordoned", "unschedulable"},
    {"scheduled", "bound"},
    {"placed", "bound"},
    {"evicted", "preempted"},
    {"deleted", "gone"},
    {"completed", "succeeded"},
    {"waiting", "pending"},
    {"queued", "pending"},
    {"free-cpu", "free"},
    {"create", "pod"},
    {"remove", "delete"},
    {"kill", "delete"},
    {"sleep", "run"},
    {"wait", "run"},
    {"assert", "expect"},
    {"check", "expect"},
});

std::string_view other_word(std::string_view word, std::span<const std::string_view> known) {
  std::string letters;
  for (const char c : word) {
    if (c != '-' && c != '_') letters += ascii_lower(c);
  }
  for (const auto& [other, own] : kOtherWords) {
    if (letters == other && std::ranges::find(known, own) != known.end()) return own;
  }
  return {};
}

// "term" for "terminating".
std::string_view longer_word(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() < 3) return {};
  const auto found = std::ranges::find_if(known, [&](std::string_view each) { return each.starts_with(word); });
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
  std::string_view nearest = other_word(word, known);
  if (nearest.empty()) nearest = config::nearest_name(word, known);
  if (nearest.empty()) nearest = same_letters(word, known);
  if (nearest.empty()) nearest = longer_word(word, known);
  if (nearest.empty() || nearest == word) return "";
  return fmt::format("did you mean \"{}{}\"?", nearest, nearest.ends_with('.') ? "KEY" : "");
}

Mistake unknown_field(const Word& word, std::span<const std::string_view> known) {
  std::string fix = did_you_mean(word.key(), known);
  if (fix.empty()) {
    const bool has_labels = std::ranges::find(known, "label.") != known.end();
    if (has_labels && word.has_value()) fix = fmt::format("a label is written label.{}; ", word.text);
    fix += fmt::format("the fields are {}", fmt::join(known, ", "));
  }
  return {word.at, fmt::format("there is no field \"{}\" here", word.key()), std::move(fix)};
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
  if (!number && read_number(peek()->text)) return expected(fmt::format("{}, from {} to {}", what, least, most));
  if (!number) return expected(what);
  skip();
  return *number;
}

Parsed<void> Reader::end() {
  if (at_end()) return {};
  return mistake(here(), fmt::format("expected the end of the line, found \"{}\"", peek()->text));
}

}  // namespace berth::scenario
