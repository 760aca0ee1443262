// The names of all fields of Kubernetes' types, and what may stand in each. Internal to this folder.
//
// The schema tables of berth/api hold what a scheduler reads. A person who misspells a field wants to hear of it
// although Berth does not keep the field that was meant, so strict reading looks here. The table is generated from
// Kubernetes' Go types: tests/oracle/fields has the program and the form, and a test compares the two. It is taken
// apart on first use, is immutable then and may be read from any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace berth::codec {

enum class FieldForm : std::uint8_t {
  kString,
  kBool,
  kInteger,
  kNumber,
  kQuantity,
  kIntOrString,
  kText,  // bytes, a time or a duration: a string with a form of its own
  kAny,
  kObject,
};

struct KnownType;

struct KnownField {
  std::string_view name;
  FieldForm form = FieldForm::kString;
  // "[]" and "{}" in front of the form, outermost first: 'l' for a list, 'm' for a map.
  std::string_view containers;
  const KnownType* type = nullptr;  // of kObject
  std::uint32_t number = 0;         // in protobuf; 0: it is not there
};

struct KnownType {
  std::string_view name;
  std::vector<KnownField> fields;  // by name

  // Null if there is none of that name.
  const KnownField* find(std::string_view name) const;
};

// Null for a kind that is not in the table: a custom resource.
const KnownType* known_type(std::string_view api_version, std::string_view kind);

}  // namespace berth::codec
