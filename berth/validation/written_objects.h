// Reading what a person wrote (a manifest, not a dump of a cluster), as strictly as kubectl and the API server do: a
// field that does not exist, a field given twice, and what the API server would refuse (validate.h) are errors with
// file, line and path. Thread safe.
#pragma once

#include <string_view>

#include "berth/base/interned.h"
#include "berth/codec/documents.h"

namespace berth::validation {

// `name` stands in errors for the file. Equal parts of objects are shared through the pool, which may be null.
void read_written(std::string_view text, std::string_view name, InternPool* pool, codec::Documents& into);

}  // namespace berth::validation
