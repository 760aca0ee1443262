// A list of which some items cannot be decoded: what is left of it.
#pragma once

#include <string_view>

#include "berth/api/object.h"
#include "berth/base/error.h"
#include "berth/base/function_ref.h"
#include "berth/codec/decode.h"

namespace berth::informer {

// As codec::list_from_protobuf(), but items that cannot be decoded are left out and reported. An error: the list itself
// is malformed, or cut short.
Result<api::ObjectList> readable_list(std::string_view bytes, const codec::DecodeOptions& options,
                                      FunctionRef<void(const Error&)> unreadable);

}  // namespace berth::informer
