// Where a field stands in a document, by its path: "spec.containers[0].resources.requests[cpu]". Internal to this
// folder.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "berth/codec/value_node.h"

namespace berth::codec {

// The line of the deepest part of the path that is there; 0 if the format knows no lines. Names may have dots of their
// own, and a member of a map may be written ".key" or "[key]".
template <ValueNode Node>
std::uint32_t line_of_path(const Node& node, std::string_view path) {
  if (path.empty()) return node.line();
  std::uint32_t line = 0;
  if (node.kind() == NodeKind::kList && path.front() == '[') {
    std::size_t index = 0;
    const std::size_t close = path.find(']');
    if (close == std::string_view::npos) return node.line();
    std::from_chars(path.data() + 1, path.data() + close, index);
    std::size_t at = 0;
    node.each_element([&](const Node& element) {
      if (at++ != index) return true;
      line = line_of_path(element, path.substr(close + 1));
      return false;
    });
  } else if (node.kind() == NodeKind::kMap) {
    const bool is_key = path.front() == '[';
    const std::string_view rest = is_key ? path.substr(1) : path.front() == '.' ? path.substr(1) : path;
    node.each_member([&](std::string_view name, const Node& value) {
      if (name.empty() || !rest.starts_with(name)) return true;
      std::string_view behind = rest.substr(name.size());
      if (is_key && !behind.starts_with(']')) return true;
      if (is_key) behind.remove_prefix(1);
      if (!behind.empty() && behind.front() != '.' && behind.front() != '[') return true;
      line = line_of_path(value, behind);
      return false;
    });
  }
  return line != 0 ? line : node.line();
}

}  // namespace berth::codec
