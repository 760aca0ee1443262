// Symbols of texts that strangers send. A symbol's text is kept until the process ends, so whoever looks something up
// by a text from outside must not make a symbol of it: if there is none yet, nothing has that name.
#pragma once

#include <optional>
#include <string_view>

#include "berth/base/symbol.h"

namespace berth {

// The symbol of the text if anybody has made one before.
std::optional<Symbol> known_symbol(std::string_view text);

}  // namespace berth
