// "Did you mean": the known name that a misspelled one is closest to.
#pragma once

#include <span>
#include <string_view>

namespace berth::config {

// Empty if no name is close: a name of n letters may be wrong in about a third of them.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace berth::config
