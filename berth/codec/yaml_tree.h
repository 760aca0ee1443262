// A YAML document as a compact tree: 24 bytes per value, texts that need no unescaping left where they are. Internal to
// this folder.
//
// An alias points to the value it stands for, so a document with aliases takes no more memory than its text; readers
// that follow them see it in full; kMaxYamlNodes and kMaxYamlAliasGrowth bound how large that may be.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "berth/codec/value_node.h"

namespace berth::codec {

class YamlTree {
 public:
  struct Value {
    NodeKind kind = NodeKind::kNull;
    std::uint32_t line = 0;
    std::uint32_t size = 0;  // of a string in bytes, of a list or map in elements
    union {
      bool boolean;
      std::int64_t integer = 0;
      std::uint64_t big_integer;
      double real;
      const char* text;
      std::uint32_t first;  // the first of a list's elements or a map's members
    };
  };
  struct Member {
    const char* key;
    std::uint32_t key_size;
    std::uint32_t value;

    std::string_view name() const { return {key, key_size}; }
  };

  const Value& value(std::uint32_t index) const { return values[index]; }

  std::vector<Value> values;
  std::vector<std::uint32_t> elements;
  std::vector<Member> members;
  std::deque<std::string> texts;  // those that are not as they stand in the document
  std::uint32_t root = 0;
  // Keys that a map brings twice; the last one counts. `key "x" already set in map`
  std::vector<Problem> duplicates;
};

class YamlNode {
 public:
  YamlNode(const YamlTree& tree, std::uint32_t index) : tree_(&tree), index_(index) {}

  NodeKind kind() const { return value().kind; }
  bool boolean() const { return value().boolean; }
  std::int64_t integer() const { return value().integer; }
  std::uint64_t big_integer() const { return value().big_integer; }
  double real() const { return value().real; }
  std::string_view string() const { return {value().text, value().size}; }
  std::uint32_t line() const { return value().line; }

  template <typename F>
  bool each_element(F f) const {
    const YamlTree::Value& list = value();
    for (std::uint32_t i = 0; i < list.size; ++i) {
      if (!f(YamlNode(*tree_, tree_->elements[list.first + i]))) return false;
    }
    return true;
  }
  template <typename F>
  bool each_member(F f) const {
    const YamlTree::Value& map = value();
    for (std::uint32_t i = 0; i < map.size; ++i) {
      const YamlTree::Member& member = tree_->members[map.first + i];
      if (!f(member.name(), YamlNode(*tree_, member.value))) return false;
    }
    return true;
  }

  void append_json(std::string& out) const;

 private:
  const YamlTree::Value& value() const { return tree_->values[index_]; }

  const YamlTree* tree_;
  std::uint32_t index_;
};

}  // namespace berth::codec
