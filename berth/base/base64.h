// Standard base64 with padding (RFC 4648), judged as Go's encoding/base64 does: line breaks are skipped, blanks are an
// error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace berth {

std::string base64_of(std::string_view bytes);

// Nothing if the text is not base64.
std::optional<std::string> from_base64(std::string_view text);

// The offset that Go names in "illegal base64 data at input byte N"; nothing if the text is well.
std::optional<std::size_t> first_invalid_base64(std::string_view text);

}  // namespace berth
