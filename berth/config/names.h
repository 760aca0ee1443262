// The rules for names that Kubernetes has: label keys (which are qualified names), label values, extended resources.
// Each function returns what is wrong, in Kubernetes' words; nothing if the name is well.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

std::vector<std::string> check_label_key(std::string_view key);
std::vector<std::string> check_label_value(std::string_view value);

// True for resources outside kubernetes.io that a quota could name: "example.com/gpu".
bool is_extended_resource_name(std::string_view name);

}  // namespace berth::config
