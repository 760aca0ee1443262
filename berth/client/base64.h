// Standard base64 with padding, as certificates stand in kubeconfigs and passwords in headers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::client {

std::string base64_of(std::string_view bytes);

// Line breaks and blanks are skipped. Nothing if the text is not base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace berth::client
