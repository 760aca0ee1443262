// Which objects a statement is about: [NAMESPACE/]NAME, with * for anything in patterns and {n} for the number of a
// repetition.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/symbol.h"
#include "berth/scenario/reader.h"
#include "berth/sim/world.h"

namespace berth::scenario {

inline constexpr std::string_view kNumber = "{n}";

struct Target {
  std::string name_space = "default";  // without meaning for kinds that have none
  std::string name;

  bool is_pattern() const;
  bool matches(const api::ObjectMeta& metadata, bool namespaced) const;
  // "namespace/name"
  std::string full_name() const { return name_space + "/" + name; }
  // As the user wrote it: "default/" is left out.
  std::string shown() const { return name_space == "default" ? name : full_name(); }
};

Target target_of(std::string_view text);
Parsed<Target> read_target(Reader& reader, std::string_view what);

// With the number in place of {n}; 0 leaves it.
std::string numbered(std::string_view name, std::size_t number);
Target numbered(Target target, std::size_t number);
// The same for all words of a statement, and its document.
Line numbered(Line line, std::size_t number);
bool has_number(std::string_view text);
bool has_number(const Line& line);
// The names of `count` things: NAME-1, NAME-2, ... or with the number in place of {n}.
std::string name_of_many(std::string_view name, std::size_t index, std::size_t repetition);

// Null if there is no kind of that name: "pod", "pods", "deployment", "pvc", "PersistentVolumeClaim".
const api::ObjectKind* kind_of_word(std::string_view word);
Parsed<const api::ObjectKind*> read_kind(Reader& reader);
// "deployment"
std::string word_of(const api::ObjectKind& kind);

// In order of namespace and name. The error: there is none.
Result<std::vector<api::AnyObject>> find(const sim::World& world, const api::ObjectKind& kind, const Target& target);

// Changes each of the objects that `target` means.
template <typename Object, typename Change>
Result<void> edit(sim::World& world, const Target& target, Change change) {
  const auto objects = find(world, api::kind_of<Object>(), target);
  if (!objects) return fail(objects.error());
  for (const api::AnyObject& each : *objects) {
    Object object = *each.as<Object>();
    change(object);
    if (auto done = world.update(api::AnyObject(std::make_shared<const Object>(std::move(object)))); !done) return done;
  }
  return {};
}

}  // namespace berth::scenario
