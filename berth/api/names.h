// The syntax of names: label keys and values, DNS names, whole numbers. Each check returns what is wrong, in upstream's
// words (k8s.io/apimachinery v0.36.3), and nothing if the text is fine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::api {

// Bytes of the name part of a label key, of a label value and of a DNS label.
inline constexpr std::size_t kMaxLabelBytes = 63;
// Bytes of a DNS subdomain.
inline constexpr std::size_t kMaxSubdomainBytes = 253;

// A label key, which is also the form of a resource name: "name" or "example.com/name".
std::vector<std::string> qualified_name_errors(std::string_view name);
bool is_qualified_name(std::string_view name);

std::vector<std::string> label_value_errors(std::string_view value);
bool is_label_value(std::string_view value);

// "my-name"
std::vector<std::string> dns_label_errors(std::string_view label);
// "my-name.example.com"
std::vector<std::string> dns_subdomain_errors(std::string_view subdomain);

// A decimal int64 as Go's strconv.ParseInt reads it: a sign and leading zeros are allowed.
std::optional<std::int64_t> parse_integer(std::string_view text);
// The same, but only in the form in which numbers are printed: "7", not "+7" or "07", and not "-0".
std::optional<std::int64_t> parse_canonical_integer(std::string_view text);

// As Go's %q prints a string, for texts that upstream would print. Characters above ASCII are taken to be printable.
std::string quoted(std::string_view text);

// `place: Invalid value: "value": what`, as upstream's field.Invalid prints it.
std::string invalid_value(std::string_view place, std::string_view value, std::string_view what);
// `place: Invalid value: ["a","b"]: what`. No values are printed as null.
std::string invalid_values(std::string_view place, std::span<const std::string_view> values, std::string_view what);
// `place: Unsupported value: "value": supported values: "a", "b"`
std::string unsupported_value(std::string_view place, std::string_view value,
                              std::span<const std::string_view> supported);

// Several errors as upstream's aggregate prints them: the text itself if there is one, "[a, b]" without repetitions if
// there are more.
std::string aggregate_errors(std::span<const std::string> errors);

}  // namespace berth::api
