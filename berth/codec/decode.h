// What the readers of all three formats share: their options, limits and the watch event.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/interned.h"

namespace berth::codec {

// How deep objects may nest. Kubernetes' own types need about 20; raw extensions may bring more.
inline constexpr int kMaxDepth = 200;
// How large one document may be: the largest dumps of real clusters are a few hundred megabytes.
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{2} << 30;

struct DecodeOptions {
  // Equal parts of objects are shared through it. May be null.
  InternPool* pool = nullptr;
  // Unknown and duplicate fields are errors. All of them are reported: the first as the result, all through `report`.
  // Where objects are read by their kind from documents (documents.h), unknown means that Kubernetes has no such field;
  // elsewhere, that the schema table has none.
  bool strict = false;
  // Called in strict mode for each unknown or duplicate field with an error that names its path. May be empty.
  std::function<void(const Error&)> report;
  // Called in strict mode by documents.h for each object that was read. What it finds becomes errors of the document,
  // with the line of the field that where() names. May be empty.
  std::function<std::vector<Error>(const api::AnyObject&)> validate = {};
};

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark, kError };
  Type type;
  // For kBookmark only metadata.resourceVersion is set; for kError a Status.
  api::AnyObject object;
};

}  // namespace berth::codec
