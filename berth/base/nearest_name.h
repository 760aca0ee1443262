// Names that a misspelled one was probably meant to be: the "did you mean" of error messages.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace berth {

// How many single-letter edits (insert, delete, replace, swap of neighbours) turn `a` into `b`. Case does not count.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Empty if no name is close: a name of n letters may be wrong in about a third of them. Of several that are equally
// close, the first.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace berth
