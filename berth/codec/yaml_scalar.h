// What a YAML scalar means to Kubernetes, whose YAML reader (goyaml v2) follows YAML 1.1 with additions of its own: yes
// and off are booleans, 0x1F, 0o17, 017 and 1_000 integers, 1e3 a number. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/codec/value_node.h"

namespace berth::codec {

struct YamlScalar {
  NodeKind kind = NodeKind::kString;
  bool boolean = false;
  std::int64_t integer = 0;
  std::uint64_t big_integer = 0;
  double real = 0;  // may be infinite or not a number
};

// The meaning of a scalar without quotes. A number too large for its type is what goyaml makes of it: an integer
// becomes a real, a real a string.
YamlScalar resolve_yaml_scalar(std::string_view text);

// True if goyaml puts the text in quotes because it reads as something else without: what resolves to another kind, and
// also times and numbers to the base 60.
bool needs_yaml_quotes(std::string_view text);

}  // namespace berth::codec
