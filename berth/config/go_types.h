// How values and types are called in the messages of Go's JSON decoder: "json: cannot unmarshal string into Go struct
// field KubeSchedulerProfile.profiles.schedulerName of type int32". Internal to decode.cc.
#pragma once

#include <string>
#include <string_view>

#include "berth/api/schema.h"

namespace berth::config {

// The Go type of a field: "int32", "[]v1.Plugin", "v1.NodeSelectorOperator".
std::string go_type_of(const api::Schema& owner, const api::Field& field);
// The Go type of the elements of a list type: "v1.Plugin" for "[]v1.Plugin".
std::string_view go_element(std::string_view go_type);

// The struct that is embedded around a field in Go, which the decoder names in paths; empty for almost all.
std::string_view go_embedded_in(const api::Schema& owner, std::string_view json_name);

// Whether a string field is a []byte in Go: base64.
bool is_go_bytes(std::string_view go_type);

}  // namespace berth::config
