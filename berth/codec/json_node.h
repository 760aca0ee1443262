// A parsed JSON document as the readers see it: simdjson's DOM behind the node interface of value_node.h. Internal to
// this folder.
#pragma once

#include <simdjson.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "berth/codec/json_text.h"
#include "berth/codec/value_node.h"

namespace berth::codec {

class JsonNode {
 public:
  explicit JsonNode(simdjson::dom::element element) : element_(element) {}

  NodeKind kind() const {
    using simdjson::dom::element_type;
    switch (element_.type()) {
      case element_type::ARRAY: return NodeKind::kList;
      case element_type::OBJECT: return NodeKind::kMap;
      case element_type::INT64: return NodeKind::kInteger;
      case element_type::UINT64: return NodeKind::kBigInteger;
      case element_type::DOUBLE: return NodeKind::kReal;
      case element_type::STRING: return NodeKind::kString;
      case element_type::BOOL: return NodeKind::kBool;
      case element_type::NULL_VALUE: return NodeKind::kNull;
    }
    return NodeKind::kNull;
  }
  bool boolean() const { return element_.get_bool().value_unsafe(); }
  std::int64_t integer() const { return element_.get_int64().value_unsafe(); }
  std::uint64_t big_integer() const { return element_.get_uint64().value_unsafe(); }
  double real() const { return element_.get_double().value_unsafe(); }
  std::string_view string() const { return element_.get_string().value_unsafe(); }
  std::uint32_t line() const { return 0; }

  template <typename F>
  bool each_element(F f) const {
    const simdjson::dom::array array = element_.get_array().value_unsafe();
    for (const simdjson::dom::element element : array) {
      if (!f(JsonNode(element))) return false;
    }
    return true;
  }
  template <typename F>
  bool each_member(F f) const {
    const simdjson::dom::object object = element_.get_object().value_unsafe();
    for (const auto [key, value] : object) {
      if (!f(key, JsonNode(value))) return false;
    }
    return true;
  }

  void append_json(std::string& out) const;

 private:
  simdjson::dom::element element_;
};

// The document and the memory it lies in.
class ParsedJson {
 public:
  // Whether the text is JSON; if not, see problem().
  bool parse(std::string_view text);
  Problem take_problem() { return std::move(problem_); }
  // Valid as long as this object. Requires: parsed.
  JsonNode root() const { return JsonNode(root_); }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
  Problem problem_;
};

}  // namespace berth::codec
