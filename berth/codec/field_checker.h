// Compares an object in a JSON or YAML document with what Kubernetes' types have: fields that do not exist, fields
// given twice, and values of the wrong form, also in parts of the object that Berth does not keep. Internal to this
// folder.
//
// Not thread safe.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/quantity.h"
#include "berth/codec/field_suggestion.h"
#include "berth/codec/known_fields.h"
#include "berth/codec/object_reader.h"
#include "berth/codec/value_node.h"

namespace berth::codec {

template <ValueNode Node>
class FieldChecker {
 public:
  // `text` is what the nodes were read from: the place of a field's name in it tells the line.
  FieldChecker(const KnownType& root, std::string_view text) : root_(root), text_(text) {}

  void check(const Node& object, const PathStep* path) { check_object(object, root_, path, nullptr); }

  // In the order of the document; at most kMaxStrictErrors.
  std::vector<Problem> take_problems() { return std::move(problems_); }

 private:
  // The path without the place of the object in its document and without indices: "spec.containers[]".
  struct TypeStep {
    const TypeStep* parent;
    const KnownField* field;

    static std::string text(const TypeStep* last) {
      if (last == nullptr) return "";
      const std::string before = text(last->parent);
      return (before.empty() ? "" : before + ".") + field_text(*last->field);
    }
  };

  void check_object(const Node& node, const KnownType& type, const PathStep* path, const TypeStep* place) {
    if (node.kind() != NodeKind::kMap) return wrong(node, path, "an object");
    std::set<std::string_view> seen;
    node.each_member([&](std::string_view name, const Node& value) {
      const PathStep step{.parent = path, .name = name};
      if (!seen.insert(name).second) {
        add(Error(fmt::format("duplicate field \"{}\"", PathStep::text(&step))), line_of(name, value));
        return true;
      }
      const KnownField* field = type.find(name);
      if (field == nullptr) {
        Error error(fmt::format("unknown field \"{}\"", PathStep::text(&step)));
        if (std::string fix = suggested_field(root_, type, TypeStep::text(place), name); !fix.empty()) {
          error = std::move(error).with_fix(std::move(fix));
        }
        add(std::move(error), line_of(name, value));
        return true;
      }
      const TypeStep inner{.parent = place, .field = field};
      check_value(value, *field, field->containers, &step, &inner);
      return true;
    });
  }

  void check_value(const Node& node, const KnownField& field, std::string_view containers, const PathStep* path,
                   const TypeStep* place) {
    if (node.kind() == NodeKind::kNull) return;
    if (containers.empty()) return check_form(node, field, path, place);
    const std::string_view inner = containers.substr(1);
    if (containers.front() == 'l') {
      if (node.kind() != NodeKind::kList) return wrong(node, path, "a list");
      PathStep step{.parent = path};
      node.each_element([&](const Node& element) {
        check_value(element, field, inner, &step, place);
        ++step.index;
        return true;
      });
      return;
    }
    if (node.kind() != NodeKind::kMap) return wrong(node, path, "an object");
    std::set<std::string_view> seen;
    node.each_member([&](std::string_view key, const Node& value) {
      const PathStep step{.parent = path, .name = key};
      if (!seen.insert(key).second) {
        add(Error(fmt::format("duplicate field \"{}\"", PathStep::text(&step))), line_of(key, value));
        return true;
      }
      check_value(value, field, inner, &step, place);
      return true;
    });
  }

  void check_form(const Node& node, const KnownField& field, const PathStep* path, const TypeStep* place) {
    const NodeKind kind = node.kind();
    const bool is_integer = kind == NodeKind::kInteger || kind == NodeKind::kBigInteger;
    switch (field.form) {
      case FieldForm::kAny: return;
      case FieldForm::kObject: return check_object(node, *field.type, path, place);
      case FieldForm::kString:
      case FieldForm::kText:
        if (kind == NodeKind::kString) return;
        return kind == NodeKind::kList || kind == NodeKind::kMap ? wrong(node, path, "a string")
                                                                 : wrong(node, path, "a string", "quote the value");
      case FieldForm::kBool:
        return kind == NodeKind::kBool ? void() : wrong(node, path, "true or false", bare(node, "true", "false"));
      case FieldForm::kInteger: return is_integer ? void() : wrong(node, path, "an integer", bare_number(node));
      case FieldForm::kNumber: return is_integer || kind == NodeKind::kReal ? void() : wrong(node, path, "a number");
      case FieldForm::kIntOrString:
        return is_integer || kind == NodeKind::kString ? void() : wrong(node, path, "an integer or a string");
      case FieldForm::kQuantity: return check_quantity(node, path);
    }
  }

  void check_quantity(const Node& node, const PathStep* path) {
    api::Quantity quantity;
    ObjectReader<Node> reader(options_);
    if (reader.read(node, api::type_of<api::Quantity>(), &quantity, path, false)) return;
    Problem problem = reader.take_problem();
    add(std::move(problem.error), problem.line);
  }

  void wrong(const Node& node, const PathStep* path, std::string_view expected, std::string_view fix = {}) {
    Error error(fmt::format("expected {}, got {}", expected, ObjectReader<Node>::describe(node)));
    error = std::move(error).in(PathStep::text(path));
    if (!fix.empty()) error = std::move(error).with_fix(std::string(fix));
    add(std::move(error), node.line());
  }

  // A hint for a value that is right but for its quotes.
  static std::string_view bare(const Node& node, std::string_view a, std::string_view b) {
    const bool is_quoted = node.kind() == NodeKind::kString && (node.string() == a || node.string() == b);
    return is_quoted ? "without quotes" : "";
  }
  static std::string_view bare_number(const Node& node) {
    const bool is_quoted = node.kind() == NodeKind::kString && !node.string().empty() &&
                           std::ranges::all_of(node.string(), [](char c) { return c >= '0' && c <= '9'; });
    return is_quoted ? "without quotes" : "";
  }

  // A name that stands in the text as it is tells its line; one that was escaped has that of its value.
  std::uint32_t line_of(std::string_view name, const Node& value) const {
    const char* begin = text_.data();
    const bool is_in_text = name.data() >= begin && name.data() < begin + text_.size();
    if (!is_in_text) return value.line();
    return 1 + static_cast<std::uint32_t>(std::count(begin, name.data(), '\n'));
  }

  void add(Error error, std::uint32_t line) {
    if (problems_.size() < kMaxStrictErrors) problems_.push_back(Problem{std::move(error), line, 0});
  }

  const KnownType& root_;
  std::string_view text_;
  DecodeOptions options_;
  std::vector<Problem> problems_;
};

}  // namespace berth::codec
