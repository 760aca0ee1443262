// Everything but nodes, pods and workloads: budgets, priority classes, namespaces, services and storage. One row per
// statement word, with its fields.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/object.h"
#include "berth/scenario/fields.h"
#include "berth/scenario/reader.h"

namespace berth::scenario {

struct ObjectWord {
  std::string_view word;  // "pdb"
  std::string_view help;
  std::vector<FieldHelp> fields;
  // Reads the fields and makes an object of that name.
  Parsed<api::AnyObject> (*make)(Reader& reader, Symbol name_space, const std::string& name);
};

std::span<const ObjectWord> object_words();

}  // namespace berth::scenario
