// A configuration file as a tree of values, before any type is known: what kube-scheduler's decoder sees.
//
// The tree keeps what an object with a schema loses: the line of each value, keys that are given twice, and numbers as
// they are written. decode.h turns it into a configuration or into a list of what is wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"

namespace berth::config {

struct Member;

struct Value {
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kList, kMap };

  Kind kind = Kind::kNull;
  std::string text;        // a string's content, a number's literal, "true" or "false"
  std::uint32_t line = 0;  // from 1; 0 if unknown
  std::vector<Value> elements;
  std::vector<Member> members;

  // Null if there is no such member. Of several the last counts.
  const Value* find(std::string_view key) const;
};

struct Member {
  std::string key;
  Value value;
};

// Something that is wrong in a file. The error's where() is the path of the field.
struct Problem {
  Error error;
  std::uint32_t line = 0;  // from 1; 0 if unknown
};

// A YAML document's maps are sorted by key, as they are on kube-scheduler's way through JSON, and have each key once. A
// JSON text keeps its order and its duplicates.
struct Document {
  Value root;
  // `key "x" already set in map`, in the order in which Go's YAML decoder finds them.
  std::vector<Problem> duplicates;

  // The value at a path such as "profiles[0].schedulerName"; null if there is none.
  const Value* at(std::string_view path) const;

  // The line of the value at a path, or of the nearest one around it that is there.
  std::uint32_t line_of(std::string_view path) const;
};

// A text that is neither YAML nor JSON.
struct SyntaxError {
  Problem problem;
  // What kube-scheduler prints; empty for most of YAML, where its words are its parser's.
  std::string kube_scheduler_text;
};

// Reads YAML, or JSON if the first character is {, as kube-scheduler tells the two apart. Of several YAML documents the
// first counts.
std::expected<Document, SyntaxError> parse_document(std::string_view text);

// Compact, as Go's encoding/json writes it.
std::string to_json(const Value& value);

}  // namespace berth::config
