// YAML in both directions, for every type with a schema. A YAML document means what it means to Kubernetes: plain
// scalars are resolved as kubectl does (true, 1, 0.5, ~ are not strings), and a number where a string is expected is an
// error that says to quote it. Errors name line and path.
//
// Aliases are followed, but a document may not grow by them beyond kMaxYamlNodes. Thread safe.
#pragma once

#include <string>
#include <string_view>

#include "berth/api/object.h"
#include "berth/codec/decode.h"

namespace berth::codec {

// How many nodes a document may have once its aliases are followed; a dump of a large cluster has some ten million.
inline constexpr std::size_t kMaxYamlNodes = 100'000'000;
// ... and how many times more than it has in the text: an exploding document is refused early.
inline constexpr std::size_t kMaxYamlAliasGrowth = 20;

// Exactly one document.
Result<void> read_yaml(std::string_view text, const api::Type& type, void* target, const DecodeOptions& options = {});

template <typename T>
Result<T> from_yaml(std::string_view text, const DecodeOptions& options = {}) {
  T value{};
  if (auto read = read_yaml(text, api::type_of<T>(), &value, options); !read) return fail(read.error());
  return value;
}

Result<api::AnyObject> object_from_yaml(std::string_view text, const DecodeOptions& options = {});

// Keys sorted, as kubectl and kube-scheduler write YAML; indentation as theirs.
std::string to_yaml(const api::Type& type, const void* value);

template <typename T>
std::string to_yaml(const T& value) {
  return to_yaml(api::type_of<T>(), &value);
}

std::string object_to_yaml(const api::AnyObject& object);

}  // namespace berth::codec
