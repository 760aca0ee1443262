// UTF-8 as RFC 3629 defines it and Go's utf8.Valid checks it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace berth {

// The offset at which the first sequence that is not UTF-8 begins; nothing if all of `text` is valid.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

inline bool is_valid_utf8(std::string_view text) {
  return !first_invalid_utf8(text).has_value();
}

}  // namespace berth
