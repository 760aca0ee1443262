// What a field that does not exist was probably meant to be. Internal to this folder.
#pragma once

#include <string>
#include <string_view>

#include "berth/codec/known_fields.h"

namespace berth::codec {

// "containers[]", as a path without indices shows the field.
std::string field_text(const KnownField& field);

// The fix of an unknown field `name` in an object of `type`, which stands at `place` (without indices) in an object of
// type `root`: the name that is nearly the same, or the place further out or further in that has a field of this name,
// or, if there are few, the names that there are. Empty if nothing can be said.
std::string suggested_field(const KnownType& root, const KnownType& type, const std::string& place,
                            std::string_view name);

}  // namespace berth::codec
