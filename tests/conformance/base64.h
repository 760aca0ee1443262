// Base64 as the traces use it (RFC 4648, with padding).
#pragma once

#include <string>
#include <string_view>

namespace berth::conformance {

// Throws std::runtime_error on anything that is not base64.
std::string from_base64(std::string_view text);
std::string to_base64(std::string_view bytes);

}  // namespace berth::conformance
