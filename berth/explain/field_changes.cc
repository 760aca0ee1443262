#include "berth/explain/field_changes.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/codec/json.h"

namespace berth::explain {

namespace {

using api::Kind;
using api::Type;

// What an optional or interned value holds; null if nothing.
const void* content_of(const Type*& type, const void* value) {
  while (value != nullptr && (type->kind == Kind::kOptional || type->kind == Kind::kInterned)) {
    value = type->content(value);
    type = type->element;
  }
  return value;
}

bool is_absent(const Type& type, const void* value) {
  if (type.kind == Kind::kOptional) return type.content(value) == nullptr;
  const std::string text = codec::to_json(type, value);
  return text == "{}" || text == "[]" || text == "null" || text == "\"\"" || text == "0" || text == "false";
}

class Comparison {
 public:
  explicit Comparison(std::vector<PatchOperation>& operations) : operations_(operations) {}

  // Requires: both are there.
  void compare(const Type& declared, const void* before, const void* after, const std::string& path) {
    const Type* type = &declared;
    const Type* same = &declared;
    before = content_of(type, before);
    after = content_of(same, after);
    if (codec::to_json(*type, before) == codec::to_json(*type, after)) return;
    switch (type->kind) {
      case Kind::kObject: compare_objects(*type, before, after, path); return;
      case Kind::kList: compare_lists(*type, before, after, path); return;
      case Kind::kMap: compare_maps(*type, before, after, path); return;
      default: operations_.push_back({"replace", path, codec::to_json(*type, before), codec::to_json(*type, after)});
    }
  }

 private:
  void compare_objects(const Type& type, const void* before, const void* after, const std::string& path) {
    for (const api::Field& field : type.schema().fields()) {
      const void* old_value = static_cast<const char*>(before) + field.offset;
      const void* new_value = static_cast<const char*>(after) + field.offset;
      if (field.json_name.empty()) {
        compare(*field.type, old_value, new_value, path);
      } else {
        compare_members(*field.type, old_value, new_value, path + "/" + pointer_step(field.json_name));
      }
    }
  }

  void compare_members(const Type& type, const void* before, const void* after, const std::string& path) {
    const bool was_there = !is_absent(type, before);
    const bool is_there = !is_absent(type, after);
    if (was_there && is_there) return compare(type, before, after, path);
    if (is_there) operations_.push_back({"add", path, "", codec::to_json(type, after)});
    if (was_there) operations_.push_back({"remove", path, codec::to_json(type, before), ""});
  }

  void compare_lists(const Type& type, const void* before, const void* after, const std::string& path) {
    const Type& element = *type.element;
    const std::size_t old_size = type.size(before), new_size = type.size(after);
    const auto text = [&](const void* list, std::size_t i) { return codec::to_json(element, type.at(list, i)); };
    if (old_size == new_size) {
      for (std::size_t i = 0; i < old_size; ++i) {
        compare(element, type.at(before, i), type.at(after, i), fmt::format("{}/{}", path, i));
      }
      return;
    }
    // Which of the longer list's elements the shorter one has, in order.
    const bool grew = new_size > old_size;
    std::vector<std::size_t> others;  // of the longer one
    std::size_t matched = 0;
    for (std::size_t i = 0; i < std::max(old_size, new_size); ++i) {
      const bool is_same = matched < std::min(old_size, new_size) &&
                           text(grew ? after : before, i) == text(grew ? before : after, matched);
      is_same ? void(++matched) : others.push_back(i);
    }
    if (matched < std::min(old_size, new_size) || (grew && others.front() < old_size)) {
      operations_.push_back({"replace", path, codec::to_json(type, before), codec::to_json(type, after)});
      return;
    }
    if (grew) {
      for (const std::size_t i : others) operations_.push_back({"add", path + "/-", "", text(after, i)});
      return;
    }
    std::ranges::reverse(others);
    for (const std::size_t i : others) {
      operations_.push_back({"remove", fmt::format("{}/{}", path, i), text(before, i), ""});
    }
  }

  void compare_maps(const Type& type, const void* before, const void* after, const std::string& path) {
    const auto find = [&](const void* map, Symbol key) -> const void* {
      for (std::size_t i = 0; i < type.size(map); ++i) {
        if (type.key_at(map, i) == key) return type.at(map, i);
      }
      return nullptr;
    };
    for (std::size_t i = 0; i < type.size(before); ++i) {
      const Symbol key = type.key_at(before, i);
      const std::string there = path + "/" + pointer_step(key.text());
      if (const void* value = find(after, key)) {
        compare(*type.element, type.at(before, i), value, there);
      } else {
        operations_.push_back({"remove", there, codec::to_json(*type.element, type.at(before, i)), ""});
      }
    }
    for (std::size_t i = 0; i < type.size(after); ++i) {
      const Symbol key = type.key_at(after, i);
      if (find(before, key) != nullptr) continue;
      operations_.push_back(
          {"add", path + "/" + pointer_step(key.text()), "", codec::to_json(*type.element, type.at(after, i))});
    }
  }

  std::vector<PatchOperation>& operations_;
};

}  // namespace

std::vector<PatchOperation> field_changes(const Type& type, const void* before, const void* after,
                                          std::string_view path) {
  std::vector<PatchOperation> operations;
  Comparison(operations).compare(type, before, after, std::string(path));
  return operations;
}

std::string pointer_step(std::string_view name) {
  std::string step;
  for (const char c : name) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

std::string json_patch(const std::vector<PatchOperation>& operations) {
  std::string text = "[";
  for (const PatchOperation& each : operations) {
    if (text.size() > 1) text += ",";
    text += fmt::format("{{\"op\":\"{}\",\"path\":{}", each.op, codec::to_json(each.path));
    if (each.op != "remove") text += ",\"value\":" + each.to;
    text += "}";
  }
  return text + "]";
}

}  // namespace berth::explain
