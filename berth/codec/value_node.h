// What the readers of JSON and YAML have in common: the kinds of value, the path to a value for error messages, and an
// error with the place in the text. Internal to this folder.
//
// A reader sees a document through a "node": a small value type (JsonNode, YamlNode) with these members:
//
//   NodeKind kind() const;
//   bool boolean() const;  std::int64_t integer() const;  std::uint64_t big_integer() const;  double real() const;
//   std::string_view string() const;     // valid as long as the document
//   std::uint32_t line() const;          // 0 if the format does not know
//   bool each_element(F f) const;        // f(Node); stops and returns false when f does
//   bool each_member(F f) const;         // f(std::string_view key, Node)
//   void append_json(std::string&) const;
//
// The accessors require the kind that they are for.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "berth/base/error.h"

namespace berth::codec {

// kBigInteger is above the int64 range; everything in it is kInteger.
enum class NodeKind : std::uint8_t { kNull, kBool, kInteger, kBigInteger, kReal, kString, kList, kMap };

template <typename Node>
concept ValueNode = std::copyable<Node> && requires(const Node& node, std::string& text) {
  { node.kind() } -> std::same_as<NodeKind>;
  { node.string() } -> std::same_as<std::string_view>;
  { node.line() } -> std::same_as<std::uint32_t>;
  node.append_json(text);
};

// One step of the path from the document's root, kept on the stack of the reader that takes it; it becomes text only
// when there is an error to report.
struct PathStep {
  const PathStep* parent = nullptr;
  std::string_view name = {};  // empty: an index
  std::size_t index = 0;

  // "spec.containers[0].name". Names are not escaped: a label's key may bring dots of its own.
  static std::string text(const PathStep* last) {
    std::string path;
    append(last, path);
    return path;
  }

 private:
  static void append(const PathStep* step, std::string& path) {
    if (step == nullptr) return;
    append(step->parent, path);
    if (step->name.data() == nullptr) {
      fmt::format_to(std::back_inserter(path), "[{}]", step->index);
      return;
    }
    if (!path.empty()) path += '.';
    path += step->name;
  }
};

// An error and the place in the text; line and column count from 1, 0 is unknown. The error's where() holds the path.
struct Problem {
  Error error{""};
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// The error with its place in front: "line 3, column 14", or "pods.json:3:14" if the text has a name. `first_line` is
// the line on which the document begins, for documents that were cut out of a longer text.
inline Error placed(Problem problem, std::string_view name = {}, std::uint32_t first_line = 1) {
  if (problem.line == 0) {
    return name.empty() ? std::move(problem.error) : std::move(problem.error).in_file(name);
  }
  const std::uint32_t line = problem.line + first_line - 1;
  if (!name.empty()) {
    return std::move(problem.error)
        .in_file(problem.column == 0 ? fmt::format("{}:{}", name, line)
                                     : fmt::format("{}:{}:{}", name, line, problem.column));
  }
  return std::move(problem.error)
      .in_file(problem.column == 0 ? fmt::format("line {}", line)
                                   : fmt::format("line {}, column {}", line, problem.column));
}

}  // namespace berth::codec
