// Names that a misspelled one was probably meant to be: the "did you mean" of error messages about fields and gates.
#pragma once

#include <span>
#include <string_view>

namespace berth::config {

// Empty if no name is close: a name of n letters may be wrong in about a third of them.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace berth::config
