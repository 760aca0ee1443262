// Makes JSON that is printed harmless to a terminal, as escape.h does for other text: characters that a reader does not
// see become \u escapes, which stand for the same in JSON. JSON needs that for the control characters of ASCII only.
#pragma once

#include <string>
#include <string_view>

namespace berth::text {

std::string escaped_json(std::string_view json);

}  // namespace berth::text
