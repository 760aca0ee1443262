#include "berth/scenario/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "berth/scenario/values.h"
#include "berth/sim/api_server.h"

namespace berth::scenario {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

constexpr auto kShortNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"pdb", "PodDisruptionBudget"},
    {"pv", "PersistentVolume"},
    {"pvc", "PersistentVolumeClaim"},
});

// Kinds that have no objects in a simulated cluster.
bool is_left_out(const api::ObjectKind& kind) {
  return kind.metadata == nullptr || kind.kind == "Binding" || kind.kind == "Event" || kind.kind == "Lease";
}

}  // namespace

bool Target::is_pattern() const {
  return scenario::is_pattern(name) || scenario::is_pattern(name_space);
}

bool Target::matches(const api::ObjectMeta& metadata, bool namespaced) const {
  return (!namespaced || matches_pattern(name_space, metadata.name_space.text())) &&
         matches_pattern(name, metadata.name);
}

Target target_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {.name = std::string(text)};
  return {.name_space = std::string(text.substr(0, slash)), .name = std::string(text.substr(slash + 1))};
}

Parsed<Target> read_target(Reader& reader, std::string_view what) {
  const auto name = reader.name(what);
  if (!name) return std::unexpected(name.error());
  return target_of(*name);
}

std::string numbered(std::string_view name, std::size_t number) {
  std::string result(name);
  if (number == 0) return result;
  for (std::size_t at = result.find(kNumber); at != std::string::npos; at = result.find(kNumber, at)) {
    result.replace(at, kNumber.size(), std::to_string(number));
  }
  return result;
}

Target numbered(Target target, std::size_t number) {
  target.name = numbered(target.name, number);
  return target;
}

Line numbered(Line line, std::size_t number) {
  for (Word& word : line.words) {
    if (word.has_value()) word.equals = numbered(word.key(), number).size();
    word.text = numbered(word.text, number);
  }
  if (line.document) line.document->text = numbered(line.document->text, number);
  return line;
}

bool has_number(std::string_view text) {
  return text.find(kNumber) != std::string_view::npos;
}

bool has_number(const Line& line) {
  return std::ranges::any_of(line.words, [](const Word& word) { return has_number(word.text); }) ||
         (line.document && has_number(line.document->text));
}

std::string name_of_many(std::string_view name, std::size_t index, std::size_t repetition) {
  if (repetition == 0 && has_number(name)) return numbered(name, index + 1);
  return fmt::format("{}-{}", numbered(name, repetition), index + 1);
}

const api::ObjectKind* kind_of_word(std::string_view word) {
  for (const auto& [short_name, kind] : kShortNames) {
    if (word == short_name) return kind_of_word(kind);
  }
  const std::string lowered = lower(word);
  for (const api::ObjectKind& kind : api::all_kinds()) {
    if (!is_left_out(kind) && (lower(kind.kind) == lowered || kind.resource == lowered)) return &kind;
  }
  return nullptr;
}

std::string word_of(const api::ObjectKind& kind) {
  return lower(kind.kind);
}

Parsed<const api::ObjectKind*> read_kind(Reader& reader) {
  const Word* word = reader.peek();
  const api::ObjectKind* kind = word == nullptr ? nullptr : kind_of_word(word->text);
  if (kind == nullptr) {
    std::vector<std::string> words;
    for (const api::ObjectKind& each : api::all_kinds()) {
      if (!is_left_out(each)) words.push_back(word_of(each));
    }
    const std::vector<std::string_view> known(words.begin(), words.end());
    return reader.expected("a kind of object such as pod, node or deployment", known);
  }
  reader.skip();
  return kind;
}

Result<std::vector<api::AnyObject>> find(const sim::World& world, const api::ObjectKind& kind, const Target& target) {
  std::vector<api::AnyObject> found;
  if (!target.is_pattern()) {
    const Symbol name_space = kind.namespaced ? Symbol(target.name_space) : Symbol();
    if (api::AnyObject object = world.api().get(kind, name_space, target.name)) found.push_back(std::move(object));
  } else {
    world.api().for_each(kind, [&](const api::AnyObject& object) {
      if (target.matches(object.metadata(), kind.namespaced)) found.push_back(object);
    });
  }
  if (found.empty()) return fail(fmt::format("there is no {} {}", word_of(kind), target.shown()));
  return found;
}

}  // namespace berth::scenario
