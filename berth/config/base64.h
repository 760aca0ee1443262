// Standard base64 with padding, judged as Go's encoding/base64 does.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace berth::config {

// The offset that Go names in "illegal base64 data at input byte N"; nothing if the text is well. Line breaks are
// skipped.
std::optional<std::size_t> first_invalid_base64(std::string_view text);

// Requires: first_invalid_base64() finds nothing.
std::string decode_base64(std::string_view text);

}  // namespace berth::config
