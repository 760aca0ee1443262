// Reads JSON into the tree of document.h, where codec's reader would lose lines, duplicates and the text of numbers.
// The errors are those of Go's JSON decoder: "invalid character '}' looking for beginning of object key string".
#pragma once

#include <expected>
#include <string_view>

#include "berth/config/document.h"

namespace berth::config {

// How deep values may nest, so that a hostile file cannot exhaust the stack; Go's decoder allows 10,000.
inline constexpr int kMaxJsonDepth = 1000;

std::expected<Value, Problem> read_json_value(std::string_view text);

}  // namespace berth::config
