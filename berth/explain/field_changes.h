// What differs between two values of one type, field by field, as the operations of a JSON patch (RFC 6902) that turns
// one into the other. Works for every type with a schema table; nothing here knows what a pod is.
//
// A field that is empty in `before` counts as not there, so that the patch also fits an object that never had it: the
// whole field is added then. A list that only grew gets its new elements appended, one that lost elements has them
// removed from the back; any other list is changed element by element, or replaced if its length differs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/api/schema.h"

namespace berth::explain {

struct PatchOperation {
  std::string_view op;  // "add", "replace", "remove"
  std::string path;     // a JSON pointer: "/spec/nodeSelector/example.com~1disk"
  std::string from;     // JSON; empty if there was nothing
  std::string to;       // JSON; empty for "remove"
};

// `path` is put in front of every path.
std::vector<PatchOperation> field_changes(const api::Type& type, const void* before, const void* after,
                                          std::string_view path = "");

template <typename T>
std::vector<PatchOperation> field_changes(const T& before, const T& after, std::string_view path = "") {
  return field_changes(api::type_of<T>(), &before, &after, path);
}

// [{"op":"replace","path":"/spec/x","value":1}]
std::string json_patch(const std::vector<PatchOperation>& operations);

// One step of a JSON pointer: ~ and / are escaped.
std::string pointer_step(std::string_view name);

}  // namespace berth::explain
