// KEY=VALUE words, and flags: what a statement says about the thing it names. Tables of them, which the parser, the
// documentation's test and the list of words all read.
#pragma once

#include <fmt/format.h>

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "berth/scenario/reader.h"
#include "berth/scenario/syntax.h"

namespace berth::scenario {

using Done = std::expected<void, std::string>;  // the error: what was expected

struct FieldHelp {
  std::string_view key;   // "cpu"; "label." has a name after the dot, "hugepages-" a size after the dash;
                          // "DOMAIN/NAME" is any key with a slash
  std::string_view form;  // of the value: "QUANTITY"; empty: a flag, which has no value
  std::string_view help;

  bool is_flag() const { return form.empty(); }
  bool fits(std::string_view word_key) const {
    if (key.ends_with('.') || key.ends_with('-')) return word_key.starts_with(key) && word_key.size() > key.size();
    if (key == "DOMAIN/NAME") return word_key.find('/') != std::string_view::npos;
    return word_key == key;
  }
};

// What is being described, such as a NodeDraft, takes the value.
template <typename Draft>
struct FieldSpec {
  FieldHelp help;
  // `name` is what follows the dot of "label.", or the whole key.
  Done (*set)(Draft& draft, std::string_view name, std::string_view value);
};

template <typename Draft>
struct FieldsOf {
  std::span<const FieldSpec<Draft>> table;
  Draft& draft;
};

// Nothing if the table has no such field.
template <typename Draft>
std::optional<Parsed<void>> set_field(const Word& word, const FieldsOf<Draft>& fields) {
  if (word.is_quoted) return std::nullopt;
  for (const FieldSpec<Draft>& field : fields.table) {
    if (!field.help.fits(word.key())) continue;
    if (field.help.is_flag() && word.has_value()) {
      return mistake(word.at, fmt::format("\"{}\" takes no value", word.key()));
    }
    if (!field.help.is_flag() && !word.has_value()) {
      return mistake(word.at, fmt::format("\"{}\" needs a value", word.key()),
                     fmt::format("{}={}", word.key(), field.help.form));
    }
    const std::string_view name = field.help.key.ends_with('.') ? word.key().substr(field.help.key.size()) : word.key();
    const std::string_view value = word.has_value() ? word.value() : std::string_view();
    if (const Done done = field.set(fields.draft, name, value); !done) {
      return std::unexpected(unexpected_text(word.value_at(), done.error(), value));
    }
    return Parsed<void>();
  }
  return std::nullopt;
}

template <typename Draft>
void add_keys(std::span<const FieldSpec<Draft>> table, std::vector<std::string_view>& into) {
  for (const FieldSpec<Draft>& field : table) into.push_back(field.help.key);
}

// What to write in place of a field that is not there.
Mistake unknown_field(const Word& word, std::span<const std::string_view> known);

// All words that are left. A field is looked for in the tables in their order.
template <typename... Drafts>
Parsed<void> read_fields(Reader& reader, FieldsOf<Drafts>... fields) {
  for (; !reader.at_end(); reader.skip()) {
    const Word& word = *reader.peek();
    std::optional<Parsed<void>> result;
    ((result = set_field(word, fields)).has_value() || ...);
    if (result && !*result) return std::unexpected(result->error());
    if (result) continue;
    std::vector<std::string_view> keys;
    (add_keys(fields.table, keys), ...);
    return std::unexpected(unknown_field(word, keys));
  }
  return {};
}

template <typename Draft>
std::vector<FieldHelp> help_of(std::span<const FieldSpec<Draft>> table) {
  std::vector<FieldHelp> result;
  for (const FieldSpec<Draft>& field : table) result.push_back(field.help);
  return result;
}

// Reads a value into a place: set_to(draft.count, read_number(value)).
template <typename Place, typename Read>
Done set_to(Place& place, Value<Read> value) {
  if (!value) return std::unexpected(std::move(value.error()));
  place = *std::move(value);
  return {};
}
template <typename Read>
Done add_to(std::vector<Read>& list, Value<Read> value) {
  if (!value) return std::unexpected(std::move(value.error()));
  list.push_back(*std::move(value));
  return {};
}

}  // namespace berth::scenario
