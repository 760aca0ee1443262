// The kube-scheduler releases whose queue rules Berth knows. What each of them does is in rules.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace berth::queue {

enum class Release : std::uint8_t { kV1_17, kV1_20, kV1_28, kV1_36 };

// "v1.17", as the option `compatibility` spells it.
std::string_view to_string(Release release);
// Accepts a patch release too: "v1.17.17". Nothing if the queue has no rules for it.
std::optional<Release> parse_release(std::string_view text);

}  // namespace berth::queue
