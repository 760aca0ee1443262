#include "berth/codec/field_suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "berth/base/nearest_name.h"

namespace berth::codec {

namespace {

// So many names may be listed in an error without hiding it.
constexpr std::size_t kFewFields = 8;
// How deep a misplaced field is looked for: a container of a template is at 4.
constexpr std::size_t kMaxSearchDepth = 6;

struct Place {
  std::string path;
  const KnownType* type;
  std::size_t depth;
};

// Whether one lies within the other: what a wrong indentation confuses.
bool is_on_one_line(const std::string& a, const std::string& b) {
  const auto is_within = [](const std::string& inner, const std::string& outer) {
    return outer.empty() || (inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '.'));
  };
  return is_within(a, b) || is_within(b, a);
}

// The places that have a field of this name, nearest to the root first, as far as they are on one line with `place`.
std::string place_of(const KnownType& root, const std::string& place, std::string_view name) {
  std::vector<Place> places = {{"", &root, 0}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place at = places[i];
    // What every object has (a name, labels) says nothing.
    const bool is_elsewhere = at.path != place && !at.path.empty() && at.type->name != "ObjectMeta";
    if (is_elsewhere && at.type->find(name) != nullptr && is_on_one_line(at.path, place)) {
      return fmt::format("{}.{}", at.path, name);
    }
    if (at.depth == kMaxSearchDepth || !is_on_one_line(at.path, place)) continue;
    for (const KnownField& field : at.type->fields) {
      if (field.type == nullptr) continue;
      places.push_back({(at.path.empty() ? "" : at.path + ".") + field_text(field), field.type, at.depth + 1});
    }
  }
  return "";
}

}  // namespace

std::string field_text(const KnownField& field) {
  std::string text(field.name);
  for (const char container : field.containers) text += container == 'l' ? "[]" : ".*";
  return text;
}

std::string suggested_field(const KnownType& root, const KnownType& type, const std::string& place,
                            std::string_view name) {
  std::vector<std::string_view> names;
  for (const KnownField& field : type.fields) names.push_back(field.name);
  // A slip of the pen, then a wrong indentation, then a name that is only like it.
  constexpr std::size_t kSlip = 2;
  const std::string_view meant = nearest_name(name, names);
  const bool is_slip = !meant.empty() && edit_distance(meant, name) <= kSlip;
  const std::string elsewhere = is_slip ? "" : place_of(root, place, name);
  if (!elsewhere.empty()) return fmt::format("did you mean {}? Check the indentation", elsewhere);
  if (!meant.empty()) return fmt::format("did you mean \"{}\"?", meant);
  if (names.empty() || names.size() > kFewFields) return "";
  return fmt::format("there {} {}", names.size() == 1 ? "is only" : "are", fmt::join(names, ", "));
}

}  // namespace berth::codec
