// How reports put times, counts and long lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "berth/base/time.h"

namespace berth::report {

// A time as people say it, with two parts at most: "0s", "0.4ms", "12ms", "1.2s", "45s", "3m20s", "2h5m", "1d4h".
std::string short_time(Duration duration);
std::string short_time(double seconds);

// "1,234,567"
std::string grouped(std::int64_t number);
// "1 pod", "1,234 pods"
std::string count_of(std::int64_t number, std::string_view thing);

// "87%"; what is neither nothing nor all is never rounded to it: "<1%", ">99%".
std::string percent(double share);

// Breaks `text` at blanks into lines of at most `width` columns. The first line follows `first`, the others `rest`;
// both count. A word that is longer than a line stands alone. Ends with a newline.
std::string wrapped(std::string_view text, std::size_t width, std::string_view first, std::string_view rest);

// Columns that a UTF-8 text takes up, one for each character.
std::size_t columns(std::string_view text);
// The beginning of a UTF-8 text that takes up `width` columns at most.
std::string_view cut_to(std::string_view text, std::size_t width);

}  // namespace berth::report
