#include "berth/config/document.h"

#include <algorithm>
#include <charconv>

#include "berth/codec/yaml_parser.h"
#include "berth/codec/yaml_tree.h"
#include "berth/config/field_error.h"
#include "berth/config/json_reader.h"

namespace berth::config {

namespace {

Value to_value(const codec::YamlNode& node) {
  Value value;
  value.line = node.line();
  switch (node.kind()) {
    case codec::NodeKind::kNull: break;
    case codec::NodeKind::kBool:
      value.kind = Value::Kind::kBool;
      value.text = node.boolean() ? "true" : "false";
      break;
    case codec::NodeKind::kInteger:
    case codec::NodeKind::kBigInteger:
    case codec::NodeKind::kReal:
      value.kind = Value::Kind::kNumber;
      node.append_json(value.text);
      break;
    case codec::NodeKind::kString:
      value.kind = Value::Kind::kString;
      value.text = node.string();
      break;
    case codec::NodeKind::kList:
      value.kind = Value::Kind::kList;
      node.each_element([&](const codec::YamlNode& element) {
        value.elements.push_back(to_value(element));
        return true;
      });
      break;
    case codec::NodeKind::kMap:
      value.kind = Value::Kind::kMap;
      node.each_member([&](std::string_view key, const codec::YamlNode& member) {
        value.members.push_back({std::string(key), to_value(member)});
        return true;
      });
      break;
  }
  return value;
}

std::expected<Document, SyntaxError> parse_yaml(std::string_view text) {
  codec::YamlDocuments documents(text, {.sort_keys = true});
  codec::YamlTree tree;
  Document document;
  switch (documents.next(tree)) {
    case codec::YamlDocuments::Next::kEnd: break;
    case codec::YamlDocuments::Next::kError: {
      codec::Problem problem = documents.take_problem();
      return std::unexpected(SyntaxError{{std::move(problem.error), problem.line}, ""});
    }
    case codec::YamlDocuments::Next::kDocument:
      document.root = to_value(codec::YamlNode(tree, tree.root));
      for (codec::Problem& duplicate : tree.duplicates) {
        document.duplicates.push_back({std::move(duplicate.error), duplicate.line});
      }
      break;
  }
  return document;
}

// The element at "[3]" in front of `path`, which is taken off; null if there is none.
const Value* take_index(const Value& list, std::string_view& path) {
  const std::size_t close = std::min(path.find(']'), path.size() - 1);
  const std::string_view digits = path.substr(1, close - 1);
  path.remove_prefix(close + 1);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool is_there = error == std::errc() && end == digits.data() + digits.size() && index < list.elements.size();
  return is_there ? &list.elements[index] : nullptr;
}

// The last value on the way along a path, and whether that was the whole way.
struct Walk {
  const Value* last;
  bool is_whole;
};

Walk follow(const Value& root, std::string_view path) {
  const Value* at = &root;
  while (!path.empty()) {
    const Value* next = nullptr;
    if (path.front() == '[') {
      next = take_index(*at, path);
    } else {
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      next = at->find(path.substr(0, end));
      path.remove_prefix(end);
    }
    if (path.starts_with('.')) path.remove_prefix(1);
    if (next == nullptr) return {at, false};
    at = next;
  }
  return {at, true};
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  const auto found =
      std::find_if(members.rbegin(), members.rend(), [&](const Member& member) { return member.key == key; });
  return found == members.rend() ? nullptr : &found->value;
}

const Value* Document::at(std::string_view path) const {
  const Walk walk = follow(root, path);
  return walk.is_whole ? walk.last : nullptr;
}

std::uint32_t Document::line_of(std::string_view path) const {
  return follow(root, path).last->line;
}

std::expected<Document, SyntaxError> parse_document(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\v\f");
  const bool is_json = first != std::string_view::npos && text[first] == '{';
  if (!is_json) return parse_yaml(text);
  auto root = read_json_value(text);
  if (root) return Document{*std::move(root), {}};
  // kube-scheduler stumbles when it looks for the kind.
  std::string printed = "couldn't get version/kind; json parse error: " + root.error().error.what();
  return std::unexpected(SyntaxError{std::move(root.error()), std::move(printed)});
}

std::string to_json(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull: return "null";
    case Value::Kind::kBool:
    case Value::Kind::kNumber: return value.text;
    case Value::Kind::kString: return json_quote(value.text);
    case Value::Kind::kList: {
      std::string out = "[";
      for (const Value& element : value.elements) {
        if (out.size() > 1) out += ',';
        out += to_json(element);
      }
      out += ']';
      return out;
    }
    case Value::Kind::kMap: {
      std::string out = "{";
      for (const auto& [key, member] : value.members) {
        if (out.size() > 1) out += ',';
        out += json_quote(key);
        out += ':';
        out += to_json(member);
      }
      out += '}';
      return out;
    }
  }
  return "";
}

}  // namespace berth::config
