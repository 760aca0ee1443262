// Reads what people have: files with any mix of YAML and JSON documents, Lists, arrays and `kubectl get -o yaml|json`
// dumps, and gives back objects. What cannot be read is reported and skipped, so that one odd document does not hide
// the others; a text that holds no Kubernetes objects at all is told for what it is (foreign_text.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/object.h"
#include "berth/codec/decode.h"

namespace berth::codec {

// An object that could not be read, as far as it says which one it is.
struct UnreadableObject {
  std::string api_version;
  std::string kind;
  std::string name_space;
  std::string name;
  Error error;
};

struct Documents {
  std::vector<api::AnyObject> objects;
  // Documents or list items that could not be read, with file, line or path, field and reason.
  std::vector<Error> errors;
  // Those of them that say which object they are.
  std::vector<UnreadableObject> unreadable;
  // Kinds that Berth does not know ("apps/v1 ControllerRevision") and how often they were seen; not errors.
  std::vector<std::pair<std::string, std::size_t>> unknown_kinds;
  // What was put right about the objects, in a sentence each.
  std::vector<std::string> notes;
};

// `name` stands in errors for the file. The format is told from the text: a text whose first character is { or [ is
// JSON, possibly several values one after another; anything else is YAML.
void read_documents(std::string_view text, std::string_view name, const DecodeOptions& options, Documents& into);

}  // namespace berth::codec
