// JSON as text: the pieces that writers put together, and the place and reason of an error in a text that simdjson has
// refused, because simdjson tells neither. Internal to this folder.
#pragma once

#include <string>
#include <string_view>

#include "berth/codec/value_node.h"

namespace berth::codec {

// With quotes, and with the escapes of Go's encoding/json: control characters, <, > and &, U+2028 and U+2029.
void append_json_string(std::string& out, std::string_view text);

// As Go's encoding/json writes a float64: the shortest digits that read back the same; an exponent below 1e-6 and from
// 1e21 on. Requires: finite.
void append_json_number(std::string& out, double value);

// As Go's strconv.FormatFloat(value, 'g', -1), the form that goyaml writes: an exponent below 1e-4 and from 1e6 on.
// With `single`, the digits are those that a float32 needs. Requires: finite.
void append_shortest_number(std::string& out, double value, bool single = false);

// The same JSON spread over lines, as Go's json.Indent does. Requires: valid JSON.
std::string indent_json(std::string_view json, int indent);

// Where and why a text is not JSON. `nothing_found` is the error if the text looks well.
Problem find_json_error(std::string_view text, std::string_view nothing_found);

// The length of the value that `text` begins with, up to where the next may begin: matches brackets, checks nothing
// else. The whole text if it is cut off.
std::size_t json_value_length(std::string_view text);

}  // namespace berth::codec
