// JSON in both directions, for every type with a schema. See schema.h for the tables and decode.h for the options.
//
// Reading goes through simdjson, which checks the whole text (syntax, UTF-8, nesting) before a field is looked at; so
// an object is read whole or not at all. A field of the wrong type is an error that names its path. Thread safe.
#pragma once

#include <string>
#include <string_view>

#include "berth/api/object.h"
#include "berth/codec/decode.h"

namespace berth::codec {

// Fills `target`, which is of `type` and default-constructed. Fields "apiVersion" and "kind" at the top are allowed.
Result<void> read_json(std::string_view text, const api::Type& type, void* target, const DecodeOptions& options = {});

template <typename T>
Result<T> from_json(std::string_view text, const DecodeOptions& options = {}) {
  T value{};
  if (auto read = read_json(text, api::type_of<T>(), &value, options); !read) return fail(read.error());
  return value;
}

// An object of the kind that its apiVersion and kind say. Lists are an error here: see documents.h.
Result<api::AnyObject> object_from_json(std::string_view text, const DecodeOptions& options = {});
// A typed list ("PodList") or a "v1 List" of anything.
Result<api::ObjectList> list_from_json(std::string_view text, const DecodeOptions& options = {});

// {"type":"ADDED","object":{...}}
Result<WatchEvent> watch_event_from_json(std::string_view text, const DecodeOptions& options = {});

// As Go writes it: fields in the order of the table, empty ones left out as `omitempty` does. indent 0 is one line.
std::string to_json(const api::Type& type, const void* value, int indent = 0);

template <typename T>
std::string to_json(const T& value, int indent = 0) {
  return to_json(api::type_of<T>(), &value, indent);
}

// With apiVersion and kind in front.
std::string object_to_json(const api::AnyObject& object, int indent = 0);
std::string list_to_json(const api::ObjectKind& kind, const api::ObjectList& list, int indent = 0);

}  // namespace berth::codec
